#include "runtime/message.hpp"

#include "runtime/failure.hpp"
#include "runtime/packable.hpp"

#include <limits>

namespace espalier::runtime {

namespace {

bool is_named(MPI_Datatype type) {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = 0;
    check_handled(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    return combiner == MPI_COMBINER_NAMED;
}

}  // namespace

bool is_plain(MPI_Datatype type) {
    int size = 0;
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;
    check_handled(PMPI_Type_size(type, &size));
    check_handled(PMPI_Type_get_extent(type, &lower_bound, &extent));
    if (lower_bound != 0 || extent != size) return false;
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = 0;
    check_handled(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    if (combiner == MPI_COMBINER_NAMED) return true;
    if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) return false;
    int length = 0;
    MPI_Aint address = 0;
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    check_handled(
        PMPI_Type_get_contents(type, integers, addresses, types, &length, &address, &inner));
    const bool plain = is_plain(inner);
    if (!is_named(inner)) check_handled(PMPI_Type_free(&inner));
    return plain;
}

std::optional<std::uint64_t> message_bytes(int count, MPI_Datatype type) {
    int size = 0;
    if (count < 0 || type == MPI_DATATYPE_NULL) return std::nullopt;
    if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0) return std::nullopt;
    const auto bytes = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
    if (bytes > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) return std::nullopt;
    return bytes;
}

Message::Message(void* buffer, int count, MPI_Datatype type, std::uint64_t bytes, MPI_Comm comm)
    : buffer_(buffer),
      count_(count),
      type_(type),
      bytes_(bytes),
      comm_(comm),
      in_place_(is_plain(type)) {
    if (!in_place_) packed_.resize(bytes);
}

std::byte* Message::data() { return in_place_ ? static_cast<std::byte*>(buffer_) : packed_.data(); }

void Message::pack() {
    if (in_place_) return;
    const Packable elements(buffer_, count_, type_);
    int position = 0;
    check_handled(PMPI_Pack(elements.address(), elements.count(), elements.type(), packed_.data(),
                            static_cast<int>(bytes_), &position, comm_));
}

void Message::unpack() {
    if (in_place_) return;
    const Packable elements(buffer_, count_, type_);
    int position = 0;
    check_handled(PMPI_Unpack(packed_.data(), static_cast<int>(bytes_), &position,
                              elements.address(), elements.count(), elements.type(), comm_));
}

}  // namespace espalier::runtime
