#include "demands/rehearsal.hpp"

#include "core/error.hpp"
#include "plan/exchange/queueing.hpp"
#include "simulate/use.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <utility>

namespace espalier::demands {

namespace {

using simulate::clearly_less;

/// One exchange on its way.
class Run {
public:
    Run(const Problem& estimate, const Problem& truth, Planner planner, const Policy& policy)
        : estimate_(estimate),
          truth_(truth),
          planner_(std::move(planner)),
          policy_(policy),
          foretold_(truth.messages.size(), 0) {
        done_.starts.assign(truth.messages.size(), 0);
        done_.ends.assign(truth.messages.size(), 0);
    }

    Rehearsal run() {
        for (std::size_t m = 0; m < truth_.messages.size(); ++m) sequence_.push_back(m);
        plan(0);
        double now = 0;
        while (const auto next = next_checkpoint(policy_.checkpoints, now, done_.ends)) {
            const auto has_started = [&](std::size_t m) { return starts_before(m, *next); };
            if (std::ranges::all_of(sequence_, has_started)) break;
            ++done_.checkpoints;
            if (is_off(now, *next)) plan(*next);
            now = *next;
        }
        done_.makespan = *std::ranges::max_element(done_.ends);
        for (const std::size_t m : sequence_) done_.order.push_back(direct(truth_, m));
        return std::move(done_);
    }

private:
    /// What starts before that time can't be decided anew at it.
    [[nodiscard]] bool starts_before(std::size_t m, double time) const {
        return clearly_less(done_.starts[m], time);
    }

    /// What becomes of messages in this order, with these ports and times.
    template <typename Use>
    static void project(const std::vector<std::size_t>& sequence, exchange::Queueing ports,
                        const Problem& times, double from, Use use) {
        for (const std::size_t m : sequence) {
            const Message& message = times.messages[m];
            const double start =
                ports.perform(message.from, message.to, message.gap, message.latency, from);
            use(m, start, start + message.duration());
        }
    }

    /// From `now` on, what has not started is performed in this order. What has keeps its start,
    /// also where its receiver was to take another before it that now comes later.
    void follow(const std::vector<std::size_t>& order, double now) {
        std::erase_if(sequence_, [&](std::size_t m) { return !starts_before(m, now); });
        exchange::Queueing ports(truth_.nodes(), truth_.ports);
        for (const std::size_t m : sequence_) {
            const Message& message = truth_.messages[m];
            ports.perform(message.from, message.to, message.gap, message.latency, done_.starts[m]);
        }
        project(order, ports, truth_, now, [&](std::size_t m, double start, double end) {
            done_.starts[m] = start;
            done_.ends[m] = end;
        });
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

    /// The ports as they are thought to be at that time.
    void find_ready(double now, Problem& rest) const {
        const bool exact = policy_.knowledge == Knowledge::directory;
        rest.send_ready.assign(rest.nodes() * rest.ports, now);
        rest.receive_ready.assign(rest.nodes() * rest.ports, now);
        const auto occupy = [&](std::vector<double>& ready, std::size_t node, double until) {
            const auto first = ready.begin() + static_cast<std::ptrdiff_t>(node * rest.ports);
            auto& port = *std::min_element(first, first + static_cast<std::ptrdiff_t>(rest.ports));
            port = std::max(port, until);
        };
        for (const std::size_t m : sequence_) {
            if (!starts_before(m, now) || !clearly_less(now, done_.ends[m])) continue;
            const Message& known = (exact ? truth_ : estimate_).messages[m];
            if (clearly_less(now, done_.starts[m] + truth_.messages[m].gap))
                occupy(rest.send_ready, known.from, done_.starts[m] + known.gap);
            occupy(rest.receive_ready, known.to, done_.starts[m] + known.duration());
        }
    }

    /// What is known at `now` of these messages and of the ports.
    [[nodiscard]] Problem rest_of_problem(double now,
                                          const std::vector<std::size_t>& messages) const {
        Problem rest = known_at(now);
        std::vector<Message> left;
        for (const std::size_t m : messages) left.push_back(rest.messages[m]);
        rest.messages = std::move(left);
        find_ready(now, rest);
        return rest;
    }
    [[nodiscard]] const Problem& known_at(double now) const {
        return policy_.knowledge == Knowledge::directory && now > 0 ? truth_ : estimate_;
    }

    [[nodiscard]] static exchange::Queueing ports_of(const Problem& rest) {
        exchange::Queueing ports(rest.nodes(), rest.ports);
        for (std::size_t node = 0; node < rest.nodes(); ++node) {
            const auto of_node = [&](const std::vector<double>& ready) {
                const auto first = ready.begin() + static_cast<std::ptrdiff_t>(node * rest.ports);
                return std::vector(first, first + static_cast<std::ptrdiff_t>(rest.ports));
            };
            ports.free_from(node, of_node(rest.send_ready), of_node(rest.receive_ready));
        }
        return ports;
    }

    /// Decides at `now` what has not started: as it was, unless the new plan is thought better.
    void plan(double now) {
        std::vector<std::size_t> left = sequence_;
        std::erase_if(left, [&](std::size_t m) { return starts_before(m, now); });
        std::vector<std::size_t> messages = left;
        std::ranges::sort(messages);  // as a problem has them
        const Problem rest = rest_of_problem(now, messages);
        const auto begin = std::chrono::steady_clock::now();
        const Found found = planner_(rest, policy_.limits);
        done_.planning +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        const bool waits =
            std::ranges::any_of(found.after, [](const auto& before) { return before.has_value(); });
        if (waits || !found.barriers.empty())
            throw InputError("exchanges whose nodes wait for each other are not rehearsed");
        std::vector<std::size_t> order;
        for (const Hop& hop : found.order) {
            if (hop != direct(rest, hop.message))
                throw InputError("exchanges with relays are not rehearsed");
            order.push_back(messages[hop.message]);
        }
        const exchange::Queueing ports = ports_of(rest);
        const auto last_end = [&](const std::vector<std::size_t>& sequence) {
            double last = 0;
            project(sequence, ports, known_at(now), now,
                    [&](std::size_t, double, double end) { last = std::max(last, end); });
            return last;
        };
        if (now > 0) ++done_.reschedulings;
        if (now == 0 || clearly_less(last_end(order), last_end(left))) {
            if (now > 0) ++done_.changes;
            left = std::move(order);
            follow(left, now);
        }
        project(left, ports, known_at(now), now,
                [&](std::size_t m, double, double end) { foretold_[m] = end; });
    }

    const Problem& estimate_;
    const Problem& truth_;
    Planner planner_;
    const Policy& policy_;
    std::vector<std::size_t> sequence_;  ///< each port takes its messages in this order
    std::vector<double> foretold_;       ///< by message: its end
    Rehearsal done_;
};

}  // namespace

Rehearsal rehearse(const Problem& estimate, const Problem& truth, Planner planner,
                   const Policy& policy) {
    assert(estimate.messages.size() == truth.messages.size());
    if (truth.messages.empty()) return {};
    return Run(estimate, truth, std::move(planner), policy).run();
}

}  // namespace espalier::demands
