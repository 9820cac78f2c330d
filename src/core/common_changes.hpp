#pragma once

#include "core/persistence.hpp"
#include "core/units.hpp"

#include <cstddef>
#include <vector>

namespace espalier {

/// Quantities of a group that change together (the latencies of one sender, say), learned from
/// looks at them: at an event of a group each of its quantities changes with one chance, beside
/// those that change alone (noisy or). A look at one tells of an event, and so of all others.
///
/// Of each group it keeps how probable it is that the last event was between these two looks at it
/// or those: the posterior of the run length (Bayesian online change point detection; Adams and
/// MacKay 2007), for events that come by the ages that Persistence learns. The chances of a change
/// at an event and without one are shares of the looks, weighted with that posterior.
class CommonChanges {
public:
    /// The group, from 0, of each quantity.
    explicit CommonChanges(std::vector<std::size_t> group_of);

    /// The first look at a quantity.
    void begin(std::size_t quantity, Seconds at);
    /// A quantity was looked at at two times in succession, and had changed, or not. `lasts` is
    /// the chance of the latter by who knows nothing of groups.
    void add(std::size_t quantity, Seconds from, Seconds to, bool changed, double lasts);
    /// The chance in (0, 1] that a quantity is at `to` what it was at `from`, its last look or
    /// later.
    [[nodiscard]] double chance(std::size_t quantity, Seconds from, Seconds to) const;
    /// By how much better than by who knows nothing of groups the looks were foreseen which could
    /// be by this: those since whose last another of the group was looked at. The logarithm of the
    /// likelihoods' ratio.
    [[nodiscard]] double advantage() const { return advantage_; }

private:
    /// What may have been since the last event, which was between two looks.
    struct Run {
        Seconds after;
        Seconds until;
        Seconds previous;  ///< when the event before it was expected to be
        double chance = 0;

        [[nodiscard]] Seconds begin() const { return Seconds((after.value + until.value) / 2); }
    };
    struct Look {
        Seconds from;  ///< the look before at the same quantity
        bool changed = false;
    };
    struct Group {
        std::vector<Run> runs;    ///< none: never looked at
        Seconds at;               ///< of the last looks
        std::vector<Look> looks;  ///< at that time
    };
    /// How many of the looks found a change by one cause.
    struct Share {
        double changed = 0;
        double all = 0;

        void add(double weight, double part) {
            all += weight;
            changed += weight * part;
        }
        [[nodiscard]] double of() const { return changed / all; }
    };

    [[nodiscard]] double ends(const Run& run, Seconds from, Seconds to) const;
    [[nodiscard]] double changes(bool event) const;
    void go_on(Group& group, Seconds time);
    void learn(const Run& run, const Look& look, Seconds to);

    std::vector<std::size_t> group_of_;
    std::vector<Group> groups_;
    Persistence persistence_;  ///< of groups between events
    // Each begins with two looks, one of which found what its cause would do, and one nobody knows.
    Share by_event_{1.5, 2};
    Share alone_{0.5, 2};
    double looks_ = 0;
    double spans_ = 0;  ///< between looks at a group
    double advantage_ = 0;
};

}  // namespace espalier
