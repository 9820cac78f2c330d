#pragma once

#include "core/meter.hpp"
#include "plan/candidates.hpp"
#include "plan/overhead.hpp"
#include "plan/race.hpp"
#include "plan/scenarios.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace espalier::plan {

/// The candidates of a race, and what simulation says of those that may be the best.
class Trials {
public:
    /// What simulations cost is spent from `meter`, which must outlive this.
    /// `uncertainty`: of the network's predictions. `scenarios`, in which plans are compared, must
    /// outlive this, too; nullptr: they are compared by their makespans at the stated costs.
    Trials(const MessageOverhead& overhead, double uncertainty, const Scenarios* scenarios,
           Meter& meter)
        : overhead_(overhead), uncertainty_(uncertainty), scenarios_(scenarios), meter_(meter) {}

    /// Adds what the maker of this number made, unless it is there already.
    void add(Candidate candidate, std::size_t maker);
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    /// Simulates what may be the best, using so much of what is left of the budget. The one that
    /// seems to be over first is next. Candidates of an algorithm whose plans took longer than they
    /// seemed to are expected to do so again.
    void simulate(double part);
    /// The least time of what a maker made and was compared.
    [[nodiscard]] std::optional<Seconds> best_of(std::size_t maker) const;
    /// The best of each algorithm, as far as it may be the best in truth, and all candidates. There
    /// has to be one.
    [[nodiscard]] Race conclude();

private:
    struct Entry {
        Candidate candidate;
        std::size_t maker = 0;
        std::optional<Ranked> plan = {};  ///< once it was simulated
        /// Its time at the stated costs, with what messages cost beside the makespan.
        std::optional<Seconds> simulated = {};
        bool compared = false;     ///< its time is what plans are compared by
        bool given_up = false;     ///< in the scenarios
        std::string outcome = {};  ///< why it was not

        [[nodiscard]] Seconds time() const { return plan ? plan->time : candidate.optimistic; }
    };

    [[nodiscard]] std::uint64_t steps_of_next(const Entry& entry) const;
    [[nodiscard]] Seconds limit_of(const Entry& entry) const;
    [[nodiscard]] bool is_worth_simulating(Entry& entry, const Meter& round) const;
    void simulate(Entry& entry);
    void simulate_in_scenarios(Entry& entry, Seconds limit);
    void compare(Entry& entry);
    void compare_one();
    void put_simplest_first();
    [[nodiscard]] std::vector<Ranked> ranked() const;
    [[nodiscard]] std::vector<Considered> considered() const;

    MessageOverhead overhead_;
    double uncertainty_;
    const Scenarios* scenarios_;
    Meter& meter_;
    std::vector<Entry> entries_;
    std::optional<Seconds> least_;                         ///< of those compared
    std::map<std::string, Seconds, std::less<>> best_of_;  ///< likewise, by algorithm
};

}  // namespace espalier::plan
