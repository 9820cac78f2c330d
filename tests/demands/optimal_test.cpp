// Exact search against plain enumeration, which knows neither windows nor bounds.
#include "core/infinity.hpp"
#include "demands/exact.hpp"
#include "demands/objective.hpp"
#include "plan/exchange/list_search.hpp"
#include "simulate/simulate.hpp"
#include "support/exchange_problems.hpp"
#include "support/plan_within.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace espalier::demands {
namespace {

using test::all_times;
using test::random_times;
using test::StatedExchange;
using test::Times;

/// The least makespan of all lists of all messages, each sent as early as its ports allow. Lists
/// that begin alike share their beginning.
class EveryList {
public:
    /// non_delay: only lists by which no message waits that could start.
    enum class Kind { any, non_delay };

    explicit EveryList(const Problem& problem, Kind kind = Kind::any)
        : problem_(problem),
          kind_(kind),
          sends_(problem.nodes(), 0),
          receives_(problem.nodes(), 0) {}

    double least() {
        std::vector<std::size_t> messages(problem_.messages.size());
        std::iota(messages.begin(), messages.end(), std::size_t{0});
        extend(messages, 0, 0);
        return least_;
    }

private:
    [[nodiscard]] double start_of(std::size_t m) const {
        const Message& message = problem_.messages[m];
        return std::max(sends_[message.from], receives_[message.to] - message.latency);
    }

    void extend(std::vector<std::size_t>& messages, std::size_t done, double makespan) {
        if (makespan >= least_) return;
        if (done == messages.size()) {
            least_ = makespan;
            return;
        }
        double earliest = infinity;
        for (std::size_t next = done; next < messages.size(); ++next)
            earliest = std::min(earliest, start_of(messages[next]));
        for (std::size_t next = done; next < messages.size(); ++next) {
            if (kind_ == Kind::non_delay && start_of(messages[next]) > earliest) continue;
            std::swap(messages[done], messages[next]);
            const Message& message = problem_.messages[messages[done]];
            const double sends = sends_[message.from];
            const double receives = receives_[message.to];
            const double start = start_of(messages[done]);
            sends_[message.from] = start + message.gap;
            receives_[message.to] = start + message.duration();
            extend(messages, done + 1, std::max(makespan, receives_[message.to]));
            sends_[message.from] = sends;
            receives_[message.to] = receives;
            std::swap(messages[done], messages[next]);
        }
    }

    const Problem& problem_;
    Kind kind_;
    std::vector<double> sends_;
    std::vector<double> receives_;
    double least_ = infinity;
};

Matrix<double> random_latencies(Random& random, std::size_t nodes) {
    Matrix<double> latencies(nodes, nodes);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j) latencies(i, j) = random.uniform(0, 1.5);
    return latencies;
}

/// Keeps a random few of the messages, so that enumeration can do them all.
Matrix<double> thinned(Random& random, Matrix<double> times, std::size_t most) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < times.rows(); ++i)
        for (std::size_t j = 0; j < times.rows(); ++j)
            if (i != j && times(i, j) > 0) pairs.emplace_back(i, j);
    while (pairs.size() > most) {
        const auto gone = static_cast<std::ptrdiff_t>(random.below(pairs.size()));
        times(pairs[static_cast<std::size_t>(gone)].first,
              pairs[static_cast<std::size_t>(gone)].second) = 0;
        pairs.erase(pairs.begin() + gone);
    }
    return times;
}

TEST(OptimalExchange, is_the_best_of_all_lists_of_messages) {
    Random random(1);
    for (int round = 0; round < 12; ++round)
        for (const Times times : all_times)
            for (const bool lagging : {false, true}) {
                const std::size_t nodes = 2 + random.below(3);
                const auto gaps = thinned(random, random_times(random, nodes, times), 8);
                const StatedExchange exchange(
                    gaps, lagging ? random_latencies(random, nodes) : Matrix<double>());
                const Found found = optimal(exchange.problem(), {});
                EXPECT_TRUE(found.optimal);
                if (exchange.problem().messages.empty()) continue;
                EXPECT_NEAR(exchange.makespan(found), EveryList(exchange.problem()).least(), 1e-9);
            }
}

TEST(OptimalExchange, leaves_a_port_idle_where_that_pays) {
    Random random(2);
    int idle = 0;
    for (int round = 0; round < 30; ++round) {
        const StatedExchange exchange(thinned(random, random_times(random, 4, Times::even), 7),
                                      random_latencies(random, 4));
        const double best = exchange.makespan(optimal(exchange.problem(), {}));
        const double without = EveryList(exchange.problem(), EveryList::Kind::non_delay).least();
        EXPECT_LE(best, without * (1 + 1e-9));
        if (best < without * (1 - 1e-6)) ++idle;
    }
    EXPECT_GT(idle, 0);
}

