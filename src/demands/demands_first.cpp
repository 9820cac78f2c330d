#include "demands/demands_first.hpp"

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "core/random.hpp"
#include "demands/bounds.hpp"
#include "demands/calendar.hpp"
#include "demands/open_shop.hpp"
#include "plan/exchange/list_search.hpp"
#include "schedule/demands.hpp"
#include "simulate/use.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace espalier::demands {

namespace {

using Sequence = exchange::Order;
bool share_a_port(const Message& a, const Message& b) { return a.from == b.from || a.to == b.to; }

/// The messages in the order in which an exchange that is good by its makespan begins them.
Sequence for_the_makespan(const Problem& problem, const Limits& limits) {
    const Order open = open_shop(problem, {}).order;
    Meter meter(limits);
    const Order searched = direct(problem, exchange::list_search(problem, meter).order);
    const auto makespan = [&](const Order& order) {
        return score_of(problem, ends_of(problem, order)).makespan;
    };
    Sequence messages;
    for (const Hop& hop : makespan(searched) < makespan(open) ? searched : open)
        messages.push_back(hop.message);
    return messages;
}

/// The keys by which messages with deadlines (bhat-1998, 6.4), and the critical node's own, are
/// ordered.
using Key = double (*)(const Message&, const Due&);
constexpr std::array<Key, 5> due_keys{
    [](const Message&, const Due& due) { return due.deadline; },
    [](const Message& message, const Due& due) { return due.deadline - message.duration(); },
    [](const Message&, const Due& due) { return -due.priority; },
    [](const Message& message, const Due& due) { return message.duration() / due.priority; },
    [](const Message&, const Due& due) { return due.deadline / due.priority; },
};
constexpr std::array<Key, 4> critical_keys{
    [](const Message&, const Due&) { return 0.0; },
    [](const Message& message, const Due&) { return -message.duration(); },
    [](const Message& message, const Due&) { return message.duration(); },
    [](const Message& message, const Due&) { return -message.latency; },
};

std::vector<Sequence> sequences_by_rules(const Problem& problem, const Sequence& base) {
    const auto put_first = [&](Sequence& sequence, auto is_first, Key key) {
        const auto end = std::stable_partition(sequence.begin(), sequence.end(), is_first);
        std::ranges::stable_sort(sequence.begin(), end, {}, [&](std::size_t m) {
            return key(problem.messages[m], problem.due(m));
        });
    };
    const auto has_deadline = [&](std::size_t m) { return problem.due(m).deadline < infinity; };
    const auto is_own = [&](std::size_t m) { return problem.is_critical(problem.messages[m]); };
    const std::size_t dues = problem.has_deadlines() ? due_keys.size() : 1;
    const std::size_t criticals = problem.critical ? critical_keys.size() : 1;
    std::vector<Sequence> found;
    for (std::size_t due = 0; due < dues; ++due)
        for (std::size_t critical = 0; critical < criticals; ++critical) {
            auto& sequence = found.emplace_back(base);
            put_first(sequence, has_deadline, due_keys[due]);
            put_first(sequence, is_own, critical_keys[critical]);
        }
    found.push_back(base);
    return found;
}

/// The order of choice: messages take their places in a Calendar in this sequence, each the
/// earliest place that the others have left.
struct Precedence {
    Sequence sequence;
    std::vector<char> relayed;  ///< by message: whether it may go through other nodes
};

/// An exchange that came of a precedence.
struct Staged {
    Precedence precedence;
    Order order;
    std::vector<double> ends;  ///< by message, in seconds
    Score score;
};

/// Looks for an exchange that is good by Score.
class Search {
public:
    /// Whether messages may go through other nodes.
    Search(const Problem& problem, const Limits& limits, bool relays)
        : problem_(problem),
          relays_(relays),
          paths_(problem),
          bounds_(relays ? any_bounds(problem) : direct_bounds(problem)),
          meter_(limits) {}

    Order run() {
        try_rules();
        if (relays_) relay_the_late();
        if (relays_ && problem_.relays) relay_the_slow();
        if (!relays_ || problem_.relays || best_.score.missed > 0) improve();
        return std::move(best_.order);
    }

private:
    [[nodiscard]] Staged build(Precedence precedence) {
        Calendar calendar(problem_);
        std::vector<Calendar::Leg> legs;
        for (const std::size_t m : precedence.sequence) {
            const auto path = precedence.relayed[m] != 0
                                  ? paths_.quickest(calendar, m)
                                  : std::vector{paths_.straight(calendar, m)};
            for (const Calendar::Leg& leg : path) {
                calendar.take(leg);
                legs.push_back(leg);
            }
        }
        std::ranges::stable_sort(legs, {}, &Calendar::Leg::start);
        Staged staged{std::move(precedence), {}, {}, {}};
        for (const Calendar::Leg& leg : legs) staged.order.push_back(leg.hop);
        staged.ends = ends_of(problem_, staged.order);
        staged.score = score_of(problem_, staged.ends);
        meter_.spend(legs.size());
        return staged;
    }

    void try_rules() {
        Limits quick = meter_.share(0.1);
        quick.time = std::min(quick.time, Seconds(0.05));
        const auto sequences = sequences_by_rules(problem_, for_the_makespan(problem_, quick));
        for (const Sequence& sequence : sequences) {
            Staged staged = build({sequence, std::vector<char>(sequence.size(), 0)});
            if (best_.order.empty() || better(staged.score, best_.score)) best_ = std::move(staged);
            if (meets(best_.score, bounds_) || meter_.over()) break;
        }
    }

