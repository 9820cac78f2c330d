#include "plan/exchange/list_search.hpp"

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "core/random.hpp"
#include "plan/exchange/bound.hpp"
#include "plan/exchange/caterpillar.hpp"
#include "plan/exchange/list_schedule.hpp"
#include "plan/exchange/queueing.hpp"
#include "simulate/simulate.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::plan::exchange {

namespace {

/// Steps that starting a message counts as, and a pass beside its messages.
constexpr std::uint64_t steps_a_message = 16;
constexpr std::uint64_t steps_a_pass = 500;
/// So many times as much where messages share capacities, whose flows are simulated.
constexpr std::uint64_t cost_of_sharing = 16;

/// What the search goes by, set by hand. Paces and lengths are those of Preferences.
struct Knobs {
    double first_pace = 0.95;
    /// How often what is tried is near the best; and of all else, how often no message waits.
    double near_best = 0.6;
    double unpaced = 0.2;
    /// Anywhere: the least pace, and the greatest weight of a length.
    double least_pace = 0.9;
    double most_length = 2;
    /// Near the best: how far both may be from its own.
    double length_step = 0.3;
    double pace_step = 0.02;
    /// By which part a factor is disturbed at most: any between two, as likely at each magnitude.
    struct Disturbance {
        double first = 0;
        double last = 0;
    };
    Disturbance anywhere{0.003, 0.3};
    Disturbance nearby{0.05, 0.0005};
    /// Of the meter, before single messages change their places.
    double part_for_lists = 0.5;
    /// So many changes in vain for each message and place are enough.
    std::size_t changes_in_vain = 4;
};
constexpr Knobs knobs;

class ListSearch {
public:
    ListSearch(const Problem& problem, Meter& meter)
        : problem_(problem),
          scheduler_(problem),
          meter_(meter),
          patience_(problem.messages.size()),
          bound_(exchange_bound(problem) * (1 + 1e-12)),
          best_(Preferences::plain(problem, 0)) {}

    /// The messages in the order of the best schedule.
    Order run() {
        try_out(Preferences::plain(problem_, knobs.first_pace));
        if (!finished()) try_out(Preferences::plain(problem_, 0));
        while (!finished()) try_out(random_.uniform() < knobs.near_best ? near_best() : anywhere());
        return makespan_ < infinity ? messages_ : with_the_rest(std::move(messages_));
    }

private:
    /// Of a pass that was too long for the meter: what it had begun, and then a caterpillar.
    Order with_the_rest(Order begun) {
        std::vector<bool> has_begun(problem_.messages.size(), false);
        for (const std::size_t m : begun) has_begun[m] = true;
        for (const std::size_t m : caterpillar(problem_, meter_).order)
            if (!has_begun[m]) begun.push_back(m);
        return begun;
    }

    [[nodiscard]] bool finished() const {
        return makespan_ <= bound_ || meter_.over() ||
               passes_ - best_at_ > std::max(patience_, best_at_);
    }

    void try_out(const Preferences& preferences) {
        const double makespan = schedule(preferences);
        ++passes_;
        const std::uint64_t steps = scheduler_.messages().size() * steps_a_message;
        meter_.spend(steps_a_pass +
                     steps * (problem_.shares() ? cost_of_sharing * problem_.ports : 1));
        if (makespan >= makespan_ && passes_ > 1) return;
        makespan_ = makespan;
        best_ = preferences;
        messages_ = scheduler_.messages();
        best_at_ = passes_;
    }

    double schedule(const Preferences& preferences) {
        if (!problem_.shares()) return scheduler_.pass(preferences, makespan_, meter_);
        // Estimates may be too high too.
        if (scheduler_.pass(preferences, infinity, meter_) == infinity) return infinity;
        const auto schedule = make_schedule(problem_, {.order = scheduler_.messages()});
        return simulate::simulate(schedule, *problem_.fabric).makespan.value;
    }

    Preferences anywhere() {
        const double pace =
            random_.uniform() < knobs.unpaced ? 0 : random_.uniform(knobs.least_pace, 1);
        Preferences preferences = Preferences::plain(problem_, pace);
        preferences.length = random_.uniform(0, knobs.most_length);
        disturb(preferences, knobs.anywhere);
        return preferences;
    }

