#pragma once

#include "runtime/memory.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace espalier::runtime {

/// One side of a total exchange, as the program gives it: a block of its elements for each rank.
struct BlockArguments {
    void* base = nullptr;
    int count = 0;                       ///< of each block, where `counts` is not given
    const int* counts = nullptr;         ///< of blocks that differ,
    const int* displacements = nullptr;  ///< with where they begin, in elements
    MPI_Datatype type = MPI_DATATYPE_NULL;

    [[nodiscard]] int count_of(std::size_t block) const { return counts ? counts[block] : count; }
    /// Whether MPI could take them; what is wrong, it tells the program itself.
    [[nodiscard]] bool is_sound(int ranks) const;
};

/// The same with what its type is like. The blocks themselves stay where they are: MPI takes them
/// in the program's own type, holes and all.
class Blocks {
public:
    /// Throws MpiFailure. `ranks` blocks.
    Blocks(const BlockArguments& arguments, int ranks);

    [[nodiscard]] Memory::Place place(std::size_t block) const;
    [[nodiscard]] std::uint64_t bytes(std::size_t block) const;
    [[nodiscard]] std::vector<std::uint64_t> all_bytes() const;
    [[nodiscard]] const BlockArguments& arguments() const { return arguments_; }
    [[nodiscard]] std::size_t size() const { return ranks_; }
    [[nodiscard]] MPI_Aint extent() const { return extent_; }
    [[nodiscard]] bool is_plain() const { return plain_; }

private:
    BlockArguments arguments_;
    std::size_t ranks_;
    MPI_Aint extent_ = 0;
    std::uint64_t element_bytes_ = 0;
    bool plain_ = false;  ///< elements are bytes, one after the other
};

/// What the blocks hold now, in memory of its own: the input of an exchange in place.
class BlockCopies {
public:
    /// `comm` is a communicator of our own. Throws MpiFailure.
    BlockCopies(const Blocks& blocks, int rank, MPI_Comm comm);

    [[nodiscard]] const Memory::Place& place(std::size_t block) const { return places_[block]; }

private:
    std::vector<std::byte> bytes_;
    std::vector<Memory::Place> places_;
};

/// Both sides of a total exchange.
class ExchangeMemory final : public Memory {
public:
    ExchangeMemory(const Blocks& input, const Blocks& output) : input_(&input), output_(output) {}
    /// In place: what is brought in has been copied.
    ExchangeMemory(const BlockCopies& copies, const Blocks& output)
        : copies_(&copies), output_(output) {}

    [[nodiscard]] Place find(const Program::Part& part) const override {
        if (part.buffer == Program::Buffer::output) return output_.place(part.block);
        return copies_ != nullptr ? copies_->place(part.block) : input_->place(part.block);
    }

private:
    const Blocks* input_ = nullptr;
    const BlockCopies* copies_ = nullptr;
    const Blocks& output_;
};

}  // namespace espalier::runtime
