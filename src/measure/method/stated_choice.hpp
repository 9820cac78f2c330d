#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace espalier::measure {

/// Chooses what to state so that all costs least: what is stated, and what it leaves unexplained.
/// Costs are negative logarithms of likelihoods. The choice is improved by a local search.
class StatedChoice {
public:
    struct Candidate {
        double cost = 0;  ///< of stating it
        /// Whether it is one of those of which there are none, or many: the first of them that is
        /// stated costs more.
        bool in_company = false;
        /// Items that cost less if it is stated, and what they cost then.
        std::vector<std::pair<std::size_t, double>> items;
    };

    /// `items`: what each costs while nothing is stated.
    /// `cost_of_company`: what it costs that any is stated that is in company.
    StatedChoice(std::vector<double> items, double cost_of_company)
        : items_(std::move(items)), cost_of_company_(cost_of_company) {}

    void add(Candidate candidate) { candidates_.push_back(std::move(candidate)); }
    /// Improves the choice until no step does.
    void search();
    [[nodiscard]] const Candidate& candidate(std::size_t k) const { return candidates_[k]; }
    [[nodiscard]] const std::vector<std::size_t>& chosen() const { return chosen_; }
    /// What each item costs by what was chosen.
    [[nodiscard]] std::vector<double> costs() const { return costs(nobody); }

private:
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] bool state_best();
    [[nodiscard]] bool state_company();
    [[nodiscard]] bool drop();
    [[nodiscard]] bool exchange();
    /// Improves what is left without these, by single steps; whether that is better than before.
    [[nodiscard]] bool improves_without(const std::set<std::size_t>& some);
    [[nodiscard]] bool has_company(std::size_t without = nobody) const;
    [[nodiscard]] double cost() const;
    [[nodiscard]] std::vector<double> costs(std::size_t without) const;
    /// What is gained by stating it where items cost so much.
    [[nodiscard]] double gain(std::size_t candidate, const std::vector<double>& costs) const;
    /// The candidate by which most is gained, if any is. `freely`: of those in company, of which
    /// the first costs no more than the others.
    [[nodiscard]] std::optional<std::size_t> best(bool freely) const;

    std::vector<double> items_;
    double cost_of_company_ = 0;
    std::vector<Candidate> candidates_;
    std::vector<std::size_t> chosen_;
    std::set<std::size_t> barred_;  ///< not to be chosen
};

}  // namespace espalier::measure
