#include "plan/composed/gathers.hpp"

#include "core/infinity.hpp"
#include "plan/composed/bookings.hpp"
#include "plan/composed/by_kind.hpp"
#include "plan/composed/clusters.hpp"
#include "plan/composed/gather_routes.hpp"
#include "plan/composed/listing.hpp"
#include "plan/gather/ring_schedule.hpp"
#include "plan/gather/rings.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace espalier::plan::composed {

namespace {

using schedule::Schedule;
using Schedules = std::vector<Schedule>;

/// Of making a message from everybody for everybody.
double steps_of_all_pairs(const Problem& problem) {
    const auto ranks = static_cast<double>(problem.job->places.size());
    return ranks * ranks * steps_a_look;
}

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
Schedules listed_too(Schedules candidates, const simulate::Fabric& fabric, Meter& meter) {
    const std::size_t count = candidates.size();
    for (std::size_t c = 0; c < count; ++c) {
        const std::uint64_t steps = steps_of_listing(candidates[c]);
        if (!meter.affords(static_cast<double>(steps))) break;
        meter.spend(steps);
        candidates.push_back(candidates[c]);
        (void)list_greedily(candidates.back(), fabric);
    }
    return candidates;
}

/// Blocks of each subtree go up as one message.
void collect(Schedule& schedule, const ClusterRanks& cluster) {
    const auto& order = cluster.walk.order;
    for (auto node = order.rbegin(); node != order.rend(); ++node)
        if (*node != cluster.coordinator())
            send(schedule, *node, cluster.tree.parent[*node], cluster.chunk_of(*node),
                 cluster.chunk_of(*node) + cluster.walk.size[*node]);
}

/// Down the tree goes what of chunks [first, end) has not come up: at most two messages an edge.
void spread_rest(Schedule& schedule, const ClusterRanks& cluster, std::size_t first,
                 std::size_t end) {
    for (const std::size_t node : cluster.walk.order) {
        if (node == cluster.coordinator()) continue;
        const std::size_t own = cluster.chunk_of(node);
        const std::size_t own_end = own + cluster.walk.size[node];
        const std::size_t parent = cluster.tree.parent[node];
        send(schedule, parent, node, first, std::min(end, std::max(first, own)));
        send(schedule, parent, node, std::max(first, std::min(end, own_end)), end);
    }
}

/// One cluster's blocks from one cluster's coordinator to another's.
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
            const auto cost =
                problem.fabric->cost(clusters[from].coordinator(), clusters[to].coordinator(),
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
std::vector<Delivery> through_others(const Problem& problem,
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
                    const double end =
                        bookings
                            .look(clusters[from].coordinator(), clusters[to].coordinator(),
                                  Bytes(clusters[origin].bytes), held(origin, from))
                            .end;
                    if (end >= soonest) continue;
                    soonest = end;
                    best = {origin, from, to};
                }
        held(best.origin, best.to) =
            bookings
                .book(clusters[best.from].coordinator(), clusters[best.to].coordinator(),
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
        send(schedule, clusters[delivery.from].coordinator(), clusters[delivery.to].coordinator(),
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

Schedules all_by_routes(const Problem& problem, Meter& meter) {
    const double steps = steps_of_all_pairs(problem) * steps_a_listed_transfer / steps_a_look;
    if (!meter.affords(steps)) return {};
    meter.spend(static_cast<std::uint64_t>(steps));
    Schedules found;
    Schedule schedule = gather_of(problem, in_rank_order(problem));
    schedule.transfers = route_to_all(problem, block_sizes(problem));
    (void)list_greedily(schedule, *problem.fabric);
    found.push_back(std::move(schedule));
    return found;
}

}  // namespace

Schedules gather_by_levels(const Problem& problem, Meter& meter) {
    const std::size_t ranks = problem.job->places.size();
    Schedules found;
    for (std::size_t depth = 1; depth <= 2; ++depth) {
        const auto members = members_at(*problem.site, depth).size();
        if (members < 2 || members == ranks) continue;
        for (const std::size_t radix : {std::size_t{2}, ranks}) {
            if (!found.empty() && meter.over()) return found;
            meter.spend(steps_a_look * (ranks + members * members));
            const auto clusters = clusters_at(problem, depth, radix);
            std::vector<std::vector<Delivery>> variants{straight(problem, clusters)};
            if (members > 2) {
                variants.push_back(round_a_ring(clusters));
                const double steps = std::pow(static_cast<double>(members), 5) * steps_a_look;
                if (meter.affords(steps)) {
                    meter.spend(static_cast<std::uint64_t>(steps));
                    variants.push_back(through_others(problem, clusters));
                }
            }
            for (const auto& deliveries : variants)
                for (const bool pipelined : {false, true})
                    found.push_back(level_schedule(problem, clusters, deliveries, pipelined));
        }
    }
    return found;
}

Schedules gather_at_centre(const Problem& problem, Meter& meter) {
    const std::size_t ranks = problem.job->places.size();
    const auto blocks = block_sizes(problem);
    constexpr std::size_t tried = 2;
    const auto coordinators = coordinators_of(problem, 0);
    auto left = static_cast<double>(2 * coordinators.size());
    Schedules found;
    for (const std::size_t radix : {std::size_t{2}, ranks}) {
        std::vector<std::pair<double, Tree>> trees;
        for (const std::size_t centre : coordinators) {
            if (!trees.empty() && meter.over()) break;
            Tree tree = tree_by_levels(problem, centre, radix);
            Meter own(meter.share(1 / left--));
            move_subtrees(tree, coordinators_of(problem, centre), *problem.fabric, blocks, own);
            meter.spend(own.spent());
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

Schedules direct_to_all(const Problem& problem, Meter& meter) {
    const std::size_t ranks = problem.job->places.size();
    const double steps = steps_of_all_pairs(problem);
    if (!problem.request->direct && !meter.affords(steps)) return {};
    meter.spend(static_cast<std::uint64_t>(steps));
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

Schedules gather_by_doubling(const Problem& problem, Meter&) {
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

Schedules gather_round_rings(const Problem& problem, Meter& meter) {
    Schedules found;
    const double steps = steps_of_all_pairs(problem);
    if (problem.job->places.size() < 2 || !meter.affords(steps)) return {};
    meter.spend(static_cast<std::uint64_t>(steps));
    const auto ring = gather::make_problem(*problem.fabric, problem.request->bytes);
    for (const gather::Planner make : {gather::by_slowest_step, gather::by_sum}) {
        const auto order =
            meter.lend(found.empty() ? 0.5 : 1, [&](Meter& own) { return make(ring, own); });
        Schedule schedule = gather_of(problem, in_rank_order(problem));
        schedule.transfers = gather::make_ring_schedule(order, Bytes(0), {}, {}).transfers;
        found.push_back(std::move(schedule));
    }
    return found;
}

Schedules gather_by_routes(const Problem& problem, Meter& meter) {
    return listed_too(as_asked(problem, meter, all_by_routes), *problem.fabric, meter);
}

}  // namespace espalier::plan::composed
