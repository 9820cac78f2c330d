#include "demands/rehearsal.hpp"

#include "core/error.hpp"
#include "core/matrix.hpp"
#include "core/random.hpp"
#include "demands/objective.hpp"
#include "plan/exchange/queueing.hpp"
#include "simulate/use.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace espalier::demands {

namespace {

using simulate::clearly_less;

/// An exchange that is being performed.
class Run {
public:
    Run(const Problem& estimate, const Problem& truth, Planner planner, const Policy& policy)
        : estimate_(estimate),
          truth_(truth),
          planner_(std::move(planner)),
          policy_(policy),
          sequence_(truth.messages.size()),
          foretold_(truth.messages.size(), 0) {
        std::iota(sequence_.begin(), sequence_.end(), std::size_t{0});
        done_.starts.assign(truth.messages.size(), 0);
        done_.ends.assign(truth.messages.size(), 0);
    }

    Rehearsal run() {
        plan(0);
        double now = 0;
        while (const auto next = next_checkpoint(policy_.checkpoints, now, done_.ends)) {
            if (waiting_at(*next).empty()) break;
            ++done_.checkpoints;
            if (is_off(now, *next)) plan(*next);
            now = *next;
        }
        done_.makespan = *std::ranges::max_element(done_.ends);
        done_.order = direct(truth_, sequence_);
        return std::move(done_);
    }

private:
    using Sequence = exchange::Order;  ///< each port takes its messages in this order

    /// Whether a message starts before that time, so that it can't be decided anew at it.
    [[nodiscard]] bool starts_before(std::size_t m, double time) const {
        return clearly_less(done_.starts[m], time);
    }
    [[nodiscard]] Sequence waiting_at(double time) const {
        Sequence waiting = sequence_;
        std::erase_if(waiting, [&](std::size_t m) { return starts_before(m, time); });
        return waiting;
    }
    /// The message times that the planner believes at that time.
    [[nodiscard]] const Problem& known_at(double time) const {
        return policy_.knowledge == Knowledge::directory && time > 0 ? truth_ : estimate_;
    }

    /// Performs what has not started by `now` in this order. What has started keeps its start, even
    /// if its receiver was to take another message first that now comes later.
    void follow(const Sequence& order, double now) {
        std::erase_if(sequence_, [&](std::size_t m) { return !starts_before(m, now); });
        exchange::Queueing ports(truth_);
        for (const std::size_t m : sequence_) {
            const Message& message = truth_.messages[m];
            ports.perform(message.from, message.to, message.gap, message.latency, done_.starts[m]);
        }
        for (const std::size_t m : order) {
            const Message& message = truth_.messages[m];
            done_.starts[m] =
                ports.perform(message.from, message.to, message.gap, message.latency, now);
            done_.ends[m] = done_.starts[m] + message.duration();
        }
        sequence_.insert(sequence_.end(), order.begin(), order.end());
    }

    /// Whether something that ended since the last look did not end as foretold.
    [[nodiscard]] bool is_off(double since, double now) const {
        return std::ranges::any_of(sequence_, [&](std::size_t m) {
            const double end = done_.ends[m];
            if (!clearly_less(since, end) || clearly_less(now, end)) return false;
            const double off = std::abs(end - foretold_[m]);
            return off > policy_.threshold * foretold_[m] &&
                   (clearly_less(end, foretold_[m]) || clearly_less(foretold_[m], end));
        });
    }

    /// The problem of the messages that are left at `now`, as far as the planner knows them and the
    /// ports.
    [[nodiscard]] Problem rest_of_problem(double now, const Sequence& messages) const {
        const Problem& known = known_at(now);
        Problem rest = known;
        rest.messages.clear();
        for (const std::size_t m : messages) rest.messages.push_back(known.messages[m]);
        rest.send_ready.assign(rest.nodes(), simulate::Slots(rest.ports, now));
        rest.receive_ready = rest.send_ready;
        const auto occupy = [](simulate::Slots& ports, double until) {
            ports.occupy_until(std::max(ports.earliest(), until));
        };
        for (const std::size_t m : sequence_) {
            if (!starts_before(m, now) || !clearly_less(now, done_.ends[m])) continue;
            const Message& message = known.messages[m];
            if (clearly_less(now, done_.starts[m] + truth_.messages[m].gap))
                occupy(rest.send_ready[message.from], done_.starts[m] + message.gap);
            occupy(rest.receive_ready[message.to], done_.starts[m] + message.duration());
        }
        return rest;
    }

