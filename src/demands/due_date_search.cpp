#include "demands/due_date_search.hpp"

#include "demands/any_bound.hpp"
#include "demands/critical_bound.hpp"
#include "demands/due_date_bound.hpp"
#include "demands/open_shop.hpp"
#include "plan/exchange/bound.hpp"
#include "plan/exchange/list_search.hpp"
#include "schedule/demands.hpp"
#include "simulate/use.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

namespace espalier::demands {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

bool share_a_port(const Message& a, const Message& b) { return a.from == b.from || a.to == b.to; }

}  // namespace

DueDateSearch::DueDateSearch(const Problem& problem, Meter& meter, bool relays)
    : problem_(problem),
      meter_(meter),
      relays_(relays),
      ways_(problem),
      bounds_{critical_bound(problem), missed_bound(problem), 0, exchange_bound(problem)} {
    if (!relays) return;
    const AnyBound any = any_bound(problem);
    bounds_ = {any.critical, any.missed, 0, any.makespan};
}

Staged DueDateSearch::build(Precedence precedence) {
    Calendar calendar(problem_);
    std::vector<Ways::Leg> legs;
    const auto take = [&](const Ways::Leg& leg) {
        calendar.take(leg.place, leg.gap, leg.latency);
        legs.push_back(leg);
    };
    for (const std::size_t m : precedence.sequence) {
        if (precedence.relayed.empty() || precedence.relayed[m] == 0) {
            take(ways_.straight(calendar, m));
        } else {
            for (const Ways::Leg& leg : ways_.quickest(calendar, m)) take(leg);
        }
    }
    std::ranges::stable_sort(legs, {}, [](const Ways::Leg& leg) { return leg.place.start; });
    Staged staged;
    staged.precedence = std::move(precedence);
    for (const Ways::Leg& leg : legs) staged.order.push_back(leg.hop);
    staged.ends = ends_of(problem_, staged.order);
    staged.score = score_of(problem_, staged.ends);
    meter_.spend(legs.size());
    return staged;
}

Staged DueDateSearch::best_by_rules() {
    Limits quick = meter_.share(0.1);
    quick.time = std::min(quick.time, Seconds(0.05));
    std::optional<Staged> best;
    for (auto& sequence : sequences_by_rules(problem_, for_the_makespan(problem_, quick))) {
        Staged staged = build({std::move(sequence)});
        if (!best || better(staged.score, best->score)) best = std::move(staged);
        if (meets(best->score, bounds_) || meter_.over()) break;
    }
    return *std::move(best);
}

std::size_t DueDateSearch::pick_target(const Staged& staged) {
    // A message of which `hurts` is true, each as likely.
    const auto pick = [&](const auto& hurts) {
        std::size_t found = staged.ends.size();
        std::uint64_t seen = 0;
        for (std::size_t m = 0; m < staged.ends.size(); ++m)
            if (hurts(m) && random_.below(++seen) == 0) found = m;
        return found;
    };
    using simulate::clearly_less;
    if (clearly_less(bounds_.critical, staged.score.critical) && random_.below(4) != 0)
        return pick([&](std::size_t m) {
            return problem_.is_critical(problem_.messages[m]) &&
                   !clearly_less(staged.ends[m], staged.score.critical);
        });
    if (staged.score.missed > 0 && random_.below(4) != 0)
        return pick([&](std::size_t m) {
            return schedule::is_late(staged.ends[m], problem_.due(m).deadline);
        });
    const std::size_t last =
        pick([&](std::size_t m) { return !clearly_less(staged.ends[m], staged.score.makespan); });
    if (random_.below(2) == 0) return last;
    return pick(
        [&](std::size_t m) { return share_a_port(problem_.messages[m], problem_.messages[last]); });
}

Precedence DueDateSearch::neighbour(const Staged& staged) {
    Precedence next = staged.precedence;
    auto& sequence = next.sequence;
    const std::size_t target = pick_target(staged);
    if (relays_ && random_.below(3) == 0) {
        if (next.relayed.empty()) next.relayed.assign(problem_.messages.size(), 0);
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

void DueDateSearch::improve(Staged& best) {
    if (problem_.messages.size() < 2) return;
    const std::size_t patience = std::min<std::size_t>(300 + 20 * best.ends.size(), 4000);
    std::size_t since = 0;
    while (since < patience && !meter_.over() && !meets(best.score, bounds_)) {
        Staged next = build(neighbour(best));
        ++since;
        if (better(best.score, next.score)) continue;
        if (better(next.score, best.score)) since = 0;
        best = std::move(next);
    }
}

std::vector<std::size_t> for_the_makespan(const Problem& problem, const Limits& limits) {
    const Order open = open_shop(problem, {}).order;
    const Order searched = direct(problem, exchange::list_search(problem, limits).order);
    const auto makespan = [&](const Order& order) {
        return score_of(problem, ends_of(problem, order)).makespan;
    };
    std::vector<std::size_t> messages;
    for (const Hop& hop : makespan(searched) < makespan(open) ? searched : open)
        messages.push_back(hop.message);
    return messages;
}

std::vector<std::vector<std::size_t>> sequences_by_rules(const Problem& problem,
                                                         const std::vector<std::size_t>& base) {
    using Key = std::function<double(const Message&, const Due&)>;
    const std::vector<Key> due_keys{
        [](const Message&, const Due& due) { return due.deadline; },
        [](const Message& message, const Due& due) { return due.deadline - message.duration(); },
        [](const Message&, const Due& due) { return -due.priority; },
        [](const Message& message, const Due& due) { return message.duration() / due.priority; },
        [](const Message&, const Due& due) { return due.deadline / due.priority; },
    };
    const std::vector<Key> critical_keys{
        [](const Message&, const Due&) { return 0; },
        [](const Message& message, const Due&) { return -message.duration(); },
        [](const Message& message, const Due&) { return message.duration(); },
        [](const Message& message, const Due&) { return -message.latency; },
    };
    const std::size_t dues = problem.has_deadlines() ? due_keys.size() : 1;
    const std::size_t criticals = problem.critical ? critical_keys.size() : 1;
    std::vector<std::vector<std::size_t>> found;
    for (std::size_t due = 0; due < dues; ++due)
        for (std::size_t critical = 0; critical < criticals; ++critical) {
            auto sequence = base;
            const auto by = [&](const Key& key) {
                return [&](std::size_t m) { return key(problem.messages[m], problem.due(m)); };
            };
            const auto has_deadline = [&](std::size_t m) {
                return problem.due(m).deadline < never;
            };
            const auto is_own = [&](std::size_t m) {
                return problem.is_critical(problem.messages[m]);
            };
            const auto dated =
                std::stable_partition(sequence.begin(), sequence.end(), has_deadline);
            std::ranges::stable_sort(sequence.begin(), dated, {}, by(due_keys[due]));
            const auto own = std::stable_partition(sequence.begin(), sequence.end(), is_own);
            std::ranges::stable_sort(sequence.begin(), own, {}, by(critical_keys[critical]));
            found.push_back(std::move(sequence));
        }
    found.push_back(base);
    return found;
}

}  // namespace espalier::demands