TEST(OptimalExchange, is_proven_for_five_nodes_within_little_work) {
    Random random(3);
    for (int round = 0; round < 2; ++round)
        for (const Times times : all_times)
            for (const bool lagging : {false, true}) {
                const StatedExchange exchange(
                    random_times(random, 5, times),
                    lagging ? random_latencies(random, 5) : Matrix<double>());
                Limits limits;
                limits.work = 20'000'000;
                const Found found = optimal(exchange.problem(), limits);
                EXPECT_TRUE(found.optimal)
                    << "times " << static_cast<int>(times) << (lagging ? ", lagging" : "");
                EXPECT_GE(exchange.makespan(found), exchange.bound() * (1 - 1e-12));
                Limits short_limits;
                short_limits.work = 1000;
                EXPECT_LE(exchange.makespan(found),
                          exchange.makespan(test::plan_within(short_limits, exchange::list_search,
                                                              exchange.problem())) *
                              (1 + 1e-9));
            }
}

TEST(OptimalExchange, gives_the_best_it_has_when_its_limit_is_over) {
    Random random(4);
    const StatedExchange exchange(random_times(random, 9, Times::even),
                                  random_latencies(random, 9));
    Limits limits;
    limits.work = 1;
    const Found found = optimal(exchange.problem(), limits);
    EXPECT_FALSE(found.optimal);
    EXPECT_GT(exchange.makespan(found), 0);
}

TEST(OptimalExchange, makes_valid_schedules_at_or_above_the_bound) {
    Random random(7);
    Limits limits;
    limits.work = 30'000;
    for (int round = 0; round < 25; ++round)
        for (const Times times : all_times) {
            const std::size_t nodes = 1 + random.below(9);
            const StatedExchange exchange(
                random_times(random, nodes, times),
                random.below(2) == 0 ? random_latencies(random, nodes) : Matrix<double>(),
                1 + random.below(2));
            const Found found = optimal(exchange.problem(), limits);
            EXPECT_EQ(found.order.size(), exchange.problem().messages.size());
            EXPECT_GE(exchange.makespan(found), exchange.bound() * (1 - 1e-12));
        }
}

TEST(OptimalExchange, is_not_beaten_by_any_other_once_proven) {
    Random random(2);
    Limits limits;
    limits.work = 3'000'000;
    for (int round = 0; round < 10; ++round)
        for (const Times times : all_times) {
            const StatedExchange exchange(random_times(random, 2 + random.below(4), times));
            const Found best = optimal(exchange.problem(), limits);
            if (!best.optimal || exchange.problem().messages.empty()) continue;
            Order order = best.order;
            for (int trial = 0; trial < 20; ++trial) {
                std::swap(order[random.below(order.size())], order[random.below(order.size())]);
                EXPECT_GE(exchange.makespan({.order = order}),
                          exchange.makespan(best) * (1 - 1e-9));
            }
        }
}

TEST(OptimalExchange, of_nothing_is_nothing) {
    const StatedExchange exchange(Matrix<double>(4, 4, 0));
    const Found found = optimal(exchange.problem(), {});
    EXPECT_TRUE(found.optimal);
    EXPECT_THAT(found.order, ::testing::IsEmpty());
}

TEST(ExactSearch, prefers_what_the_score_asks_for) {
    // Against all lists, by score: deadlines first, or a critical node first, then the makespan.
    Random random(5);
    for (int round = 0; round < 40; ++round) {
        const StatedExchange exchange(thinned(random, random_times(random, 4, Times::even), 6));
        Problem problem = exchange.problem();
        problem.dues.resize(problem.messages.size());
        for (Due& due : problem.dues) {
            if (round % 2 == 0 && random.below(2) == 0) due.deadline = random.uniform(0.2, 2);
            due.priority = static_cast<double>(1 + random.below(3));
        }
        if (round % 4 == 1) problem.critical = 0;
        std::vector<std::size_t> list(problem.messages.size());
        std::iota(list.begin(), list.end(), std::size_t{0});
        std::optional<Score> best;
        do {
            const Score score = score_of(problem, ends_of(problem, direct(problem, list)));
            if (!best || better(score, *best)) best = score;
        } while (std::ranges::next_permutation(list).found);
        std::ranges::sort(list);
        Meter meter{Limits{}};
        const Found exact = search_exactly(problem, direct(problem, list), meter);
        const Score score = score_of(problem, ends_of(problem, exact.order));
        EXPECT_TRUE(exact.optimal);
        EXPECT_FALSE(better(*best, score)) << "round " << round;
        EXPECT_FALSE(better(score, *best)) << "round " << round;
    }
}

TEST(QuickTimes, are_those_of_the_simulator) {
    Random random(6);
    for (const Times times : all_times)
        for (const bool lagging : {false, true}) {
            const StatedExchange exchange(random_times(random, 7, times),
                                          lagging ? random_latencies(random, 7) : Matrix<double>());
            Found found;
            for (std::size_t m = 0; m < exchange.problem().messages.size(); ++m)
                found.order.push_back(direct(exchange.problem(), m));
            for (std::size_t h = found.order.size(); h > 1; --h)
                std::swap(found.order[h - 1], found.order[random.below(h)]);
            const auto timeline = simulate::simulate(exchange.schedule(found), exchange.fabric());
            const auto ends = ends_of(exchange.problem(), found.order);
            for (std::size_t h = 0; h < found.order.size(); ++h)
                EXPECT_NEAR(timeline.transfers[h].end.value, ends[found.order[h].message], 1e-12);
        }
}

}  // namespace
}  // namespace espalier::demands
