#pragma once

#include "core/common_changes.hpp"
#include "core/persistence.hpp"
#include "core/units.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace espalier {

/// What to expect of quantities of one kind (the latencies of many pairs, say) at a time, learned
/// from their measurements alone: how long values last, how much of a deviation from their level is
/// left at the next measurement, and what they return to.
///
/// A quantity has a level until it changes to another. expected = P (level + r (last - level)) +
/// (1 - P) centre, where P is the chance that the level has lasted, given for how long it was seen
/// to (Persistence, of all quantities together), or, if that foresees changes better, for when
/// others of its group were seen to change (CommonChanges); r is the regression of deviations from
/// a level on those of the measurement before, of all quantities together; and the centre is the
/// mean of the levels that the quantity has had, and of one more: its mean times how many times
/// their mean new levels of all quantities were. A measurement is of another level if it differs
/// relatively by more than three times what measurements usually (in the median) differ by from
/// those before them.
class Expectations {
public:
    struct Expected {
        double value = 0;
        double spread = 0;  ///< the standard deviation, of what is not known of the level
    };

    /// `groups`: for each way in which quantities may change together (all of one sender, all of
    /// one receiver) the group, from 0, of each quantity.
    explicit Expectations(std::size_t quantities,
                          const std::vector<std::vector<std::size_t>>& groups = {})
        : quantities_(quantities), common_(groups.begin(), groups.end()) {}

    /// A measured value, >= 0, not before the quantity's last (with groups: not before any).
    /// Seconds are from any one moment.
    void add(std::size_t quantity, Seconds at, double value);
    /// When it was measured last; nullopt: never.
    [[nodiscard]] std::optional<Seconds> measured(std::size_t quantity) const;
    /// The last measured value. As the others below, of a quantity that was measured, and of times
    /// not before.
    [[nodiscard]] double last(std::size_t quantity) const;
    [[nodiscard]] Expected at(std::size_t quantity, Seconds time) const;
    /// The mean of what the value is below a limit, which is 0 where it is not: what there is to
    /// gain from a measurement if only lower values are of use (expected improvement; Jones and
    /// others 1998).
    [[nodiscard]] double below(std::size_t quantity, Seconds time, double limit) const;

private:
    /// How many there were of each value, to 8 significant binary digits.
    using Counts = std::map<double, std::size_t>;
    struct History {
        std::vector<double> levels;    ///< the last is the present one
        std::size_t measurements = 0;  ///< of the present level
        double sum = 0;                ///< of levels
        double squares = 0;
        double last = 0;
        Seconds since;  ///< of the present level
        Seconds at;     ///< of the last measurement
    };

    [[nodiscard]] bool changes(double before, double value);
    [[nodiscard]] double chance(std::size_t quantity, Seconds time) const;
    [[nodiscard]] double present(const History& quantity) const;
    static void set_level(History& quantity, double level);

    std::vector<History> quantities_;
    Persistence persistence_;
    std::vector<CommonChanges> common_;
    Counts differences_;  ///< relative, between measurements in succession
    std::size_t compared_ = 0;
    Counts ratios_;  ///< new levels over the mean of those before
    std::size_t renewed_ = 0;
    double ratio_sum_ = 0;
    double ratio_squares_ = 0;
    double left_ = 0;  ///< sums of the regression
    double deviated_ = 0;
};

}  // namespace espalier