    [[nodiscard]] bool is_late(std::size_t m) const {
        return schedule::is_late(best_.ends[m], problem_.due(m).deadline);
    }

    /// Lets late messages take their quickest paths, again until nothing gets better; then tries
    /// each of them alone, since all at once may stand in each other's way.
    void relay_the_late() {
        const auto gains = [&](std::size_t first, std::size_t end) {
            Precedence next = best_.precedence;
            for (std::size_t m = first; m < end; ++m)
                if (is_late(m)) next.relayed[m] = 1;
            return take_if_better(build(std::move(next)));
        };
        const std::size_t all = best_.ends.size();
        while (best_.score.missed > 0 && !meter_.over() && gains(0, all)) continue;
        for (std::size_t m = 0; m < all && !meter_.over(); ++m)
            if (is_late(m)) gains(m, m + 1);
    }

    /// Tries to shorten the makespan by relays. The candidates are the messages whose direct path
    /// takes the most times as long as their quickest on idle ports. How many of them are relayed
    /// is tried out; they choose their places first, or in their turn.
    void relay_the_slow() {
        const Calendar idle(problem_);
        std::vector<double> gains;
        for (std::size_t m = 0; m < problem_.messages.size(); ++m)
            gains.push_back(problem_.messages[m].duration() /
                            paths_.quickest(idle, m).back().end());
        const Sequence base = best_.precedence.sequence;
        for (const double least : {1.01, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0})
            for (const bool first : {false, true}) {
                if (meter_.over()) return;
                Precedence next{base, {}};
                for (const double gain : gains) next.relayed.push_back(gain >= least ? 1 : 0);
                if (first)
                    std::stable_partition(next.sequence.begin(), next.sequence.end(),
                                          [&](std::size_t m) { return next.relayed[m] != 0; });
                take_if_better(build(std::move(next)));
            }
    }

    bool take_if_better(Staged next) {
        if (!better(next.score, best_.score)) return false;
        best_ = std::move(next);
        return true;
    }

    /// Local search: a message that is late, or that others wait for, goes before one that it
    /// shares a port with, or that one goes after it; where relays may be used, it may also take
    /// another way. Keeps what is no worse. Ends at the bounds, at a limit of the meter, or when
    /// nothing got better for long.
    void improve() {
        if (problem_.messages.size() < 2) return;
        const std::size_t patience = std::min<std::size_t>(300 + 20 * best_.ends.size(), 4000);
        std::size_t since = 0;
        while (since < patience && !meter_.over() && !meets(best_.score, bounds_)) {
            Staged next = build(neighbour());
            ++since;
            if (better(best_.score, next.score)) continue;
            if (better(next.score, best_.score)) since = 0;
            best_ = std::move(next);
        }
    }

    /// A message that hurts.
    [[nodiscard]] std::size_t pick_target() {
        // A message of which `hurts` is true, each as likely.
        const auto pick = [&](const auto& hurts) {
            std::size_t found = best_.ends.size();
            std::uint64_t seen = 0;
            for (std::size_t m = 0; m < best_.ends.size(); ++m)
                if (hurts(m) && random_.below(++seen) == 0) found = m;
            return found;
        };
        using simulate::clearly_less;
        if (clearly_less(bounds_.critical, best_.score.critical) && random_.below(4) != 0)
            return pick([&](std::size_t m) {
                return problem_.is_critical(problem_.messages[m]) &&
                       !clearly_less(best_.ends[m], best_.score.critical);
            });
        if (best_.score.missed > 0 && random_.below(4) != 0)
            return pick([&](std::size_t m) { return is_late(m); });
        const std::size_t last =
            pick([&](std::size_t m) { return !clearly_less(best_.ends[m], best_.score.makespan); });
        if (random_.below(2) == 0) return last;
        return pick([&](std::size_t m) {
            return share_a_port(problem_.messages[m], problem_.messages[last]);
        });
    }

    [[nodiscard]] Precedence neighbour() {
        Precedence next = best_.precedence;
        auto& sequence = next.sequence;
        const std::size_t target = pick_target();
        if (relays_ && random_.below(3) == 0) {
            next.relayed[target] = next.relayed[target] == 0 ? 1 : 0;
            if (random_.below(2) == 0) return next;
        }
        const auto place = std::ranges::find(sequence, target);
        const Message& own = problem_.messages[target];
        auto rival = sequence.end();
        std::uint64_t seen = 0;
        for (auto other = sequence.begin(); other != place; ++other)
            if (share_a_port(own, problem_.messages[*other]) && random_.below(++seen) == 0)
                rival = other;
        if (rival == sequence.end()) {  // it chose first already: let another one do so
            const auto other =
                sequence.begin() + static_cast<std::ptrdiff_t>(random_.below(sequence.size()));
            std::rotate(std::min(place, other), std::max(place, other), std::max(place, other) + 1);
        } else if (random_.below(3) == 0) {
            std::rotate(rival, rival + 1, place + 1);  // the rival right after the target
        } else {
            std::rotate(rival, place, place + 1);
        }
        return next;
    }

    const Problem& problem_;
    bool relays_;
    Paths paths_;
    Score bounds_;
    Meter meter_;  ///< of the search: bounds are stated whatever it is granted
    Random random_{1};
    Staged best_;
};

}  // namespace

Found demands_first(const Problem& problem, const Limits& limits) {
    if (!problem.has_demands()) return open_shop(problem, limits);
    return {.order = Search(problem, limits, false).run()};
}

Found staged(const Problem& problem, const Limits& limits) {
    return {.order = Search(problem, limits, true).run()};
}

}  // namespace espalier::demands
