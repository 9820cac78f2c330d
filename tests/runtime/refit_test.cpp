#include "runtime/logic/refit.hpp"

#include "core/random.hpp"
#include "network/grid_rates.hpp"
#include "network/json.hpp"
#include "plan/race.hpp"
#include "runtime/logic/learning.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime {
namespace {

using network::GridNetwork;
using network::GridRate;
using network::GridView;
using schedule::Kind;
using Places = std::vector<GridView::Place>;

constexpr std::uint64_t many_steps = 1'000'000'000;

/// Three sites of four hosts. Hosts send 50 MB/s, sites 10, 10 and 5 MB/s, and receive as much.
GridNetwork three_sites() {
    std::string clusters;
    for (const char* name : {"a", "b", "c"})
        clusters += std::string(clusters.empty() ? "" : ", ") + R"({"name": ")" + name +
                    R"(", "size": 4, "egress_Bps": 5e7, "ingress_Bps": 5e7, )"
                    R"("local": {"latency_s": 1e-4, "gap_s": {"1": 1e-6, "5000001": 0.100001}}})";
    const auto capacity = [](const std::string& name, const std::string& rate,
                             const std::string& pairs) {
        return R"({"name": ")" + name + R"(", "capacity_Bps": )" + rate + R"(, "pairs": [)" +
               pairs + "]}";
    };
    const std::string gap = R"({"1": 1e-6, "1000001": 0.100001})";
    const std::string slow = R"({"1": 1e-6, "1000001": 0.200001})";
    return *network::parse_network(
                R"({"format": "espalier-network", "version": 1, "model": "grid", "clusters": [)" +
                    clusters +
                    R"(], "latency_s": [[0, 5e-3, 8e-3], [5e-3, 0, 7e-3], [8e-3, 7e-3, 0]], )"
                    R"("gap_s": [[0, )" +
                    gap + ", " + slow + "], [" + gap + ", 0, " + slow + "], [" + slow + ", " +
                    slow + R"(, 0]], "shared": [)" +
                    capacity("a up", "1e7", R"(["a", "b"], ["a", "c"])") + ", " +
                    capacity("a down", "1e7", R"(["b", "a"], ["c", "a"])") + ", " +
                    capacity("b up", "1e7", R"(["b", "a"], ["b", "c"])") + ", " +
                    capacity("b down", "1e7", R"(["a", "b"], ["c", "b"])") + ", " +
                    capacity("c up", "5e6", R"(["c", "a"], ["c", "b"])") + ", " +
                    capacity("c down", "5e6", R"(["a", "c"], ["b", "c"])") + "]}",
                "test")
                .grid();
}

Places all_places(const GridView& view) {
    Places places;
    for (std::size_t node = 0; node < view.nodes(); ++node) places.push_back(view.place_of(node));
    return places;
}

schedule::Plan plan_on(const GridNetwork& grid, Kind kind, std::uint64_t bytes, std::size_t root) {
    const GridView view(grid);
    plan::Request request;
    request.kind = kind;
    request.bytes = Bytes(bytes);
    request.root = root;
    const Places places = all_places(view);
    plan::Race race = plan::race({&view, places}, request, Limits{Seconds(1e8), 3'000'000});
    EXPECT_FALSE(schedule::find_violation(race.best().plan.schedule));
    return race.best().plan;
}

