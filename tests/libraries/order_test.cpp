#include "libraries/order.hpp"

#include "libraries/host_files.hpp"
#include "libraries/rules.hpp"
#include "network/convert.hpp"
#include "network/eager.hpp"
#include "network/generate.hpp"
#include "plan/performance.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/rendezvous.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

namespace espalier::libraries {
namespace {

using network::GridView;
using schedule::Kind;

/// Two sites, 20 ms apart, whose hosts take turns in the list, and one host that is near neither.
network::GridNetwork alternating(std::size_t hosts) {
    network::PairwiseNetwork pairs;
    for (std::size_t i = 0; i < hosts; ++i) pairs.nodes.push_back("h" + std::to_string(i));
    pairs.startup = Matrix<std::optional<Seconds>>(hosts, hosts);
    pairs.bandwidth = Matrix<std::optional<BytesPerSecond>>(hosts, hosts);
    for (std::size_t i = 0; i < hosts; ++i)
        for (std::size_t j = 0; j < hosts; ++j) {
            if (i == j) continue;
            const bool near = i % 2 == j % 2 && i + 1 < hosts && j + 1 < hosts;
            pairs.startup(i, j) =
                Seconds(near ? 1e-4 + 1e-6 * static_cast<double>(i + 2 * j) : 0.02);
            pairs.bandwidth(i, j) = BytesPerSecond(near ? 1e8 : 1e7);
        }
    return network::to_grid(pairs);
}

OrderProblem problem_on(const GridView& view, const Library& library,
                        std::initializer_list<Kind> kinds, std::size_t slots = 1) {
    OrderProblem problem{&view, {}, slots, &library, {}};
    for (std::size_t node = 0; node < view.nodes(); ++node)
        problem.hosts.push_back(view.place_of(node));
    for (const Kind kind : kinds)
        for (const std::uint64_t bytes : {1U << 10U, 1U << 20U})
            problem.calls.push_back({kind, view.nodes() * slots, Bytes(bytes)});
    return problem;
}

/// What the calls take if host i of the order is at position i, without the search's help.
std::vector<Seconds> times_of(const OrderProblem& problem, const std::vector<std::size_t>& order) {
    std::vector<GridView::Place> places;
    for (const std::size_t host : order)
        places.insert(places.end(), problem.slots, problem.hosts[host]);
    const auto at_once = simulate::make_rank_fabric(*problem.view, places);
    const auto fabric = simulate::with_rendezvous(
        *at_once, Bytes(network::usual_eager_bytes(problem.library->name)));
    std::vector<Seconds> times;
    for (const Call& call : problem.calls)
        times.push_back(
            plan::Performance(problem.library->usual(call).pattern(call, Bytes(0))).time(*fabric));
    return times;
}

/// The least mean logarithm among all orders that make nothing slower than the first one.
double best_of_all(const OrderProblem& problem) {
    std::vector<std::size_t> order(problem.hosts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::vector<Seconds> given = times_of(problem, order);
    double best = 0;
    do {
        const std::vector<Seconds> times = times_of(problem, order);
        double mean = 0;
        bool loses = false;
        for (std::size_t c = 0; c < times.size(); ++c) {
            loses = loses || times[c] > given[c] * (1 + 1e-9);
            mean += std::log(times[c] / given[c]) / static_cast<double>(times.size());
        }
        if (!loses) best = std::min(best, mean);
    } while (std::ranges::next_permutation(order).found);
    return std::exp(-best);
}

TEST(Order, is_the_best_of_all_that_make_no_call_slower) {
    const network::GridNetwork grid = alternating(6);
    const GridView view(grid);
    for (const Library* library : {&openmpi(), &mpich()}) {
        const OrderProblem problem =
            problem_on(view, *library, {Kind::broadcast, Kind::reduce, Kind::allreduce});
        const Order found = find_order(problem, {Seconds(1e8), 1'000'000'000});
        EXPECT_NEAR(found.gain(), best_of_all(problem), 1e-6) << library->name;
        EXPECT_TRUE(library == &mpich() || found.gain() > 1.1) << library->name;
    }
}

TEST(Order, times_calls_as_they_are_in_it) {
    const network::GridNetwork grid = alternating(9);
    const GridView view(grid);
    const OrderProblem problem = problem_on(view, openmpi(), {Kind::allreduce, Kind::allgather});
    const Order found = find_order(problem, {Seconds(1e8), 10'000'000});
    std::vector<std::size_t> sorted = found.hosts;
    std::ranges::sort(sorted);
    std::vector<std::size_t> all(problem.hosts.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(sorted, all);
    const std::vector<Seconds> given = times_of(problem, all);
    const std::vector<Seconds> ordered = times_of(problem, found.hosts);
    for (std::size_t c = 0; c < given.size(); ++c) {
        EXPECT_NEAR(found.calls[c].given.value, given[c].value, 1e-12);
        EXPECT_NEAR(found.calls[c].ordered.value, ordered[c].value, 1e-12);
        EXPECT_LE(ordered[c].value, given[c].value * (1 + 1e-9));
    }
}

TEST(Rules, foresee_that_long_messages_wait_for_their_receivers) {
    const network::GridNetwork grid = alternating(9);
    const GridView view(grid);
    const OrderProblem problem = problem_on(view, openmpi(), {Kind::allreduce});
    std::vector<std::size_t> order(problem.hosts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto at_once = simulate::make_rank_fabric(view, problem.hosts);
    const Tuning tuning = tune(openmpi(), *at_once, std::array{Kind::allreduce},
                               std::array{Bytes(1 << 10), Bytes(1 << 20)}, 0.25);
    const std::vector<Seconds> usual = times_of(problem, order);
    const auto& sizes = tuning.collectives.front().sizes;
    for (std::size_t c = 0; c < usual.size(); ++c)
        EXPECT_NEAR(sizes[c].usual.value, usual[c].value, 1e-12);
    const Call& longest = problem.calls.back();
    EXPECT_GT(
        sizes.back().usual,
        plan::Performance(openmpi().usual(longest).pattern(longest, Bytes(0))).time(*at_once));
}

TEST(Order, of_a_shuffled_grid_finds_the_clusters_again) {
    network::GridNetwork grid;
    for (const char* name : {"a", "b", "c"}) grid.clusters.push_back({.name = name, .size = 8});
    const auto link = [](double latency, double rate) {
        return network::PLogP{network::CostTable(Seconds(latency)),
                              network::CostTable({{Bytes(1), Seconds(1e-6)},
                                                  {Bytes(1000001), Seconds(1e-6 + 1e6 / rate)}})};
    };
    for (auto& cluster : grid.clusters) cluster.inside = network::Cluster::Local{link(5e-5, 1e8)};
    grid.links = Matrix<std::optional<network::PLogP>>(3, 3, link(0.01, 1e7));
    const GridView view(grid);
    OrderProblem problem = problem_on(view, mpich(), {Kind::broadcast, Kind::allgather});
    std::shuffle(problem.hosts.begin(), problem.hosts.end(), std::mt19937(7));
    const Order found = find_order(problem, {Seconds(1e8), 200'000'000});
    std::size_t changes = 0;
    for (std::size_t i = 1; i < found.hosts.size(); ++i)
        changes += problem.hosts[found.hosts[i]].leaf != problem.hosts[found.hosts[i - 1]].leaf;
    EXPECT_LE(changes, 4U);
    EXPECT_GT(found.gain(), 1.3);
}

TEST(Order, of_hosts_that_are_alike_is_the_given_one) {
    network::GridNetwork grid;
    grid.clusters.push_back({.name = "a", .size = 5});
    grid.clusters[0].inside = network::Cluster::Local{
        {network::CostTable(Seconds(1e-4)), network::CostTable(Seconds(1e-5))}};
    grid.links = Matrix<std::optional<network::PLogP>>(1, 1);
    const GridView view(grid);
    const Order found =
        find_order(problem_on(view, gloo(), {Kind::allreduce}), {Seconds(1e8), 1'000'000});
    EXPECT_THAT(found.hosts, testing::ElementsAre(0, 1, 2, 3, 4));
    EXPECT_EQ(found.gain(), 1);
    EXPECT_EQ(found.tried, 1U);
}

TEST(HostFile, has_a_line_for_each_host_or_rank) {
    const std::vector<std::string> hosts{"b", "a"};
    EXPECT_EQ(find_host_file("openmpi", "--for").text(hosts, 2),
              "b slots=1\nb slots=1\na slots=1\na slots=1\n");
    EXPECT_EQ(find_host_file("openmpi-rankfile", "--for").text(hosts, 2),
              "rank 0=b slot=0\nrank 1=b slot=1\nrank 2=a slot=0\nrank 3=a slot=1\n");
    EXPECT_EQ(find_host_file("mpich", "--for").text(hosts, 2), "b:2\na:2\n");
    EXPECT_EQ(find_host_file("slurm", "--for").text(hosts, 2), "b\nb\na\na\n");
}

}  // namespace
}  // namespace espalier::libraries
