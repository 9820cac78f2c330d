#include "core/common_changes.hpp"

#include "core/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace espalier {

namespace {

/// A chance that so many looks tell, as if there had been one more whose outcome nobody knows:
/// what never was is not impossible.
double and_one_unknown(double chance, double looks) { return (looks * chance + 0.5) / (looks + 1); }

}  // namespace

CommonChanges::CommonChanges(std::vector<std::size_t> group_of) : group_of_(std::move(group_of)) {
    std::size_t groups = 0;
    for (const std::size_t group : group_of_) groups = std::max(groups, group + 1);
    groups_.resize(groups);
}

double CommonChanges::ends(const Run& run, Seconds from, Seconds to) const {
    const double begin = run.begin().value;
    const Seconds age(std::max(from.value - begin, 0.0));
    return and_one_unknown(1 - persistence_.chance(age, Seconds(to.value - begin)), spans_);
}

double CommonChanges::changes(bool event) const {
    return event ? 1 - (1 - alone_.of()) * (1 - by_event_.of()) : alone_.of();
}

void CommonChanges::go_on(Group& group, Seconds time) {
    if (group.runs.empty()) {
        group.runs.push_back({time, time, time, 1});
    } else if (time > group.at) {
        // What all looks of one time tell of an event counts for each of them.
        for (const Look& look : group.looks)
            for (const Run& run : group.runs) learn(run, look, group.at);
        group.looks.clear();
        Run next{group.at, time, Seconds(0), 0};
        for (Run& run : group.runs) {
            const double ended = run.chance * ends(run, group.at, time);
            run.chance -= ended;
            next.chance += ended;
            next.previous += ended * run.begin();
        }
        next.previous = next.previous / next.chance;
        group.runs.push_back(next);
        spans_ += 1;
    }
    group.at = time;
}

void CommonChanges::begin(std::size_t quantity, Seconds at) {
    go_on(groups_[group_of_[quantity]], at);
}

void CommonChanges::learn(const Run& run, const Look& look, Seconds to) {
    const auto [from, changed] = look;
    const auto age = [](Seconds at, Seconds begin) {
        return Seconds(std::max((at - begin).value, 0.0));
    };
    const bool event = run.after >= from;
    // Of a change at an event either may be the cause, or both.
    alone_.add(run.chance, changed ? alone_.of() / changes(event) : 0);
    if (event) {
        by_event_.add(run.chance, changed ? by_event_.of() / changes(event) : 0);
        persistence_.add(age(from, run.previous), age(run.after, run.previous), false, run.chance);
        persistence_.add(age(run.after, run.previous), age(run.until, run.previous), true,
                         run.chance);
    } else {
        persistence_.add(age(from, run.begin()), age(to, run.begin()), false, run.chance);
    }
}

void CommonChanges::add(std::size_t quantity, Seconds from, Seconds to, bool changed,
                        double lasts) {
    if (to <= from) return;
    Group& group = groups_[group_of_[quantity]];
    if (group.at > from) {
        const double foreseen = chance(quantity, from, to);
        const double otherwise = and_one_unknown(lasts, looks_);
        advantage_ +=
            changed ? std::log((1 - foreseen) / (1 - otherwise)) : std::log(foreseen / otherwise);
    }
    go_on(group, to);
    double sum = 0;
    for (Run& run : group.runs) {
        const double change = changes(run.after >= from);
        sum += run.chance *= changed ? change : 1 - change;
    }
    for (Run& run : group.runs) run.chance /= sum;
    std::erase_if(group.runs, [](const Run& run) { return run.chance < rounding; });
    group.looks.push_back({from, changed});
    looks_ += 1;
}

double CommonChanges::chance(std::size_t quantity, Seconds from, Seconds to) const {
    if (to <= from) return 1;
    const Group& group = groups_[group_of_[quantity]];
    double same = 0;
    for (const Run& run : group.runs) {
        const Seconds seen = std::max(group.at, from);
        const double event = run.after >= from ? 1 : to > seen ? ends(run, seen, to) : 0;
        same += run.chance * (event * (1 - changes(true)) + (1 - event) * (1 - changes(false)));
    }
    return same;
}

}  // namespace espalier
