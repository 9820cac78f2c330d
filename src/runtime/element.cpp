#include "runtime/element.hpp"

#include "runtime/collective_table.hpp"
#include "runtime/failure.hpp"
#include "runtime/packable.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#if MPI_VERSION >= 4
ESPALIER_MAY_LACK(MPI_Type_get_envelope_c)
ESPALIER_MAY_LACK(MPI_Type_get_contents_c)
#endif

namespace espalier::runtime {

namespace {

constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
constexpr std::size_t alignment = alignof(std::max_align_t);

/// The envelope and the contents of a type, which say how it was made. A type made with large
/// counts has no other envelope and contents than the large ones; an MPI before version 4 has no
/// such types.
class Making {
public:
    explicit Making(MPI_Datatype type) : type_(type) {
#if MPI_VERSION >= 4
        check_handled(PMPI_Type_get_envelope_c(type, &integers_, &addresses_, &large_counts_,
                                               &types_, &combiner_));
#else
        check_handled(PMPI_Type_get_envelope(type, &integers_, &addresses_, &types_, &combiner_));
#endif
    }

    [[nodiscard]] bool is_named() const { return combiner_ == MPI_COMBINER_NAMED; }
    /// Whether the type is made of copies of one other type, one after the other.
    [[nodiscard]] bool is_row() const {
        return combiner_ == MPI_COMBINER_CONTIGUOUS || combiner_ == MPI_COMBINER_DUP;
    }
    /// The type that a row is made of; to be freed unless it is named.
    [[nodiscard]] MPI_Datatype inner() const {
        int length = 0;
        MPI_Aint address = 0;
        MPI_Datatype found = MPI_DATATYPE_NULL;
#if MPI_VERSION >= 4
        MPI_Count large_length = 0;
        check_handled(PMPI_Type_get_contents_c(type_, integers_, addresses_, large_counts_, types_,
                                               &length, &address, &large_length, &found));
#else
        check_handled(PMPI_Type_get_contents(type_, integers_, addresses_, types_, &length,
                                             &address, &found));
#endif
        return found;
    }

private:
#if MPI_VERSION >= 4
    using Number = MPI_Count;
    Number large_counts_ = 0;
#else
    using Number = int;
#endif
    MPI_Datatype type_;
    Number integers_ = 0;
    Number addresses_ = 0;
    Number types_ = 0;
    int combiner_ = 0;
};

/// Whether the type is a row of one predefined type, so that its extent is its size and its lower
/// bound is 0.
bool is_row_of_predefined(MPI_Datatype type) {
    const Making making(type);
    if (making.is_named()) return true;
    if (!making.is_row()) return false;
    MPI_Datatype inner = making.inner();
    const bool plain = Element::of(inner).plain;
    if (!Making(inner).is_named()) check_handled(PMPI_Type_free(&inner));
    return plain;
}

/// Has `move(elements, offset of their bytes, number of their bytes)` do a row of `element`, as
/// much at once as MPI_Pack can take; of those that are no larger themselves.
template <typename Move>
void in_portions(const Run& row, const Element& element, const Move& move) {
    const std::uint64_t step =
        std::max<std::uint64_t>(1, most / std::max<std::uint64_t>(1, element.bytes));
    for (std::uint64_t done = 0; done < row.count; done += step) {
        const std::uint64_t count = std::min(step, row.count - done);
        move(Packable(element.at(row.address, done), static_cast<int>(count), element.type),
             done * element.bytes, static_cast<int>(count * element.bytes));
    }
}

}  // namespace

std::optional<std::uint64_t> message_bytes(std::int64_t count, MPI_Datatype type) {
    MPI_Count size = 0;
    std::int64_t bytes = 0;
    if (count < 0 || type == MPI_DATATYPE_NULL) return std::nullopt;
    if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return std::nullopt;
    if (__builtin_mul_overflow(count, size, &bytes)) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
}

Element Element::of(MPI_Datatype type) {
    Element element;
    if (type == MPI_BYTE) return element;
    element.type = type;
    MPI_Aint lower = 0;
    MPI_Count bytes = 0;
    check_handled(PMPI_Type_size_x(type, &bytes));
    check_handled(PMPI_Type_get_extent(type, &lower, &element.extent));
    check_handled(PMPI_Type_get_true_extent(type, &element.first, &element.length));
    element.bytes = static_cast<std::uint64_t>(std::max<MPI_Count>(bytes, 0));
    element.plain = lower == 0 && element.extent == static_cast<MPI_Aint>(element.bytes) &&
                    is_row_of_predefined(type);
    return element;
}

Element::Span Element::span(std::uint64_t count) const {
    if (count == 0) return {};
    const MPI_Aint last = extent * static_cast<MPI_Aint>(count - 1);
    return {std::min<MPI_Aint>(0, last) + first, std::max<MPI_Aint>(0, last) + first + length};
}

std::size_t Element::room(std::uint64_t count) const {
    const Span data = span(count);
    return static_cast<std::size_t>(data.end - data.begin) + alignment;
}

std::byte* Element::row_in(std::byte* memory, std::uint64_t count) const {
    // Up to a multiple of the alignment from where the memory begins, which is one itself.
    const MPI_Aint begin = span(count).begin;
    const auto step = static_cast<MPI_Aint>(alignment);
    const MPI_Aint past = ((begin % step) + step) % step;
    return memory - begin + past;
}

Place::Place(std::span<const Run> runs, const Element& element) : type_(element.type) {
    if (runs.empty()) return;
    address_ = runs.front().address;
    if (runs.size() == 1 && runs.front().count <= most) {
        count_ = static_cast<int>(runs.front().count);
        return;
    }
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    for (const Run& run : runs) {
        for (std::uint64_t done = 0; done < run.count; done += most) {
            lengths.push_back(static_cast<int>(std::min(most, run.count - done)));
            offsets.push_back(run.address - static_cast<std::byte*>(address_) +
                              static_cast<MPI_Aint>(done) * element.extent);
        }
    }
    check_handled(PMPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                            offsets.data(), element.type, &type_));
    made_ = true;
    count_ = 1;
    check_handled(PMPI_Type_commit(&type_));
}

