#include "runtime/neighbourhood.hpp"

#include "runtime/dealing.hpp"
#include "runtime/failure.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/topology.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

namespace espalier::runtime {

namespace {

/// The lists of all ranks, one after the other. The leader's.
struct AllLists {
    std::vector<int> ranks;
    std::vector<int> lengths;
    std::vector<int> offsets;

    template <typename Function>
    void for_each_pair(const Function& function) const {
        for (std::size_t rank = 0; rank < lengths.size(); ++rank)
            for (std::size_t k = 0; k < static_cast<std::size_t>(lengths[rank]); ++k)
                if (const int other = ranks[static_cast<std::size_t>(offsets[rank]) + k];
                    other >= 0)
                    function(rank, static_cast<std::size_t>(other));
    }
};

/// `ranks` is the number of ranks at the leader, 0 elsewhere.
AllLists gather(const std::vector<int>& own, std::size_t ranks, MPI_Comm comm) {
    const int length = static_cast<int>(own.size());
    AllLists all;
    all.lengths.resize(ranks);
    all.offsets.resize(ranks);
    check_handled(PMPI_Gather(&length, 1, MPI_INT, all.lengths.data(), 1, MPI_INT, 0, comm));
    std::exclusive_scan(all.lengths.begin(), all.lengths.end(), all.offsets.begin(), 0);
    all.ranks.resize(
        static_cast<std::size_t>(std::accumulate(all.lengths.begin(), all.lengths.end(), 0)));
    check_handled(PMPI_Gatherv(own.data(), length, MPI_INT, all.ranks.data(), all.lengths.data(),
                               all.offsets.data(), MPI_INT, 0, comm));
    return all;
}

/// Whom each rank (row) has blocks for; nullptr where some rank is a neighbour twice, or those who
/// send and those who receive do not say the same.
std::shared_ptr<const Matrix<char>> pairs_of(const AllLists& sources, const AllLists& targets) {
    const std::size_t ranks = targets.lengths.size();
    auto pairs = std::make_shared<Matrix<char>>(ranks, ranks, 0);
    Matrix<char> heard(ranks, ranks, 0);
    bool is_single = true;
    const auto enter = [&](Matrix<char>& said, std::size_t from, std::size_t to) {
        is_single = is_single && std::exchange(said(from, to), 1) == 0;
    };
    targets.for_each_pair([&](std::size_t rank, std::size_t to) { enter(*pairs, rank, to); });
    sources.for_each_pair([&](std::size_t rank, std::size_t from) { enter(heard, from, rank); });
    for (std::size_t from = 0; from < ranks; ++from)
        for (std::size_t to = 0; to < ranks; ++to)
            is_single = is_single && heard(from, to) == (*pairs)(from, to);
    if (!is_single) return nullptr;
    return pairs;
}

/// Whether edges, whichever way they go, lead from each rank to each.
bool are_joined(const Matrix<char>& pairs) {
    std::vector<bool> reached(pairs.rows());
    std::vector<std::size_t> open{0};
    reached[0] = true;
    std::size_t count = 0;
    while (!open.empty()) {
        const std::size_t rank = open.back();
        open.pop_back();
        ++count;
        for (std::size_t other = 0; other < pairs.rows(); ++other) {
            if (reached[other] || (pairs(rank, other) == 0 && pairs(other, rank) == 0)) continue;
            reached[other] = true;
            open.push_back(other);
        }
    }
    return count == pairs.rows();
}

BlockIndex index_of(const std::vector<int>& neighbours, int ranks) {
    BlockIndex index{std::vector<int>(static_cast<std::size_t>(ranks), BlockIndex::none),
                     neighbours.size()};
    for (std::size_t k = 0; k < neighbours.size(); ++k)
        if (neighbours[k] >= 0)
            index.of_rank[static_cast<std::size_t>(neighbours[k])] = static_cast<int>(k);
    return index;
}

}  // namespace

bool Neighbourhood::has_some(const BlockIndex& side) {
    return std::ranges::any_of(side.of_rank, [](int block) { return block != BlockIndex::none; });
}

std::shared_ptr<const Neighbourhood> Neighbourhood::agree(MPI_Comm comm, int rank, int size) {
    auto made = std::make_shared<Neighbourhood>();
    if (static_cast<std::size_t>(size) > most_ranks_of_blocks) return made;
    const auto own = neighbours_in(comm);
    if (!own) return made;
    const auto ranks = static_cast<std::size_t>(rank == 0 ? size : 0);
    const AllLists all_sources = gather(own->sources, ranks, comm);
    const AllLists all_targets = gather(own->targets, ranks, comm);
    if (rank == 0) {
        made->pairs_ = pairs_of(all_sources, all_targets);
        made->use_ = made->pairs_ == nullptr     ? Use::twice
                     : are_joined(*made->pairs_) ? Use::even
                                                 : Use::direct;
    }
    std::array word{static_cast<double>(made->use_)};
    hear_leader(word, comm);
    made->use_ = static_cast<Use>(word[0]);
    if (!made->is_planned()) return made;
    made->sources_ = index_of(own->sources, size);
    made->targets_ = index_of(own->targets, size);
    made->block_for_all_ = made->targets_;
    for (int& block : made->block_for_all_.of_rank) block = block == BlockIndex::none ? block : 0;
    made->block_for_all_.blocks = 1;
    return made;
}

}  // namespace espalier::runtime