/// What ranks see of a plan on a network, by clocks of their own that differ by up to a second,
/// with times that are off by up to 5%.
struct Seen {
    Seconds took;
    std::vector<Stream> streams;
};
Seen perform(const schedule::Schedule& plan, const GridNetwork& truth, Random& random) {
    const GridView view(truth);
    const auto fabric = simulate::make_rank_fabric(view, all_places(view));
    const schedule::Timeline timeline = simulate::simulate(plan, *fabric);
    const auto noise = [&] { return 0.95 + 0.1 * random.uniform(); };
    Seen seen{timeline.makespan * noise(), {}};
    std::vector<double> clocks;
    for (std::size_t rank = 0; rank < plan.nodes.size(); ++rank) clocks.push_back(random.uniform());
    std::map<std::pair<std::size_t, std::size_t>, Stream> streams;
    for (std::size_t t = 0; t < plan.transfers.size(); ++t) {
        const std::size_t from = plan.transfers[t].from;
        const std::size_t to = plan.transfers[t].to;
        const auto& times = timeline.transfers[t];
        const auto segments = static_cast<double>(plan.segments_of(plan.transfers[t]));
        const Seconds first = times.arrival + (times.end - times.arrival) * (1 / segments);
        const auto [place, is_new] =
            streams.try_emplace(std::pair(from, to), Stream{from, to, first, times.end});
        place->second.first = std::min(place->second.first, first);
        place->second.last = std::max(place->second.last, times.end);
    }
    for (auto& [pair, stream] : streams) {
        const Seconds span = (stream.last - stream.first) * noise();
        stream.first += Seconds(clocks[pair.second]);
        stream.last = stream.first + span;
        seen.streams.push_back(stream);
    }
    return seen;
}

SeenCall call_of(const schedule::Plan& plan, Seen seen) {
    // They take 1.2 times what is predicted.
    constexpr double usual = 1.2;
    for (Stream& stream : seen.streams)
        stream.last = stream.first + (stream.last - stream.first) * usual;
    return {std::make_shared<const schedule::Schedule>(plan.schedule), plan.timeline.makespan,
            plan.timeline.makespan * usual, seen.took * usual, std::move(seen.streams)};
}

Seconds time_of(const schedule::Schedule& plan, const GridNetwork& grid) {
    const GridView view(grid);
    return simulate::simulate(plan, *simulate::make_rank_fabric(view, all_places(view))).makespan;
}

