#pragma once

#include "core/random.hpp"
#include "mpi/ranks.hpp"
#include "runtime/communicator.hpp"

#include <gmock/gmock.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What the tests of all collectives share: the same call is made through the library and past it
// (PMPI_), on the same data, and all memory has to be the same afterwards.

namespace espalier::test {

/// Only where the library is on. Collective: its ranks have joined then.
inline runtime::Communicator& state_of(MPI_Comm comm) {
    runtime::Process& process = *runtime::Process::current();
    auto& state = runtime::Communicator::of(comm, process);
    state.join(comm, process);
    return state;
}

/// A job without need of the library switches it off.
inline bool is_planned(MPI_Comm comm) {
    return runtime::Process::current() != nullptr && state_of(comm).is_planned();
}

/// How many calls on `comm` were performed by plans.
inline std::uint64_t planned_calls(MPI_Comm comm) {
    return is_planned(comm) ? state_of(comm).executor().runs() : 0;
}

/// A type with what MPI says of it; frees what it was made of.
class Type {
public:
    /// Predefined, or made and committed by the one who gives it away.
    explicit Type(MPI_Datatype type, bool owned = false) : type_(type), owned_(owned) {
        MPI_Aint lower = 0;
        MPI_Type_get_extent(type, &lower, &extent_);
        MPI_Type_get_true_extent(type, &first_, &length_);
        MPI_Type_size(type, &size_);
    }
    ~Type() {
        if (owned_) MPI_Type_free(&type_);
    }
    Type(const Type&) = delete;
    Type& operator=(const Type&) = delete;

    /// Two ints out of five, in the wrong order; the first of them lies before its address.
    static Type holed() {
        const int lengths[2] = {1, 1};
        const MPI_Aint offsets[2] = {4, -8};
        MPI_Datatype pair = MPI_DATATYPE_NULL;
        MPI_Type_create_hindexed(2, lengths, offsets, MPI_INT32_T, &pair);
        MPI_Datatype made = MPI_DATATYPE_NULL;
        MPI_Type_create_resized(pair, -8, 20, &made);
        MPI_Type_commit(&made);
        MPI_Type_free(&pair);
        return Type(made, true);
    }
    /// The same with as much room behind each element as it takes itself.
    [[nodiscard]] Type spread() const {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        MPI_Type_get_extent(type_, &lower, &extent);
        MPI_Datatype made = MPI_DATATYPE_NULL;
        MPI_Type_create_resized(type_, lower, 2 * extent, &made);
        MPI_Type_commit(&made);
        return Type(made, true);
    }
    /// As many ints in a row.
    static Type row(int length) {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(length, MPI_INT32_T, &made);
        MPI_Type_commit(&made);
        return Type(made, true);
    }

    [[nodiscard]] MPI_Datatype get() const { return type_; }
    [[nodiscard]] MPI_Aint extent() const { return extent_; }
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(size_); }

private:
    friend class Memory;
    MPI_Datatype type_;
    bool owned_;
    MPI_Aint extent_ = 0;
    MPI_Aint first_ = 0;
    MPI_Aint length_ = 0;
    int size_ = 0;
};

/// Elements of a type with something before and after them, as a program's buffer; pseudo-random.
class Memory {
public:
    Memory(const Type& type, std::size_t elements, std::uint64_t seed) {
        begin_ = 64;
        bytes_.resize(2 * begin_ + elements * static_cast<std::size_t>(type.extent_) +
                      static_cast<std::size_t>(type.length_));
        Random random(seed + 1);
        for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random.below(256));
    }
    [[nodiscard]] void* data() { return bytes_.data() + begin_; }
    template <typename T>
    [[nodiscard]] T* as() {
        return reinterpret_cast<T*>(data());
    }
    friend bool operator==(const Memory&, const Memory&) = default;

private:
    std::size_t begin_ = 0;
    std::vector<std::byte> bytes_;
};

/// The world, a copy of it, and parts of it in another order. Collective.
inline void on_communicators(const std::function<void(MPI_Comm)>& check) {
    const int rank = rank_in(MPI_COMM_WORLD);
    check(MPI_COMM_WORLD);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    check(copy);
    MPI_Comm_free(&copy);
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    check(part);
    MPI_Comm_free(&part);
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank * 7 + 3) % 5, &part);
    check(part);
    MPI_Comm_free(&part);
}

/// Where a communicator is planned, the calls made meanwhile have to be, as many as said; for
/// tests with ESPALIER_PLAN=always.
class ExpectPlanned {
public:
    explicit ExpectPlanned(MPI_Comm comm, std::uint64_t calls = 1)
        : comm_(comm), expected_(planned_calls(comm) + calls) {}
    ~ExpectPlanned() {
        if (is_planned(comm_) && expects()) {
            EXPECT_EQ(planned_calls(comm_), expected_);
        }
    }
    ExpectPlanned(const ExpectPlanned&) = delete;
    ExpectPlanned& operator=(const ExpectPlanned&) = delete;

private:
    static bool expects() {
        return runtime::Process::current()->settings().planning ==
               runtime::Settings::Planning::always;
    }
    MPI_Comm comm_;
    std::uint64_t expected_;
};

}  // namespace espalier::test
