#pragma once

#include "runtime/seat.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace espalier::runtime {

/// The bytes of `count` elements of `type`; nullopt if there is no such number: then the call is
/// native.
[[nodiscard]] std::optional<std::uint64_t> message_bytes(std::int64_t count, MPI_Datatype type);

/// The layout of one element of a datatype; element i of a row begins i extents after the row's
/// address.
struct Element {
    MPI_Datatype type = MPI_BYTE;
    std::uint64_t bytes = 1;  ///< of data
    MPI_Aint extent = 1;
    MPI_Aint first = 0;   ///< where its data begin, from its address
    MPI_Aint length = 1;  ///< from its first byte of data to its last
    /// Elements are bytes, one after the other, in the order in which MPI counts them. An extent
    /// that equals the size is not enough: a type may name its parts in any order. So only
    /// predefined types and rows of them count.
    bool plain = true;

    /// Throws MpiFailure.
    [[nodiscard]] static Element of(MPI_Datatype type);

    /// The range [begin, end) from its address in which the data of a row of `count` elements lie.
    struct Span {
        MPI_Aint begin = 0;
        MPI_Aint end = 0;
    };
    [[nodiscard]] Span span(std::uint64_t count) const;
    /// The bytes that a row takes in our own memory, and where its address may be in `memory` of so
    /// many bytes, aligned for any type.
    [[nodiscard]] std::size_t room(std::uint64_t count) const;
    [[nodiscard]] std::byte* row_in(std::byte* memory, std::uint64_t count) const;
    [[nodiscard]] std::byte* at(std::byte* row, std::uint64_t index) const {
        return row + static_cast<MPI_Aint>(index) * extent;
    }
};

/// Elements one after the other.
struct Run {
    std::byte* address = nullptr;
    std::uint64_t count = 0;
};

/// A run of elements as MPI is told of it. More elements than an int counts, or several runs, are a
/// type of their own.
class Place {
public:
    Place() = default;
    /// Throws MpiFailure.
    Place(std::span<const Run> runs, const Element& element);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    [[nodiscard]] void* address() const { return address_; }
    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] MPI_Datatype type() const { return type_; }

private:
    void* address_ = nullptr;
    int count_ = 0;
    MPI_Datatype type_ = MPI_BYTE;
    bool made_ = false;
};

/// Moves data to another place and, it may be, into another type, as a message of this process to
/// itself: with the tag of the call that `seat` is of, since other threads may be at the same.
/// Throws MpiFailure.
void send_to_itself(const Place& from, const Place& to, const Seat& seat);

/// Copies data likewise. Throws MpiFailure.
void copy(const Run& from, const Element& from_element, const Run& to, const Element& to_element,
          const Seat& seat);

/// The data of a run as bytes, and back. Throws MpiFailure.
void pack(const Run& from, const Element& element, std::byte* to, const Seat& seat);
void unpack(const std::byte* from, const Run& to, const Element& element, const Seat& seat);

}  // namespace espalier::runtime