/// What ranks see of a total exchange when the uplink of b carries a fifth.
SeenCall exchange_over_slow_uplink(const GridNetwork& believed, Random& random) {
    GridNetwork truth = believed;
    truth.shared[2].capacity = BytesPerSecond(2e6);  // of b
    const auto plan = plan_on(believed, Kind::alltoall, 100'000, 0);
    return call_of(plan, perform(plan.schedule, truth, random));
}

TEST(Refit, finds_the_uplink_that_changed_from_the_streams_of_one_call) {
    Random random(1);
    const GridNetwork believed = three_sites();
    const GridView view(believed);
    const std::vector calls{exchange_over_slow_uplink(believed, random)};
    const Refit found = refit(view, all_places(view), calls, many_steps).front();
    EXPECT_THAT(network::in_words(found.changes, believed), testing::HasSubstr("b up carries 0.2"));
    EXPECT_NEAR(found.grid.shared[2].capacity.value, 2e6, 0.6e6);
}

TEST(Refit, finds_nothing_where_nothing_changed) {
    Random random(1);
    const GridNetwork believed = three_sites();
    const GridView view(believed);
    for (const Kind kind : {Kind::broadcast, Kind::allgather, Kind::alltoall}) {
        const auto plan = plan_on(believed, kind, 50'000, 0);
        const Seen seen = perform(plan.schedule, believed, random);
        const std::vector calls{call_of(plan, seen)};
        const Refit found = refit(view, all_places(view), calls, many_steps).front();
        EXPECT_THAT(found.changes, testing::IsEmpty()) << name_of(kind);
    }
}

/// What each two ranks of `trips` measure, up to a tenth longer than it takes.
std::vector<RoundTrip> measured(std::vector<RoundTrip> trips, const GridNetwork& truth,
                                Random& random) {
    const GridView view(truth);
    const Places places = all_places(view);
    for (RoundTrip& trip : trips) {
        const std::size_t from = places[trip.from].leaf;
        const std::size_t to = places[trip.to].leaf;
        const Seconds time =
            view.link(from, to)->delivery(Bytes(1)) + view.link(to, from)->delivery(Bytes(1));
        trip.time = time * (1 + 0.1 * random.uniform());
    }
    return trips;
}

TEST(Refit, finds_the_latency_that_changed_by_round_trips) {
    Random random(5);
    const GridNetwork believed = three_sites();
    const GridView view(believed);
    const Places places = all_places(view);
    const GridRate a_to_c = network::link_between(view, 0, 2);
    for (const auto& [there, back] :
         {std::pair(20e-3, 20e-3), {40e-3, 0.0}, {0.0, 40e-3}, {-6e-3, -6e-3}}) {
        SCOPED_TRACE(fmt::format("{} and {}", there, back));
        GridRate c_to_a = a_to_c;
        std::swap(c_to_a.index, c_to_a.to);
        const GridNetwork truth = network::with_later(
            network::with_later(believed, a_to_c, Seconds(there)), c_to_a, Seconds(back));
        const auto plan = plan_on(believed, Kind::allreduce, 8, 0);
        SeenCall call = call_of(plan, perform(plan.schedule, truth, random));
        // Nothing but a round trip can tell.
        EXPECT_THAT(refit(view, places, std::vector{call}, many_steps).front().changes,
                    testing::IsEmpty());
        call.round_trips = measured(round_trips_of(plan.schedule, places), truth, random);
        EXPECT_THAT(call.round_trips, testing::SizeIs(testing::Ge(2U)));
        const double slower = call.took / call.usual;
        const bool is_seen = std::max(slower, 1 / slower) > 1.25;
        const Refit found = refit(view, places, std::vector{call}, many_steps).front();
        const std::string words = network::in_words(found.changes, believed);
        EXPECT_EQ(!words.empty(), is_seen) << words;
        if (!is_seen) continue;
        if (there != 0) {
            EXPECT_THAT(words, testing::HasSubstr("a to c takes"));
        }
        if (back != 0) {
            EXPECT_THAT(words, testing::HasSubstr("c to a takes"));
        }
        for (const auto& [from, to] : {std::pair(0U, 2U), std::pair(2U, 0U)})
            EXPECT_NEAR(found.grid.links(from, to)->latency(Bytes(8)).value,
                        truth.links(from, to)->latency(Bytes(8)).value, 6e-3);
        EXPECT_EQ(found.grid.links(0, 1), believed.links(0, 1));
    }
}

TEST(Refit, takes_no_latency_for_a_rate_that_changed) {
    Random random(3);
    const GridNetwork believed = three_sites();
    const GridView view(believed);
    SeenCall call = exchange_over_slow_uplink(believed, random);
    call.round_trips = measured(round_trips_of(*call.plan, all_places(view)), believed, random);
    const auto found = [&] {
        return network::in_words(
            refit(view, all_places(view), std::vector{call}, many_steps).front().changes, believed);
    };
    EXPECT_THAT(found(), testing::HasSubstr("b up carries 0.2"));
    // Round trips by busy hosts are as long as if latencies had changed, which explains less.
    for (RoundTrip& trip : call.round_trips) trip.time = trip.time * 1.5;
    EXPECT_THAT(found(), testing::HasSubstr("b up carries 0.2"));
}

TEST(Refit, looks_no_further_than_its_budget) {
    Random random(1);
    const GridNetwork believed = three_sites();
    const GridView view(believed);
    const std::vector calls{exchange_over_slow_uplink(believed, random)};
    EXPECT_THAT(refit(view, all_places(view), calls, 1000).front().changes, testing::IsEmpty());
}

TEST(Refit, rates_that_explain_as_much_do_so_with_another_change_as_well) {
    Random random(11);
    const GridNetwork believed = three_sites();
    const GridView view(believed);
    GridNetwork truth = believed;
    truth.shared[4].capacity = BytesPerSecond(1e6);  // what c sends
    truth.shared[1].capacity = BytesPerSecond(5e6);  // what a receives
    const auto plan = plan_on(believed, Kind::reduce, 100'000, 0);
    const std::vector calls{call_of(plan, perform(plan.schedule, truth, random))};
    std::vector<std::string> words;
    for (const Refit& found : refit(view, all_places(view), calls, many_steps))
        words.push_back(network::in_words(found.changes, believed));
    for (const char* first : {"c to a", "c up"})
        EXPECT_THAT(words, testing::Contains(testing::ContainsRegex(
                               std::string(first) + " carries 0.2.*, .* carries 0")))
            << first;
}

TEST(Learning, forgets_calls_that_no_change_explains_together_with_the_last_one) {
    Random random(5);
    const auto first =
        std::make_shared<const PlannableNetwork>(network::Network(three_sites()), "test");
    const GridNetwork& measured = first->view().grid();
    const Places places = all_places(first->view());
    const SeenCall slow = exchange_over_slow_uplink(measured, random);
    SeenCall fast = slow;
    fast.took = fast.predicted * 1.2;
    fast.streams.clear();
    const auto words = [&](const std::vector<Learning::Lesson>& lessons) {
        return network::in_words(lessons.front().changes, measured);
    };
    Learning learning;
    EXPECT_EQ(words(learning.learn(first, first, places, fast, false)), "");
    EXPECT_THAT(words(learning.learn(first, first, places, slow, true)),
                testing::HasSubstr("b up carries 0.2"));
    EXPECT_EQ(words(learning.learn(first, first, places, fast, true)), "");
}

/// Whatever rate changes, a few calls by plans for what was learned from the one before come to be
/// about as fast as a plan for the truth.
TEST(Refit, leads_to_plans_as_good_as_on_the_truth_in_a_few_calls) {
    constexpr std::size_t most_calls = 4;
    Random random(7);
    const GridNetwork before = three_sites();
    const PlannableNetwork first(network::Network(before), "test");
    const GridView view(before);
    const auto rates = network::rates_of(before);
    std::size_t tried = 0;
    std::size_t good = 0;
    std::string rest;
    std::size_t calls_needed = 0;
    for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::allgather,
                            Kind::alltoall, Kind::scatter})
        for (std::size_t k = 0; k < 6; ++k) {
            const GridRate& rate = rates[k];  // sites' ends
            ASSERT_EQ(rate.kind, GridRate::Kind::shared);
            const double times = k % 4 < 2 ? 0.25 : 3.0;
            const std::uint64_t bytes = schedule::combines(kind) ? 1'000'000 : 100'000;
            const std::size_t root = random.below(12);
            const GridNetwork truth = network::with_rate(before, rate, times);
            const Seconds possible = plan_on(truth, kind, bytes, root).timeline.makespan;
            auto plan = plan_on(before, kind, bytes, root);
            std::vector<SeenCall> calls;
            std::string learned;
            double ratio = time_of(plan.schedule, truth) / possible;
            while (ratio > 1.15 && calls.size() < most_calls) {
                calls.push_back(call_of(plan, perform(plan.schedule, truth, random)));
                std::vector<Learning::Lesson> lessons;
                std::vector<schedule::Plan> plans;
                std::vector<std::shared_ptr<const schedule::Schedule>> schedules;
                for (Refit& found : refit(view, all_places(view), calls, many_steps)) {
                    learned += "; " + network::in_words(found.changes, before);
                    plans.push_back(plan_on(found.grid, kind, bytes, root));
                    schedules.push_back(
                        std::make_shared<const schedule::Schedule>(plans.back().schedule));
                    lessons.push_back(
                        {std::make_shared<PlannableNetwork>(first, std::move(found.grid)), 1, {}});
                }
                plan = plans[best_over_all(schedules, lessons, all_places(view))];
                ratio = time_of(plan.schedule, truth) / possible;
            }
            ++tried;
            calls_needed += calls.size();
            if (ratio <= 1.15)
                ++good;
            else
                rest += fmt::format("{} root {}: {} carries {} times as much{}: {:.2f}\n",
                                    name_of(kind), root, network::name_of(rate, before), times,
                                    learned, ratio);
        }
    EXPECT_EQ(tried, 36U);
    EXPECT_EQ(good, tried) << rest;
    EXPECT_LE(calls_needed, 6U) << "what explains as much was taken for what it was not";
}

}  // namespace
}  // namespace espalier::runtime
