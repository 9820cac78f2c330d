#include "replay.hpp"

#include "core/expectations.hpp"
#include "questions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace espalier::bench {

namespace {

using Latencies = Matrix<Seconds>;

/// The pairs of one sender, and those of one receiver.
std::vector<std::vector<std::size_t>> ends_of_pairs(std::size_t nodes) {
    std::vector<std::vector<std::size_t>> ends(2, std::vector<std::size_t>(nodes * nodes));
    for (std::size_t pair = 0; pair < nodes * nodes; ++pair) {
        ends[0][pair] = pair / nodes;
        ends[1][pair] = pair % nodes;
    }
    return ends;
}

/// What one policy knows of the pairs' latencies, and what it pays for that.
class Watcher {
public:
    Watcher(const ReplaySettings& settings, const Latencies& first)
        : settings_(settings),
          nodes_(first.rows()),
          known_(nodes_ * nodes_, ends_of_pairs(nodes_)) {
        ask_all(first, Seconds(0));
    }

    [[nodiscard]] Latencies expected(Seconds now) const {
        return values([&](std::size_t pair) { return known_.at(pair, now).value; });
    }
    [[nodiscard]] Latencies last() const {
        return values([&](std::size_t pair) { return known_.last(pair); });
    }

    /// The relative spreads about these values of what is expected.
    [[nodiscard]] Matrix<std::optional<double>> spreads(const Latencies& about, Seconds now) const {
        Matrix<std::optional<double>> found(nodes_, nodes_);
        for (std::size_t i = 0; i < nodes_; ++i)
            for (std::size_t j = 0; j < nodes_; ++j) {
                if (i == j) continue;
                const auto [value, deviation] = known_.at(i * nodes_ + j, now);
                const double off = std::hypot(deviation, value - about(i, j).value);
                const double relative = off / about(i, j).value;
                found(i, j) = std::expm1(std::sqrt(std::log1p(relative * relative)));
            }
        return found;
    }

    /// Looks at a call: the pairs over which it went.
    void watch(const schedule::Schedule& schedule, const Latencies& truth, Seconds now) {
        for (const auto& transfer : schedule.transfers) {
            outcome_.moved += schedule.bytes_of(transfer).value;
            see(transfer.from * nodes_ + transfer.to, truth, now);
        }
    }
    void ask_all(const Latencies& truth, Seconds now) {
        for (std::size_t pair = 0; pair < nodes_ * nodes_; ++pair)
            if (pair / nodes_ != pair % nodes_) ask(pair, truth, now);
    }
    /// Whether the bytes suffice for one question more.
    [[nodiscard]] bool may_ask() const {
        const auto after = static_cast<double>(outcome_.asked + settings_.question.value);
        return after <= settings_.part * static_cast<double>(outcome_.moved);
    }
    void ask(std::size_t pair, const Latencies& truth, Seconds now) {
        if (knows(pair, now)) return;
        see(pair, truth, now);
        outcome_.asked += settings_.question.value;
    }

    [[nodiscard]] const Expectations& known() const { return known_; }
    [[nodiscard]] PolicyOutcome& outcome() { return outcome_; }

private:
    template <typename Value>
    [[nodiscard]] Latencies values(Value value) const {
        Latencies found(nodes_, nodes_);
        for (std::size_t i = 0; i < nodes_; ++i)
            for (std::size_t j = 0; j < nodes_; ++j)
                if (i != j) found(i, j) = Seconds(value(i * nodes_ + j));
        return found;
    }
    [[nodiscard]] bool knows(std::size_t pair, Seconds now) const {
        const auto measured = known_.measured(pair);
        return measured && *measured >= now;
    }
    void see(std::size_t pair, const Latencies& truth, Seconds now) {
        if (!knows(pair, now)) known_.add(pair, now, truth(pair / nodes_, pair % nodes_).value);
    }
    const ReplaySettings& settings_;
    std::size_t nodes_;
    Expectations known_;
    PolicyOutcome outcome_;
};

class Replay {
public:
    Replay(const std::vector<Latencies>& slices, const ReplaySettings& settings)
        : slices_(slices),
          settings_(settings),
          once_(plan(slices.front())),
          watchers_(policies, Watcher(settings, slices.front())) {}

