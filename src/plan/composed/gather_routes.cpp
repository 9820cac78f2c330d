#include "plan/composed/gather_routes.hpp"

#include "core/infinity.hpp"
#include "plan/composed/bookings.hpp"
#include "plan/composed/clusters.hpp"

#include <algorithm>

namespace espalier::plan::composed {

namespace {

class Routes {
public:
    Routes(const Problem& problem, const std::vector<std::uint64_t>& blocks)
        : blocks_(blocks),
          bookings_(*problem.fabric, problem.ports),
          clusters_(innermost_clusters(problem)),
          cluster_of_(blocks.size()),
          place_(blocks.size()) {
        for (std::size_t cluster = 0; cluster < clusters_.size(); ++cluster)
            for (std::size_t place = 0; place < clusters_[cluster].size(); ++place) {
                cluster_of_[clusters_[cluster][place]] = cluster;
                place_[clusters_[cluster][place]] = place;
            }
        for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
            held_.emplace_back(clusters_.size());
            held_.back()[cluster_of_[rank]] = {rank, 0};
            go_round(rank, rank);
        }
    }

    std::vector<schedule::Transfer> run() {
        // By turns, so that what leaves a cluster is spread over its ranks.
        std::size_t longest = 0;
        for (const auto& cluster : clusters_) longest = std::max(longest, cluster.size());
        for (std::size_t turn = 1; turn < clusters_.size(); ++turn)
            for (std::size_t place = 0; place < longest; ++place)
                for (const auto& cluster : clusters_)
                    if (place < cluster.size()) deliver(cluster[place]);
        return std::move(transfers_);
    }

private:
    /// Which rank of a cluster has a block first, and when.
    struct Holder {
        std::size_t rank = 0;
        double since = never;
    };

    /// To the cluster that it reaches the soonest.
    void deliver(std::size_t block) {
        auto& held = held_[block];
        const Bytes bytes(blocks_[block]);
        Holder from;
        Holder to;
        for (std::size_t c = 0; c < clusters_.size(); ++c) {
            if (held[c].since < never) continue;
            const std::size_t entry = *std::ranges::min_element(
                clusters_[c], {}, [&](std::size_t rank) { return bookings_.in_free(rank); });
            for (const Holder& holder : held) {
                if (holder.since == never) continue;
                const double end = bookings_.look(holder.rank, entry, bytes, holder.since).end;
                if (end >= to.since) continue;
                from = holder;
                to = {entry, end};
            }
        }
        (void)bookings_.book(from.rank, to.rank, bytes, from.since);
        held[cluster_of_[to.rank]] = to;
        transfers_.push_back({.from = from.rank, .to = to.rank, .chunk = block});
        go_round(block, to.rank);
    }

    void go_round(std::size_t block, std::size_t entry) {
        const auto& cluster = clusters_[cluster_of_[entry]];
        std::size_t from = entry;
        for (std::size_t step = 1; step < cluster.size(); ++step) {
            const std::size_t to = cluster[(place_[entry] + step) % cluster.size()];
            transfers_.push_back({.from = from, .to = to, .chunk = block});
            from = to;
        }
    }

    const std::vector<std::uint64_t>& blocks_;
    Bookings bookings_;
    std::vector<std::vector<std::size_t>> clusters_;  ///< of ranks that lie together
    std::vector<std::size_t> cluster_of_;
    std::vector<std::size_t> place_;         ///< within the cluster
    std::vector<std::vector<Holder>> held_;  ///< by block and cluster
    std::vector<schedule::Transfer> transfers_;
};

}  // namespace

std::vector<schedule::Transfer> route_to_all(const Problem& problem,
                                             const std::vector<std::uint64_t>& blocks) {
    return Routes(problem, blocks).run();
}

}  // namespace espalier::plan::composed
