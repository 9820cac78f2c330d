#include "plan/composed/gathers.hpp"

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "plan/composed/bookings.hpp"
#include "plan/composed/clusters.hpp"
#include "plan/composed/gather_routes.hpp"
#include "plan/composed/listing.hpp"
#include "plan/composed/mirrored.hpp"
#include "plan/gather/ring_schedule.hpp"
#include "plan/gather/rings.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace espalier::plan::composed {

namespace {

using schedule::Kind;
using schedule::Schedule;
using Schedules = std::vector<Schedule>;

/// No more than so many transfers; plans of more would take too long to make and to hand out.
constexpr std::size_t most_transfers = 300'000;

/// Chunk i is the block of order[i].
Schedule gather_of(const Problem& problem, const std::vector<std::size_t>& order) {
    const auto blocks = block_sizes(problem);
    Schedule schedule = empty_schedule(problem);
    for (const std::size_t rank : order)
        schedule.chunks.push_back({Bytes(blocks[rank]), 1, rank, std::nullopt});
    return schedule;
}

std::vector<std::size_t> in_rank_order(const Problem& problem) {
    std::vector<std::size_t> order(problem.job->places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

void send(Schedule& schedule, std::size_t from, std::size_t to, std::size_t first,
          std::size_t end) {
    if (first < end)
        schedule.transfers.push_back(
            {.from = from, .to = to, .chunk = first, .chunks = end - first});
}

/// As they are, and listed greedily.
Schedules both_ways(Schedules candidates, const simulate::Fabric& fabric) {
    const std::size_t count = candidates.size();
    for (std::size_t c = 0; c < count; ++c) {
        candidates.push_back(candidates[c]);
        (void)list_greedily(candidates.back(), fabric);
    }
    return candidates;
}

/// Blocks of each subtree go up as one message.
void collect(Schedule& schedule, const ClusterRanks& cluster) {
    const auto& order = cluster.walk.order;
    for (auto node = order.rbegin(); node != order.rend(); ++node)
        if (*node != cluster.speaker())
            send(schedule, *node, cluster.tree.parent[*node], cluster.chunk_of(*node),
                 cluster.chunk_of(*node) + cluster.walk.size[*node]);
}

/// Down the tree goes what of chunks [first, end) has not come up: at most two messages an edge.
void spread_rest(Schedule& schedule, const ClusterRanks& cluster, std::size_t first,
                 std::size_t end) {
    for (const std::size_t node : cluster.walk.order) {
        if (node == cluster.speaker()) continue;
        const std::size_t own = cluster.chunk_of(node);
        const std::size_t own_end = own + cluster.walk.size[node];
        const std::size_t parent = cluster.tree.parent[node];
        send(schedule, parent, node, first, std::min(end, std::max(first, own)));
        send(schedule, parent, node, std::max(first, std::min(end, own_end)), end);
    }
}

/// One cluster's blocks from one speaker to another.
struct Delivery {
    std::size_t origin = 0;  ///< cluster, as the others
    std::size_t from = 0;
    std::size_t to = 0;
};

/// Each cluster's blocks to each other, straight, the far ones first.
std::vector<Delivery> straight(const Problem& problem, const std::vector<ClusterRanks>& clusters) {
    std::vector<std::tuple<double, std::size_t, Delivery>> ordered;
    for (std::size_t from = 0; from < clusters.size(); ++from)
        for (std::size_t step = 1; step < clusters.size(); ++step) {
            const std::size_t to = (from + step) % clusters.size();
            const auto cost = problem.fabric->cost(clusters[from].speaker(), clusters[to].speaker(),
                                                   Bytes(clusters[from].bytes));
            ordered.push_back({-cost.latency.value, step, {from, from, to}});
        }
    std::ranges::stable_sort(ordered, {}, [](const auto& entry) {
        return std::pair(std::get<0>(entry), std::get<1>(entry));
    });
    std::vector<Delivery> deliveries;
    for (const auto& entry : ordered) deliveries.push_back(std::get<2>(entry));
    return deliveries;
}

/// Always the one that is over first, passed on by whoever has it.
std::vector<Delivery> by_way_of_others(const Problem& problem,
                                       const std::vector<ClusterRanks>& clusters) {
    Bookings bookings(*problem.fabric, problem.ports);
    Matrix<double> held(clusters.size(), clusters.size(), never);  // cluster's blocks, by whom
    const auto blocks = block_sizes(problem);
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        Tree tree = clusters[c].tree;
        held(c, c) = order_by_tails(tree, *problem.fabric, blocks);
    }
    std::vector<Delivery> deliveries;
    while (deliveries.size() < clusters.size() * (clusters.size() - 1)) {
        Delivery best;
        double soonest = never;
        for (std::size_t origin = 0; origin < clusters.size(); ++origin)
            for (std::size_t from = 0; from < clusters.size(); ++from)
                for (std::size_t to = 0; to < clusters.size(); ++to) {
                    if (held(origin, from) == never || held(origin, to) < never) continue;
                    const double end = bookings
                                           .look(clusters[from].speaker(), clusters[to].speaker(),
                                                 Bytes(clusters[origin].bytes), held(origin, from))
                                           .end;
                    if (end >= soonest) continue;
                    soonest = end;
                    best = {origin, from, to};
                }
        held(best.origin, best.to) =
            bookings
                .book(clusters[best.from].speaker(), clusters[best.to].speaker(),
                      Bytes(clusters[best.origin].bytes), held(best.origin, best.from))
                .end;
        deliveries.push_back(best);
    }
    return deliveries;
}

/// Each cluster passes on to the next one what it got last.
std::vector<Delivery> round_a_ring(const std::vector<ClusterRanks>& clusters) {
    std::vector<Delivery> deliveries;
    const std::size_t size = clusters.size();
    for (std::size_t step = 0; step + 1 < size; ++step)
        for (std::size_t from = 0; from < size; ++from)
            deliveries.push_back({(from + size - step) % size, from, (from + 1) % size});
    return deliveries;
}

Schedule level_schedule(const Problem& problem, const std::vector<ClusterRanks>& clusters,
                        const std::vector<Delivery>& deliveries, bool pipelined) {
    std::vector<std::size_t> order;
    for (const auto& cluster : clusters)
        order.insert(order.end(), cluster.walk.order.begin(), cluster.walk.order.end());
    Schedule schedule = gather_of(problem, order);
    for (const auto& cluster : clusters) collect(schedule, cluster);
    for (const auto& cluster : clusters)
        if (pipelined) spread_rest(schedule, cluster, cluster.first, cluster.end());
    for (const Delivery& delivery : deliveries)
        send(schedule, clusters[delivery.from].speaker(), clusters[delivery.to].speaker(),
             clusters[delivery.origin].first, clusters[delivery.origin].end());
    if (!pipelined) {
        for (const auto& cluster : clusters) spread_rest(schedule, cluster, 0, order.size());
        return schedule;
    }
    for (const Delivery& delivery : deliveries)
        spread_rest(schedule, clusters[delivery.to], clusters[delivery.origin].first,
                    clusters[delivery.origin].end());
    return schedule;
}

Schedules all_by_levels(const Problem& problem) {
    const std::size_t ranks = problem.job->places.size();
    constexpr std::size_t most_clusters = 16;  // for what is searched
    Schedules found;
    for (std::size_t depth = 1; depth <= 2; ++depth) {
        const auto members = members_at(*problem.site, depth).size();
        if (members < 2 || members == ranks || (depth == 2 && members > most_clusters)) continue;
        for (const LevelShape shape : {LevelShape{ranks, 2}, LevelShape{ranks, ranks}}) {
            const auto clusters = clusters_at(problem, depth, shape);
            std::vector<std::vector<Delivery>> ways{straight(problem, clusters)};
            if (members <= most_clusters && members > 2) {
                ways.push_back(by_way_of_others(problem, clusters));
                ways.push_back(round_a_ring(clusters));
            }
            for (const auto& way : ways)
                for (const bool pipelined : {false, true})
                    found.push_back(level_schedule(problem, clusters, way, pipelined));
        }
    }
    return found;
}

Schedules all_at_centre(const Problem& problem) {
    const std::size_t ranks = problem.job->places.size();
    const auto blocks = block_sizes(problem);
    constexpr std::size_t most_centres = 16;
    constexpr std::size_t tried = 2;
    auto centres = speakers_of(problem, 0);
    if (centres.size() > most_centres) centres.resize(most_centres);
    Schedules found;
    for (const LevelShape shape : {LevelShape{ranks, 2}, LevelShape{ranks, ranks}}) {
        std::vector<std::pair<double, Tree>> trees;
        for (const std::size_t centre : centres) {
            Tree tree = tree_by_levels(problem, centre, shape);
            move_subtrees(tree, speakers_of(problem, centre), *problem.fabric, blocks);
            const double time = order_by_tails(tree, *problem.fabric, blocks);
            trees.emplace_back(time, std::move(tree));
        }
        std::ranges::stable_sort(trees, {}, [](const auto& entry) { return entry.first; });
        for (std::size_t t = 0; t < std::min(tried, trees.size()); ++t) {
            const Walk walk = walk_over(trees[t].second);
            const ClusterRanks all{trees[t].second, walk, 0, 0};
            Schedule schedule = gather_of(problem, walk.order);
            collect(schedule, all);
            spread_rest(schedule, all, 0, ranks);
            found.push_back(std::move(schedule));
        }
    }
    return found;
}

Schedules all_direct(const Problem& problem) {
    const std::size_t ranks = problem.job->places.size();
    if (ranks * ranks > most_transfers) return {};
    struct Send {
        double latency;
        std::size_t apart;  ///< in ranks
        std::size_t step;
        schedule::Transfer transfer;
    };
    std::vector<Send> sends;
    const auto blocks = block_sizes(problem);
    for (std::size_t from = 0; from < ranks; ++from)
        for (std::size_t step = 1; step < ranks; ++step) {
            const std::size_t to = (from + step) % ranks;
            const auto cost = problem.fabric->cost(from, to, Bytes(blocks[from]));
            sends.push_back({cost.latency.value,
                             from < to ? to - from : from - to,
                             step,
                             {.from = from, .to = to, .chunk = from}});
        }
    Schedules found;
    const auto add = [&](auto key) {
        std::ranges::stable_sort(sends, {}, key);
        Schedule schedule = gather_of(problem, in_rank_order(problem));
        for (const Send& one : sends) schedule.transfers.push_back(one.transfer);
        found.push_back(std::move(schedule));
    };
    // Read backwards, neighbours come first, so that what is combined stays a run of ranks.
    if (problem.request->ordered)
        add([](const Send& one) { return -static_cast<double>(one.apart); });
    else
        add([](const Send& one) { return std::pair(-one.latency, one.step); });
    return found;
}

Schedules all_by_doubling(const Problem& problem) {
    const std::size_t ranks = problem.job->places.size();
    Schedule schedule = gather_of(problem, in_rank_order(problem));
    for (std::size_t held = 1; held < ranks; held *= 2) {
        const std::size_t count = std::min(held, ranks - held);
        for (std::size_t from = 0; from < ranks; ++from) {
            const std::size_t to = (from + ranks - held) % ranks;
            send(schedule, from, to, from, std::min(ranks, from + count));
            if (from + count > ranks) send(schedule, from, to, 0, from + count - ranks);
        }
    }
    return {std::move(schedule)};
}

Schedules all_by_routes(const Problem& problem) {
    const std::size_t ranks = problem.job->places.size();
    if (ranks * ranks > most_transfers) return {};
    Schedules found;
    Schedule schedule = gather_of(problem, in_rank_order(problem));
    schedule.transfers = route_to_all(problem, block_sizes(problem));
    (void)list_greedily(schedule, *problem.fabric);
    found.push_back(std::move(schedule));
    return found;
}

Schedules all_round_rings(const Problem& problem) {
    Schedules found;
    const auto blocks = block_sizes(problem);
    if (blocks.size() < 2 || blocks.size() * blocks.size() > most_transfers) return {};
    const auto ring = gather::make_problem(*problem.fabric, problem.request->bytes);
    const Limits half = Meter(problem.limits).share(0.5);
    for (const gather::Planner make : {gather::by_slowest_step, gather::by_sum}) {
        const auto order = make(ring, half).order;
        Schedule schedule = gather_of(problem, in_rank_order(problem));
        schedule.transfers = gather::make_ring_schedule(order, Bytes(0), {}, {}).transfers;
        found.push_back(std::move(schedule));
    }
    return found;
}

/// An all-gather or its mirror.
Schedules plan(const Problem& problem, Planner planner, bool relays) {
    if (relays && problem.request->direct) return {};
    return problem.request->kind == Kind::reduce_scatter ? mirrored(problem, planner)
                                                         : planner(problem);
}

}  // namespace

Schedules direct_to_all(const Problem& problem) { return plan(problem, all_direct, false); }
Schedules gather_by_levels(const Problem& problem) { return plan(problem, all_by_levels, true); }
Schedules gather_at_centre(const Problem& problem) { return plan(problem, all_at_centre, true); }
Schedules gather_by_doubling(const Problem& problem) {
    return plan(problem, all_by_doubling, true);
}
Schedules gather_by_routes(const Problem& problem) {
    return both_ways(plan(problem, all_by_routes, true), *problem.fabric);
}
Schedules gather_round_rings(const Problem& problem) {
    return plan(problem, all_round_rings, true);
}

}  // namespace espalier::plan::composed