Place::~Place() {
    if (made_) PMPI_Type_free(&type_);
}

void send_to_itself(const Place& from, const Place& to, const Seat& seat) {
    const int me = seat.peer(seat.rank);
    check(PMPI_Sendrecv(from.address(), from.count(), from.type(), me, seat.tag, to.address(),
                        to.count(), to.type(), me, seat.tag, seat.own, MPI_STATUS_IGNORE));
}

void copy(const Run& from, const Element& from_element, const Run& to, const Element& to_element,
          const Seat& seat) {
    if (from.count == 0 || to.count == 0) return;
    if (from.address == to.address && from_element.type == to_element.type) return;
    if (from_element.plain && to_element.plain) {
        std::memmove(to.address, from.address,
                     std::min(from.count * from_element.bytes, to.count * to_element.bytes));
        return;
    }
    send_to_itself({{&from, 1}, from_element}, {{&to, 1}, to_element}, seat);
}

void pack(const Run& from, const Element& element, std::byte* to, const Seat& seat) {
    if (element.plain) {
        if (from.count > 0) std::memcpy(to, from.address, from.count * element.bytes);
        return;
    }
    if (element.bytes > most) {
        copy(from, element, {to, from.count * element.bytes}, Element(), seat);
        return;
    }
    in_portions(from, element, [&](const Packable& elements, std::uint64_t offset, int bytes) {
        int position = 0;
        check(PMPI_Pack(elements.address(), elements.count(), elements.type(), to + offset, bytes,
                        &position, seat.own));
    });
}

void unpack(const std::byte* from, const Run& to, const Element& element, const Seat& seat) {
    if (element.plain) {
        if (to.count > 0) std::memcpy(to.address, from, to.count * element.bytes);
        return;
    }
    if (element.bytes > most) {
        copy({const_cast<std::byte*>(from), to.count * element.bytes}, Element(), to, element,
             seat);
        return;
    }
    in_portions(to, element, [&](const Packable& elements, std::uint64_t offset, int bytes) {
        int position = 0;
        check(PMPI_Unpack(from + offset, bytes, &position, elements.address(), elements.count(),
                          elements.type(), seat.own));
    });
}

}  // namespace espalier::runtime
