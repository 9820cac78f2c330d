#pragma once

#include "runtime/element.hpp"
#include "runtime/integers.hpp"
#include "schedule/collective.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::runtime {

/// The blocks of a side in which not every rank has one, or not in the order of ranks.
struct BlockIndex {
    std::vector<int> of_rank;  ///< the index of its block; `none`
    std::size_t blocks = 0;    ///< in the side, those of nobody included

    static constexpr int none = -1;
};

/// One side of a call, as the program gives it to MPI: one message, or a block for each rank.
struct Side {
    void* base = nullptr;
    std::int64_t count = 0;  ///< of the message, or of each block,
    Integers counts;         ///< or of blocks that differ,
    Integers displacements;  ///< and where they begin, in elements; else in a row
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const BlockIndex* index = nullptr;  ///< of the ranks' blocks; none: each has one, in order
    /// Of blocks that differ in their types, too, which begin so many bytes after the base.
    const MPI_Datatype* types = nullptr;

    /// A side of one message, or of blocks of one size. MPI promises not to write to what it sends.
    [[nodiscard]] static Side of(const void* base, std::int64_t count, MPI_Datatype type) {
        return {const_cast<void*>(base), count, nullptr, nullptr, type, nullptr};
    }
    /// A side of blocks that differ; `displacements` may be null.
    [[nodiscard]] static Side of(const void* base, Integers counts, Integers displacements,
                                 MPI_Datatype type) {
        return {const_cast<void*>(base), 0, counts, displacements, type, nullptr};
    }
    /// A side of blocks each of which has a type of its own.
    [[nodiscard]] static Side of(const void* base, Integers counts, Integers displacements,
                                 const MPI_Datatype* types) {
        Side side = of(base, counts, displacements, MPI_DATATYPE_NULL);
        side.types = types;
        return side;
    }
    /// The same with the blocks of some ranks; `of` has to outlive it.
    [[nodiscard]] Side with(const BlockIndex& of) const {
        Side side = *this;
        side.index = &of;
        return side;
    }
    /// The index of a rank's block among all of the side; nullopt where it has none.
    [[nodiscard]] std::optional<std::size_t> place_of(std::size_t rank) const;
    [[nodiscard]] std::int64_t count_of(std::size_t rank) const;
    /// The type of a rank's block, of which there is one.
    [[nodiscard]] MPI_Datatype type_of(std::size_t rank) const;
    /// Whether MPI looks at it on this rank, unless it is in place.
    [[nodiscard]] bool is_given() const { return type != MPI_DATATYPE_NULL || types != nullptr; }
    [[nodiscard]] bool is_in_place() const { return base == MPI_IN_PLACE; }
    /// Whether MPI could take it with so many blocks; what is wrong, it tells the program itself.
    [[nodiscard]] bool is_sound(std::size_t blocks) const;
    /// The address of a rank's block, as MPICH computes it to find buffers that are the same.
    [[nodiscard]] const std::byte* begin_of(std::size_t rank) const;
};

/// Whether MPICH is sure to refuse a call whose one side lies on the other's own block. A rank that
/// leaves its call to MPI while others follow a plan would hang, so it has to be no more than that:
/// null pointers and sides without elements are none.
[[nodiscard]] bool lies_on(const Side& side, const Side& blocks, std::size_t own);
/// Whether the buffers of an all-to-all are the same, all of them.
[[nodiscard]] bool are_one(const Side& input, const Side& output);

/// Whether MPI could take a rank's own block, which may be in place, together with the blocks of
/// all `ranks`.
[[nodiscard]] bool are_sound(const Side& block, const Side& blocks, int rank, int ranks);

/// The operands of a call. Sides that MPI does not look at on this rank are left out: they have no
/// type.
struct Operands {
    schedule::Kind kind = schedule::Kind::barrier;
    int root = 0;
    Side input;
    Side output;
    MPI_Op op = MPI_OP_NULL;  ///< where contributions are combined
};

/// The blocks of a side in memory, in units: elements where they are combined, else bytes.
class Area {
public:
    Area() = default;
    /// Throws MpiFailure.
    Area(const Side& side, std::size_t blocks, bool combines);

    /// Of any block, where all have one type.
    [[nodiscard]] const Element& element() const { return element_; }
    [[nodiscard]] const Element& element(std::size_t block) const {
        return elements_.empty() ? element_ : elements_[block];
    }
    [[nodiscard]] std::uint64_t units(std::size_t block) const {
        return in_units(side_.count_of(block), element(block));
    }
    /// Of any block, where all are as large.
    [[nodiscard]] std::uint64_t units_of_each() const { return in_units(side_.count, element_); }
    /// The elements of a block.
    [[nodiscard]] Run elements(std::size_t block) const;

private:
    [[nodiscard]] std::uint64_t in_units(std::int64_t count, const Element& element) const {
        return static_cast<std::uint64_t>(count) * (combines_ ? 1 : element.bytes);
    }

    Side side_;
    bool combines_ = false;
    Element element_;
    std::vector<Element> elements_;      ///< of each block, where types differ
    std::vector<std::int64_t> offsets_;  ///< in elements; only of blocks that differ, in a row
};

}  // namespace espalier::runtime
