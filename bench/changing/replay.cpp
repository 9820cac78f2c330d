#include "replay.hpp"

#include "core/expectations.hpp"
#include "questions.hpp"

#include <cmath>
#include <utility>

namespace espalier::bench {

namespace {

using Latencies = Matrix<Seconds>;

/// What one policy knows of the pairs' latencies, and what it pays for that.
class Watcher {
public:
    Watcher(const ReplaySettings& settings, const Latencies& first)
        : settings_(settings), nodes_(first.rows()), known_(nodes_ * nodes_) {
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
    /// Asks the pairs in this order as far as the bytes suffice.
    void ask_in(const std::vector<std::size_t>& order, const Latencies& truth, Seconds now) {
        for (const std::size_t pair : order) {
            const auto after = static_cast<double>(outcome_.asked + settings_.question.value);
            if (after > settings_.part * static_cast<double>(outcome_.moved)) return;
            ask(pair, truth, now);
        }
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
    void ask(std::size_t pair, const Latencies& truth, Seconds now) {
        if (knows(pair, now)) return;
        see(pair, truth, now);
        outcome_.asked += settings_.question.value;
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
        watcher.ask_in(by_age(watcher.known(), truth.rows(), now), truth, now);
    }
    void call_and_ask_best(const Latencies& truth, Seconds now) {
        Watcher& watcher = of(Policy::expected_asked);
        call(Policy::expected_asked, plan(watcher.expected(now)), truth, now, 1);
        // With what this call has told.
        const schedule::Plan next = plan(watcher.expected(now));
        const Seconds sending = settings_.call.bytes / settings_.call.bandwidth;
        watcher.ask_in(by_worth(watcher.known(), next.timeline.completion, now, sending), truth,
                       now);
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
