#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace espalier::runtime {

/// An array of counts or displacements as a call brings it: of int, of MPI_Aint or of MPI_Count.
class Integers {
public:
    Integers() = default;
    Integers(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
    template <std::integral Integer>
    Integers(const Integer* first)  // NOLINT(google-explicit-constructor)
        : first_(reinterpret_cast<const std::byte*>(first)), is_wide_(sizeof(Integer) > wide / 2) {
        static_assert(sizeof(Integer) == wide || sizeof(Integer) == narrow);
    }

    [[nodiscard]] std::int64_t operator[](std::size_t index) const {
        // MPI's types of so many bytes may be others than this one.
        if (is_wide_) return read<std::int64_t>(index);
        return read<std::int32_t>(index);
    }
    friend bool operator==(const Integers&, const Integers&) = default;
    friend bool operator==(const Integers& array, std::nullptr_t) {
        return array.first_ == nullptr;
    }

    /// The same numbers, in `memory`, which is made for so many of them.
    [[nodiscard]] Integers kept_in(std::unique_ptr<std::byte[]>& memory, std::size_t length) const {
        const std::size_t bytes = length * (is_wide_ ? wide : narrow);
        memory = std::make_unique<std::byte[]>(bytes);
        if (bytes > 0) std::memcpy(memory.get(), first_, bytes);
        Integers kept = *this;
        kept.first_ = memory.get();
        return kept;
    }

private:
    static constexpr std::size_t wide = sizeof(std::int64_t);
    static constexpr std::size_t narrow = sizeof(std::int32_t);

    template <typename Integer>
    [[nodiscard]] Integer read(std::size_t index) const {
        Integer value = 0;
        std::memcpy(&value, first_ + index * sizeof(Integer), sizeof(Integer));
        return value;
    }

    const std::byte* first_ = nullptr;
    bool is_wide_ = false;
};

}  // namespace espalier::runtime
