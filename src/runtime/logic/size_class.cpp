#include "runtime/logic/size_class.hpp"

#include <bit>
#include <cstdint>

namespace espalier::runtime {

Bytes size_class(Bytes bytes) {
    const auto digits = static_cast<unsigned>(std::bit_width(bytes.value));
    if (digits <= 4) return bytes;
    const std::uint64_t step = std::uint64_t{1} << (digits - 4);
    return Bytes((bytes.value + step - 1) / step * step);
}

}  // namespace espalier::runtime
