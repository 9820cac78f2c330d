#include "runtime/blocks.hpp"

#include "runtime/failure.hpp"
#include "runtime/message.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace espalier::runtime {

namespace {

/// Where `count` elements lie, from the address that MPI is given: [first, end).
struct Span {
    MPI_Aint first = 0;
    MPI_Aint end = 0;
};

Span span_of(int count, MPI_Datatype type, MPI_Aint extent) {
    MPI_Aint lower = 0;
    MPI_Aint length = 0;
    check_handled(PMPI_Type_get_true_extent(type, &lower, &length));
    const MPI_Aint last = extent * (static_cast<MPI_Aint>(count) - 1);
    return {std::min<MPI_Aint>(0, last) + lower, std::max<MPI_Aint>(0, last) + lower + length};
}

}  // namespace

bool BlockArguments::is_sound(int ranks) const {
    if (type == MPI_DATATYPE_NULL || base == MPI_IN_PLACE) return false;
    if (counts == nullptr) return count >= 0;
    return displacements != nullptr &&
           std::all_of(counts, counts + ranks, [](int each) { return each >= 0; });
}

Blocks::Blocks(const BlockArguments& arguments, int ranks)
    : arguments_(arguments), ranks_(static_cast<std::size_t>(ranks)) {
    MPI_Aint lower = 0;
    check_handled(PMPI_Type_get_extent(arguments.type, &lower, &extent_));
    MPI_Count bytes = 0;
    check_handled(PMPI_Type_size_x(arguments.type, &bytes));
    element_bytes_ = static_cast<std::uint64_t>(std::max<MPI_Count>(bytes, 0));
    plain_ = runtime::is_plain(arguments.type);
}

std::uint64_t Blocks::bytes(std::size_t block) const {
    return static_cast<std::uint64_t>(arguments_.count_of(block)) * element_bytes_;
}

std::vector<std::uint64_t> Blocks::all_bytes() const {
    std::vector<std::uint64_t> all(ranks_);
    for (std::size_t block = 0; block < ranks_; ++block) all[block] = bytes(block);
    return all;
}

Memory::Place Blocks::place(std::size_t block) const {
    const std::uint64_t size = bytes(block);
    if (size == 0) return {};
    const auto elements = arguments_.counts != nullptr
                              ? static_cast<MPI_Aint>(arguments_.displacements[block])
                              : static_cast<MPI_Aint>(block) * arguments_.count;
    std::byte* address = static_cast<std::byte*>(arguments_.base) + elements * extent_;
    if (plain_ && size <= static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        return {address, static_cast<int>(size), MPI_BYTE};
    return {address, arguments_.count_of(block), arguments_.type};
}

BlockCopies::BlockCopies(const Blocks& blocks, int rank, MPI_Comm comm) {
    std::vector<MPI_Aint> offsets;
    std::vector<Span> spans;
    std::size_t total = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Memory::Place from = blocks.place(b);
        Span span;
        if (from.type == MPI_BYTE)
            span.end = from.count;
        else if (from.count > 0)
            span = span_of(from.count, from.type, blocks.extent());
        offsets.push_back(static_cast<MPI_Aint>(total) - span.first);
        // As far apart as any element may want to be aligned.
        constexpr std::size_t alignment = alignof(std::max_align_t);
        const auto length = static_cast<std::size_t>(span.end - span.first);
        total += (length + alignment - 1) / alignment * alignment;
    }
    bytes_.resize(total);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Memory::Place from = blocks.place(b);
        Memory::Place to{bytes_.data() + offsets[b], from.count, from.type};
        if (from.type == MPI_BYTE) {
            if (from.count > 0)
                std::memcpy(to.address, from.address, static_cast<std::size_t>(from.count));
        } else {
            check(PMPI_Sendrecv(from.address, from.count, from.type, rank, 0, to.address, to.count,
                                to.type, rank, 0, comm, MPI_STATUS_IGNORE));
        }
        places_.push_back(to);
    }
}

}  // namespace espalier::runtime
