#pragma once

#include "core/units.hpp"

#include <map>
#include <vector>

namespace espalier {

/// How long values last, learned from looks at them: the Kaplan-Meier estimate of the chance that a
/// value lasts to an age, with delayed entry (a value is at risk only while it is looked at), and
/// an end between two looks put in their middle. Ages are kept to 8 significant binary digits, so
/// that memory is bounded, and as often as the number of looks differs in these it is estimated.
class Persistence {
public:
    /// A value of age `from` was looked at again at age `to`, and had ended, or not. `weight` > 0:
    /// so many such, or with so much chance.
    void add(Seconds from, Seconds to, bool ended, double weight = 1);
    /// The chance in [0, 1] that what has lasted to age `from` lasts to age `to`. 1 where nothing
    /// was ever seen to end.
    [[nodiscard]] double chance(Seconds from, Seconds to) const;

private:
    /// What happens at an age.
    struct Counts {
        double come = 0;   ///< values at risk after this age
        double leave = 0;  ///< values at risk up to this age
        double end = 0;
    };
    struct Point {
        double age = 0;
        double lasts = 1;  ///< the chance to last beyond the age
    };

    [[nodiscard]] double lasts_beyond(double age) const;
    void estimate();

    std::map<double, Counts> ages_;
    std::vector<Point> curve_;
    double looks_ = 0;  ///< the sum of weights
};

}  // namespace espalier
