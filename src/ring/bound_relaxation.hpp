#pragma once

#include "ring/bound_costs.hpp"
#include "ring/bound_tree.hpp"

#include <vector>

namespace espalier::ring {

/// The values of a ring's constraints, in work: any values >= 0 (potentials of any sign).
struct Multipliers {
    std::vector<double> prices;      ///< by link: of its bandwidth
    std::vector<double> speeds;      ///< by host, >= 1 / w: of the step's end, which it must meet
    std::vector<double> potentials;  ///< by host: of having two neighbours
    std::vector<double> crossings;   ///< by part of the tree: of entering and leaving its group
    /// Sets that a ring with hosts in and outside enters and leaves.
    struct Cut {
        std::vector<char> in;  ///< by host
        Host inside = 0;       ///< whose presence, with that of `outside`, makes it hold
        Host outside = 0;
        double value = 0;
    };
    std::vector<Cut> cuts;
};

/// The most work that any ring of three hosts or more fits into a step, as a Lagrangian relaxation
/// sees it (docs/ring.md, "A lower bound"): given the multipliers, ring edges, hosts and parts of
/// the tree are chosen each by themselves.
class Relaxation {
public:
    Relaxation(const Problem& problem, const CutTree& tree, PathCosts& costs);

    /// A step at most as long as `longest` that every ring of three or more needs.
    [[nodiscard]] double step_time(const Multipliers& multipliers, double longest);

    /// What is chosen for each host and pair of hosts in a step of that time, for the multipliers
    /// last given to step_time, and by how much the work grows with each multiplier. Choices are
    /// softened: alternatives within some `softness` (in work) of the best are chosen in part.
    struct Choice {
        std::vector<double> hosts;
        Matrix<double> edges;  ///< upper triangle
        Multipliers slopes;
    };
    [[nodiscard]] Choice choose(double step_time, double softness);

private:
    void set(const Multipliers& multipliers, double longest);
    [[nodiscard]] double reduced(Host one, Host other) const;
    [[nodiscard]] double work_of_edges() const;
    /// The value of the best choice of hosts and parts, in work.
    double work_of_hosts(double step_time, double softness);
    [[nodiscard]] double rounding(double step_time) const;
    void choose_hosts(double step_time, double softness, Choice& choice);
    void choose_edges(double softness, Choice& choice);

    const Problem& problem_;
    const CutTree& tree_;
    PathCosts& costs_;
    Host hosts_;
    Multipliers now_;
    double longest_ = 0;
    double anywhere_ = 0;  ///< worth of links that count whatever part is used
    double of_all_cuts_ = 0;
    double magnitude_ = 0;  ///< of what is summed
    // Worth of links, each to be multiplied by per_bandwidth.
    std::vector<double> above_;    ///< by part: of its links to the rest
    std::vector<double> inside_;   ///< by part: of its own links
    std::vector<double> of_host_;  ///< what cuts take from each host's worth
    std::vector<double> path_;     ///< by part: sum of crossings from the root
    Matrix<std::size_t> meeting_;  ///< upper triangle
    Matrix<double> edge_cost_;     ///< upper triangle, as are those that follow
    Matrix<double> of_cuts_;
    Matrix<PathCosts::Cost> paths_;  ///< by ordered pair

    std::vector<double> group_;  ///< by part: worth of it and what is below, when it is used
    std::vector<double> likely_part_;
    std::vector<double> likely_host_;
};

}  // namespace espalier::ring
