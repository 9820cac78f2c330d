#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace espalier::measure {

/// Chooses what to state so that all costs least: what is stated, and what it leaves unexplained.
/// Costs are negative logarithms of likelihoods. The choice is improved by a local search.
class StatedChoice {
public:
    struct Candidate {
        double cost = 0;  ///< of stating it
        /// Items that cost less if it is stated, and what they cost then.
        std::vector<std::pair<std::size_t, double>> items;
    };

    /// `items`: what each costs while nothing is stated.
    explicit StatedChoice(std::vector<double> items) : items_(std::move(items)) {}

    void add(Candidate candidate) { candidates_.push_back(std::move(candidate)); }
    /// Improves the choice until no step does.
    void search();
    [[nodiscard]] const Candidate& candidate(std::size_t k) const { return candidates_[k]; }
    [[nodiscard]] const std::vector<std::size_t>& chosen() const { return chosen_; }
    /// What each item costs by what was chosen.
    [[nodiscard]] std::vector<double> costs() const { return costs(nobody); }
    /// All costs.
    [[nodiscard]] double cost() const;

private:
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] bool state_best();
    [[nodiscard]] bool drop();
    [[nodiscard]] bool exchange();
    /// Improves what is left without it, by single steps; whether that is better than before.
    [[nodiscard]] bool improves_without(std::size_t candidate);
    [[nodiscard]] std::vector<double> costs(std::size_t without) const;
    /// What is gained by stating it where items cost so much.
    [[nodiscard]] double gain(std::size_t candidate, const std::vector<double>& costs) const;

    std::vector<double> items_;
    std::vector<Candidate> candidates_;
    std::vector<std::size_t> chosen_;
    std::size_t barred_ = nobody;  ///< not to be chosen
};

}  // namespace espalier::measure