    Order ask_planner(const Problem& rest) {
        const auto begin = std::chrono::steady_clock::now();
        Found found = planner_(rest, policy_.limits);
        done_.planning +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        const auto waits = [](const auto& before) { return before.has_value(); };
        if (std::ranges::any_of(found.after, waits) || !found.barriers.empty())
            throw InputError("exchanges whose nodes wait for each other are not rehearsed");
        if (!found.is_direct(rest)) throw InputError("exchanges with relays are not rehearsed");
        return std::move(found.order);
    }

    /// Decides at `now` what has not started: as it was, unless the new plan is thought better.
    void plan(double now) {
        const Sequence waiting = waiting_at(now);
        Sequence messages = waiting;
        std::ranges::sort(messages);  // as a problem has them
        const Problem rest = rest_of_problem(now, messages);
        Order old;
        for (const std::size_t m : waiting) {
            const auto place = std::ranges::lower_bound(messages, m) - messages.begin();
            old.push_back(direct(rest, static_cast<std::size_t>(place)));
        }
        const Order order = ask_planner(rest);
        auto ends = ends_of(rest, old);
        auto new_ends = ends_of(rest, order);
        if (now > 0) ++done_.reschedulings;
        if (now == 0 || clearly_less(std::ranges::max(new_ends), std::ranges::max(ends))) {
            if (now > 0) ++done_.changes;
            ends = std::move(new_ends);
            Sequence next;
            for (const Hop& hop : order) next.push_back(messages[hop.message]);
            follow(next, now);
        }
        for (std::size_t place = 0; place < messages.size(); ++place)
            foretold_[messages[place]] = ends[place];
    }

    const Problem& estimate_;
    const Problem& truth_;
    Planner planner_;
    const Policy& policy_;
    Sequence sequence_;
    std::vector<double> foretold_;  ///< by message: its end
    Rehearsal done_;
};

class NoisyFabric final : public simulate::Fabric {
public:
    NoisyFabric(const Fabric& fabric, double noise, std::uint64_t seed)
        : fabric_(fabric), factors_(fabric.nodes(), fabric.nodes(), 1) {
        assert(noise >= 0);
        Random random(seed);
        for (std::size_t from = 0; from < fabric.nodes(); ++from)
            for (std::size_t to = 0; to < fabric.nodes(); ++to)
                factors_(from, to) = std::pow(1 + noise, random.uniform(-1, 1));
    }

    [[nodiscard]] std::size_t nodes() const override { return fabric_.nodes(); }
    [[nodiscard]] simulate::MessageCost cost(std::size_t from, std::size_t to,
                                             Bytes size) const override {
        const auto cost = fabric_.cost(from, to, size);
        return {cost.gap * factors_(from, to), cost.latency * factors_(from, to)};
    }
    [[nodiscard]] simulate::CostFloor floor(std::size_t from, std::size_t to,
                                            Bytes size) const override {
        const double factor = factors_(from, to);
        const auto floor = fabric_.floor(from, to, size);
        return {floor.latency * factor, floor.seconds_per_byte * factor, floor.gap * factor,
                floor.startup * factor};
    }

private:
    const Fabric& fabric_;
    Matrix<double> factors_;
};

}  // namespace

std::string_view name_of(Checkpoints checkpoints) {
    static constexpr std::array<std::string_view, 3> names{"never", "half", "every"};
    return names[static_cast<std::size_t>(checkpoints)];
}

std::string_view name_of(Knowledge knowledge) {
    return knowledge == Knowledge::progress ? "progress" : "directory";
}

std::optional<double> next_checkpoint(Checkpoints checkpoints, double now,
                                      std::vector<double> ends) {
    if (checkpoints == Checkpoints::never) return std::nullopt;
    std::erase_if(ends, [&](double end) { return !clearly_less(now, end); });
    if (ends.empty()) return std::nullopt;
    const std::size_t awaited = checkpoints == Checkpoints::every ? 0 : (ends.size() - 1) / 2;
    const auto place = ends.begin() + static_cast<std::ptrdiff_t>(awaited);
    std::ranges::nth_element(ends, place);
    return *place;
}

Rehearsal rehearse(const Problem& estimate, const Problem& truth, Planner planner,
                   const Policy& policy) {
    assert(estimate.messages.size() == truth.messages.size());
    if (truth.messages.empty()) return {};
    return Run(estimate, truth, std::move(planner), policy).run();
}

std::unique_ptr<const simulate::Fabric> with_noise(const simulate::Fabric& fabric, double noise,
                                                   std::uint64_t seed) {
    return std::make_unique<NoisyFabric>(fabric, noise, seed);
}

}  // namespace espalier::demands