    ReplayOutcome run() {
        for (std::size_t slice = 1; slice < slices_.size(); ++slice) {
            const Latencies& truth = slices_[slice];
            best_ = plan_call(settings_.call, truth, Trust::exact).timeline.makespan;
            const Seconds begin(static_cast<double>(slice));
            call(Policy::once, once_, truth, begin, settings_.calls_per_slice);
            call_and_ask_all(Policy::last, of(Policy::last).last(), truth, begin);
            call_and_ask_all(Policy::expected, of(Policy::expected).expected(begin), truth, begin);
            if (settings_.robust) {
                call_robust(Policy::last_robust, of(Policy::last_robust).last(), truth, begin);
                call_robust(Policy::expected_robust, of(Policy::expected_robust).expected(begin),
                            truth, begin);
            }
            for (std::size_t i = 0; i < settings_.calls_per_slice; ++i) {
                const Seconds now = begin + Seconds(static_cast<double>(i) /
                                                    static_cast<double>(settings_.calls_per_slice));
                call_and_ask_oldest(truth, now);
                call_and_ask_best(truth, now);
            }
        }
        ReplayOutcome outcome;
        for (std::size_t p = 0; p < policies; ++p) outcome[p] = std::move(watchers_[p].outcome());
        return outcome;
    }

private:
    [[nodiscard]] schedule::Plan plan(const Latencies& presumed) const {
        return plan_call(settings_.call, presumed, Trust::uncertain);
    }
    Watcher& of(Policy policy) { return watchers_[static_cast<std::size_t>(policy)]; }

    void call(Policy policy, const schedule::Plan& plan, const Latencies& truth, Seconds now,
              std::size_t times) {
        const Seconds took = run_call(settings_.call, plan.schedule, truth).makespan;
        for (std::size_t i = 0; i < times; ++i) {
            of(policy).watch(plan.schedule, truth, now);
            of(policy).outcome().ratios.push_back(took / best_);
        }
    }
    void call_and_ask_all(Policy policy, const Latencies& presumed, const Latencies& truth,
                          Seconds now) {
        call(policy, plan(presumed), truth, now, settings_.calls_per_slice);
        of(policy).ask_all(truth, now);
    }
    void call_robust(Policy policy, const Latencies& presumed, const Latencies& truth,
                     Seconds now) {
        Hedge hedge{*settings_.robust, of(policy).spreads(presumed, now)};
        call(policy, plan_call(settings_.call, presumed, std::move(hedge)), truth, now,
             settings_.calls_per_slice);
        of(policy).ask_all(truth, now);
    }
    void call_and_ask_oldest(const Latencies& truth, Seconds now) {
        Watcher& watcher = of(Policy::last_asked);
        call(Policy::last_asked, plan(watcher.last()), truth, now, 1);
        for (const std::size_t pair : by_age(watcher.known(), truth.rows(), now))
            if (watcher.may_ask()) watcher.ask(pair, truth, now);
    }
    void call_and_ask_best(const Latencies& truth, Seconds now) {
        Watcher& watcher = of(Policy::expected_asked);
        call(Policy::expected_asked, plan(watcher.expected(now)), truth, now, 1);
        const Seconds sending = settings_.call.bytes / settings_.call.bandwidth;
        // The next call as it will be planned with what this one has told, and then with each
        // answer that matters to it.
        const Seconds then = now + Seconds(1 / static_cast<double>(settings_.calls_per_slice));
        schedule::Plan next = plan(watcher.expected(then));
        while (watcher.may_ask()) {
            const std::vector<Seconds>& arrivals = next.timeline.completion;
            const auto pair = worth_most(watcher.known(), arrivals, now, sending);
            if (!pair) return;
            const std::size_t from = *pair / truth.rows();
            const std::size_t to = *pair % truth.rows();
            const double expected = watcher.known().at(*pair, then).value;
            watcher.ask(*pair, truth, now);
            const bool used = std::ranges::any_of(next.schedule.transfers, [&](const auto& of) {
                return of.from == from && of.to == to;
            });
            if (used ? truth(from, to).value != expected
                     : arrivals[from] + sending + truth(from, to) < arrivals[to])
                next = plan(watcher.expected(then));
        }
    }

    const std::vector<Latencies>& slices_;
    const ReplaySettings& settings_;
    schedule::Plan once_;
    std::vector<Watcher> watchers_;
    Seconds best_;
};

}  // namespace

std::string_view name_of(Policy policy) {
    switch (policy) {
        case Policy::once:
            return "once";
        case Policy::last:
            return "last, all pairs";
        case Policy::expected:
            return "expected, all pairs";
        case Policy::last_asked:
            return "last, asked";
        case Policy::expected_asked:
            return "expected, asked";
        case Policy::last_robust:
            return "last, all pairs, robust";
        case Policy::expected_robust:
            return "expected, all pairs, robust";
    }
    return "";
}

ReplayOutcome replay(const std::vector<Latencies>& slices, const ReplaySettings& settings) {
    return Replay(slices, settings).run();
}

}  // namespace espalier::bench