    Preferences near_best() {
        Preferences preferences = best_;
        preferences.length += random_.uniform(-knobs.length_step, knobs.length_step);
        if (preferences.pace > 0)
            preferences.pace = std::clamp(
                preferences.pace + random_.uniform(-knobs.pace_step, knobs.pace_step), 0.0, 1.0);
        disturb(preferences, knobs.nearby);
        return preferences;
    }

    void disturb(Preferences& preferences, const Knobs::Disturbance& range) {
        const double most = range.first * std::pow(range.last / range.first, random_.uniform());
        for (auto* factors : {&preferences.sender, &preferences.receiver, &preferences.capacity})
            for (double& factor : *factors) factor *= 1 + most * random_.uniform(-1, 1);
    }

    const Problem& problem_;
    ListScheduler scheduler_;
    Meter& meter_;
    std::size_t patience_;  ///< in passes
    double bound_;
    Random random_{1};
    Preferences best_;
    double makespan_ = infinity;
    Order messages_;
    std::size_t passes_ = 0;
    std::size_t best_at_ = 0;  ///< pass
};

double queued_makespan(const Problem& problem, const Order& order) {
    Queueing queueing(problem);
    double makespan = 0;
    for (const std::size_t m : order) {
        const auto& [from, to, bytes, gap, latency] = problem.messages[m];
        makespan = std::max(makespan, queueing.perform(from, to, gap, latency, 0) + gap + latency);
    }
    return makespan;
}

/// Changes places of single messages, as long as that makes the exchange no longer.
class Rearrangement {
public:
    Rearrangement(const Problem& problem, Meter& meter)
        : problem_(problem), meter_(meter), bound_(exchange_bound(problem) * (1 + 1e-12)) {}

    /// Whether there is time for it, from every start.
    [[nodiscard]] bool is_affordable() const {
        const std::size_t messages = problem_.messages.size();
        return meter_.affords(static_cast<double>(problem_.nodes()) *
                              static_cast<double>(patience_for(messages) * messages));
    }

    /// From this order, and from some at random.
    Order run(Order order) {
        double best = settle(order);
        Order other = order;
        const std::size_t starts = problem_.nodes();
        for (std::size_t start = 0; start < starts && best > bound_ && !meter_.over(); ++start) {
            for (std::size_t left = other.size(); left > 1; --left)
                std::swap(other[left - 1], other[random_.below(left)]);
            const double found = settle(other);
            if (found >= best) continue;
            best = found;
            order = other;
        }
        return order;
    }

private:
    /// Changes in vain: each message is likely to have been tried in each place.
    [[nodiscard]] static std::size_t patience_for(std::size_t messages) {
        return knobs.changes_in_vain * messages * messages;
    }

    /// Its makespan when nothing has helped for long.
    double settle(Order& order) {
        double makespan = queued_makespan(problem_, order);
        const std::size_t patience = patience_for(order.size());
        for (std::size_t tried = 0; tried < patience && makespan > bound_ && !meter_.over();
             ++tried) {
            Order next = order;
            const auto place = [&] {
                return next.begin() + static_cast<std::ptrdiff_t>(random_.below(next.size()));
            };
            const auto from = place();
            const auto to = place();
            from < to ? std::rotate(from, from + 1, to + 1) : std::rotate(to, from, from + 1);
            const double found = queued_makespan(problem_, next);
            meter_.spend(order.size());
            if (found > makespan) continue;
            if (found < makespan * (1 - 1e-12)) tried = 0;
            makespan = found;
            order = std::move(next);
        }
        return makespan;
    }

    const Problem& problem_;
    Meter& meter_;
    double bound_;
    Random random_{1};
};

}  // namespace

Order search_lists(const Problem& problem, Meter& meter) {
    if (problem.messages.empty()) return {};
    return ListSearch(problem, meter).run();
}

Found list_search(const Problem& problem, Meter& meter) {
    Rearrangement rearrangement(problem, meter);
    if (!only_queues(problem) || !rearrangement.is_affordable())
        return {.order = search_lists(problem, meter)};
    Order listed =
        meter.lend(knobs.part_for_lists, [&](Meter& half) { return search_lists(problem, half); });
    return {.order = rearrangement.run(std::move(listed))};
}

}  // namespace espalier::plan::exchange
