// Broadcast plans on random grids: each is valid, timed by the simulator, within its bound, and
// survives the way through a file; a falsified file does not.

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "plan/algorithm.hpp"
#include "plan/check_plan.hpp"
#include "plan/site.hpp"
#include "schedule/json.hpp"
#include "schedule/validate.hpp"
#include "simulate/bounds.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "simulate/transposed.hpp"
#include "support/racing.hpp"
#include "support/random_grids.hpp"
#include "support/random_jobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

namespace espalier::plan {
namespace {

using network::GridNetwork;
using network::GridView;
using schedule::Kind;
using schedule::Plan;
using schedule::StatedPlan;
using test::random_grid;
using test::random_job;

std::vector<Segmenting> segmentings(Bytes bytes) {
    return {{Segmenting::Mode::none, {}},
            {Segmenting::Mode::automatic, {}},
            {Segmenting::Mode::fixed, Bytes(std::max<std::uint64_t>(1, bytes.value / 7))}};
}

std::vector<std::string> grid_names() {
    std::vector<std::string> names;
    for (const Algorithm& algorithm : algorithms())
        if (algorithm.family == Family::grid) names.emplace_back(algorithm.name);
    return names;
}

/// Either collective, if the algorithm makes both.
Kind random_kind(Random& random, const std::string& name) {
    const Kind kind = random.below(2) == 0 ? Kind::broadcast : Kind::reduce;
    const auto& collectives = find_algorithm(Family::grid, name)->collectives;
    return std::ranges::count(collectives, kind) > 0 ? kind : collectives.front();
}

constexpr std::uint64_t kSizes[] = {0, 1, 777, 65536, 1 << 20};

/// What must hold of any plan.
void expect_sound(const Ranked& plan, const Job& job, const Request& request) {
    const Plan& ranks = plan.plan;
    ASSERT_EQ(schedule::find_violation(ranks.schedule).value_or(schedule::Violation{}).what, "");
    EXPECT_EQ(ranks.schedule.collective.kind, request.kind);
    EXPECT_EQ(ranks.schedule.collective.root, request.root);
    EXPECT_EQ(ranks.schedule.collective.bytes, request.bytes);
    EXPECT_EQ(ranks.schedule.nodes.size(), job.places.size());
    const std::set<std::string> names(ranks.schedule.nodes.begin(), ranks.schedule.nodes.end());
    EXPECT_EQ(names.size(), job.places.size());
    const auto fabric = simulate::make_rank_fabric(*job.view, job.places);
    const auto timeline = simulate::simulate(ranks.schedule, *fabric);
    ASSERT_DOUBLE_EQ(timeline.makespan.value, ranks.timeline.makespan.value);
    for (std::size_t t = 0; t < timeline.transfers.size(); ++t) {
        ASSERT_DOUBLE_EQ(timeline.transfers[t].start.value,
                         ranks.timeline.transfers[t].start.value);
        ASSERT_DOUBLE_EQ(timeline.transfers[t].end.value, ranks.timeline.transfers[t].end.value);
    }
    for (std::size_t rank = 0; rank < job.places.size(); ++rank)
        ASSERT_DOUBLE_EQ(timeline.completion[rank].value, ranks.timeline.completion[rank].value);
    EXPECT_DOUBLE_EQ(plan.by_cluster().timeline.makespan.value, timeline.makespan.value);
    const auto transpose = simulate::transposed(*fabric);
    const auto& seen = request.kind == Kind::reduce ? *transpose : *fabric;
    const auto bound = [&](schedule::BoundScope scope) {
        Meter meter(simulate::bound_budget);
        return simulate::broadcast_bound(seen, request.root, request.bytes, scope, {},
                                         *request.ports, meter)
            .value;
    };
    EXPECT_LE(bound(schedule::BoundScope::any), timeline.makespan.value * (1 + 1e-9));
    // A search may know a better one.
    EXPECT_GE(ranks.lower_bound.value, bound(ranks.scope) * (1 - 1e-12));
    EXPECT_LE(ranks.lower_bound.value, timeline.makespan.value * (1 + 1e-9));
    EXPECT_EQ(ranks.optimal,
              ranks.timeline.makespan.value <= ranks.lower_bound.value * (1 + 1e-12));
}

TEST(PlanBroadcastProperty, every_algorithm_and_cut_gives_a_valid_plan_of_its_own_simulated_time) {
    Random random(21);
    for (int n = 0; n < 25; ++n) {
        const GridNetwork grid = random_grid(random, {});
        const GridView view(grid);
        const Job job = random_job(random, view);
        for (const auto& name : grid_names()) {
            Request request;
            request.root = random.below(job.places.size());
            request.bytes = Bytes(kSizes[random.below(5)]);
            request.algorithm = name;
            request.segmenting = segmentings(request.bytes)[random.below(3)];
            request.ports = 1 + random.below(6) / 3;
            request.kind = random_kind(random, name);
            SCOPED_TRACE(::testing::Message() << "trial " << n << ", " << name << ", "
                                              << request.bytes.value << " bytes");
            ASSERT_NO_FATAL_FAILURE(expect_sound(ranked_best(job, request), job, request));
        }
    }
}

TEST(PlanBroadcastProperty, auto_is_no_worse_than_any_algorithm_cut_the_same_way) {
    Random random(22);
    for (int n = 0; n < 18; ++n) {
        const GridNetwork grid = random_grid(random, {.nested = false});
        const GridView view(grid);
        const Job job = random_job(random, view);
        Request request;
        request.kind = n % 3 == 0 ? Kind::reduce : Kind::broadcast;
        request.root = random.below(job.places.size());
        request.bytes = Bytes(kSizes[random.below(5)]);
        for (const auto& segmenting : segmentings(request.bytes)) {
            request.segmenting = segmenting;
            request.algorithm = "auto";
            const Ranked best = ranked_best(job, request);
            ASSERT_NO_FATAL_FAILURE(expect_sound(best, job, request));
            for (const auto& name : grid_names()) {
                // In one cluster a local strategy of that name is meant, which may ignore the cut.
                const bool local = site_of(job).members.size() == 1 &&
                                   find_algorithm(Family::local, name) != nullptr;
                if (name == "grid-unaware" || local) continue;
                if (!find_algorithm(Family::grid, name)->by_default) continue;
                request.algorithm = name;
                EXPECT_LE(best.plan.timeline.makespan.value,
                          ranked_best(job, request).plan.timeline.makespan.value * (1 + 1e-9))
                    << "trial " << n << ", " << name << ", " << request.bytes.value
                    << " bytes, mode " << static_cast<int>(segmenting.mode);
            }
        }
    }
}

TEST(PlanBroadcastProperty, whole_messages_between_clusters_take_what_the_heuristic_thinks) {
    Random random(23);
    for (int n = 0; n < 60; ++n) {
        const GridNetwork grid =
            random_grid(random, {.nested = false, .shared = false, .known = true});
        const GridView view(grid);
        const Job job = Job::everywhere(view);
        Request request;
        request.root = random.below(job.places.size());
        request.bytes = Bytes(kSizes[random.below(5)]);
        for (const auto& name : grid_names()) {
            if (name == "grid-unaware") continue;
            if (!serves(*find_algorithm(Family::grid, name), Kind::broadcast)) continue;
            request.algorithm = name;
            const Ranked plan = ranked_best(job, request);
            grid::Problem problem;
            const std::size_t size = grid.size();
            problem.root = view.leaves()[view.place_of(request.root).leaf].path.front();
            problem.gap = {size, size};
            problem.latency = {size, size};
            for (std::size_t i = 0; i < size; ++i) {
                const auto* known =
                    std::get_if<network::Cluster::KnownBroadcast>(&grid.clusters[i].inside);
                problem.inner.push_back(known == nullptr ? 0 : known->time.value);
                for (std::size_t j = 0; j < size; ++j) {
                    if (i == j) continue;
                    problem.gap(i, j) = grid.links(i, j)->gap(request.bytes).value;
                    problem.latency(i, j) = grid.links(i, j)->latency(request.bytes).value;
                }
            }
            const auto& make = find_algorithm(Family::grid, name)->make;
            const auto* searcher = std::get_if<grid::Searcher>(&make);
            Meter meter(standard_budget(size));
            const auto order = searcher != nullptr
                                   ? (*searcher)(problem, meter).order
                                   : std::get<grid::Order (*)(const grid::Problem&)>(make)(problem);
            ASSERT_NEAR(plan.by_cluster().timeline.makespan.value, grid::makespan(problem, order),
                        1e-9 * grid::makespan(problem, order))
                << "trial " << n << ", " << name;
            EXPECT_FALSE(plan.clusters);
            EXPECT_LE(plan.by_cluster().lower_bound.value,
                      plan.by_cluster().timeline.makespan.value * (1 + 1e-9));
        }
    }
}

StatedPlan through_a_file(const Plan& plan) {
    return schedule::parse_schedule(to_text(schedule::to_json(plan)), "plan.json");
}

std::string fault_of(const StatedPlan& stated, const network::Network& network) {
    return check_plan(stated, network, "plan.json").violation.value_or("");
}

/// Everything that could be claimed falsely: times that are too early, and transfers that are
/// missing or come in another order than the data do.
void expect_falsifications_to_fail(Random& random, const Plan& plan,
                                   const network::Network& network, bool times_are_certain) {
    const Json document = schedule::to_json(plan);
    const auto verdict = [&](const Json& changed) -> std::string {
        try {
            return fault_of(schedule::parse_schedule(changed.dump(), "plan.json"), network);
        } catch (const InputError& fault) {
            return fault.what();
        }
    };
    const auto expect_failure = [&](const Json& changed, const std::string& what) {
        EXPECT_NE(verdict(changed), "") << what << "\n" << document.dump();
    };
    const auto lowered = [&](const Json& number) { return number.get<double>() * 0.98; };
    Json changed = document;
    changed["makespan"] = lowered(document["makespan"]);
    if (document["makespan"].get<double>() > 0) expect_failure(changed, "makespan");
    for (const char* list : {"transfers", "local"}) {
        if (!times_are_certain || !document.contains(list) || document[list].empty()) continue;
        const std::size_t index = random.below(document[list].size());
        for (const char* name : {"start", "end"}) {
            if (document[list][index][name].get<double>() == 0) continue;
            changed = document;
            changed[list][index][name] = lowered(document[list][index][name]);
            double end = 0;
            for (const char* each : {"transfers", "local"})
                if (changed.contains(each))
                    for (const auto& entry : changed[each])
                        end = std::max(end, entry["end"].get<double>());
            changed["makespan"] = end;
            expect_failure(changed, std::string(list) + " " + std::to_string(index) + " " + name);
        }
    }
    if (document["transfers"].empty()) return;
    changed = document;
    const std::size_t dropped = random.below(document["transfers"].size());
    changed["transfers"].erase(dropped);
    if (!document["transfers"][dropped].contains("after"))
        expect_failure(changed, "without transfer " + std::to_string(dropped));
    // The first transfer of a broadcast serves someone whom the others build upon, and the last one
    // of a reduction takes to the root what someone got before.
    const bool reduces = document["collective"] == "reduce";
    const Json& relay =
        reduces ? document["transfers"].front()["to"] : document["transfers"].back()["from"];
    if (document["transfers"].size() > 1 && relay != document["root"]) {
        changed = document;
        std::swap(changed["transfers"].front(), changed["transfers"].back());
        expect_failure(changed, "first and last swapped");
    }
}

TEST(PlanBroadcastProperty, plans_pass_their_check_after_a_file_and_falsified_ones_do_not) {
    Random random(24);
    for (int n = 0; n < 120; ++n) {
        const GridNetwork grid =
            random_grid(random, {.nested = n % 3 == 0, .shared = n % 4 == 0, .known = n % 5 == 0});
        const network::Network network(grid);
        const GridView view(*network.grid());
        const Job job = Job::everywhere(view);
        Request request;
        request.root = random.below(job.places.size());
        request.bytes = Bytes(kSizes[random.below(5)]);
        const auto names = grid_names();
        request.algorithm = names[random.below(names.size())];
        if (n % 5 == 0 && request.algorithm == "grid-unaware") continue;
        request.segmenting = segmentings(request.bytes)[random.below(3)];
        request.ports = 1 + random.below(6) / 3;
        request.kind = random_kind(random, request.algorithm);
        SCOPED_TRACE(::testing::Message()
                     << "trial " << n << ", " << request.algorithm << ", " << request.bytes.value
                     << " bytes, mode " << static_cast<int>(request.segmenting.mode));
        const Ranked plan = ranked_best(job, request);
        // Who shares a capacity may divide it in other ways; and of a cluster that is a grid
        // itself, a plan between clusters does not say who sends to whom.
        const bool shared = n % 4 == 0;
        const bool nested = n % 3 == 0;
        EXPECT_EQ(fault_of(through_a_file(plan.by_cluster()), network), "");
        expect_falsifications_to_fail(random, plan.by_cluster(), network, !shared && !nested);
        if (plan.plan.schedule.nodes.size() < job.places.size()) continue;
        EXPECT_EQ(fault_of(through_a_file(plan.plan), network), "");
        expect_falsifications_to_fail(random, plan.plan, network, !shared);
    }
}

}  // namespace
}  // namespace espalier::plan
