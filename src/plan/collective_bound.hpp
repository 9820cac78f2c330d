#pragma once

#include "schedule/timeline.hpp"
#include "simulate/bounds.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace espalier::plan {

/// A time that no schedule for the collective beats, however data is cut, joined and passed on
/// (scope any), where each node takes part in `ports` sends, and in as many receives, at once.
/// Links whose cost is not known are taken as absent. docs/bounds.md derives it for each kind.
///
/// `inner`, of a broadcast or a reduction: what each node still needs once it holds the message, or
/// needs before it has one (a cluster's own broadcast or reduction); empty: nothing.
///
/// Within the budget each kind of bound looks first at what is likely to say most. What it does not
/// come to leaves the bound lower, down to 0.
[[nodiscard]] Seconds collective_bound(const simulate::Fabric& fabric,
                                       const schedule::Collective& collective, std::size_t ports,
                                       const std::vector<Seconds>& inner = {},
                                       const Limits& budget = simulate::bound_budget);

/// The ranks that a plan serves, as far as its bounds are concerned.
struct Bounded {
    std::vector<Seconds> inner;  ///< what each still needs once it is served; empty: nothing
    Seconds found;               ///< what a search proved for whole messages; 0: nothing
    std::size_t ports = 1;       ///< that plans may use
};

/// The bounds of a collective on one fabric, which must outlive this: each is found once, when a
/// plan needs it.
class CollectiveBounds {
public:
    CollectiveBounds(const simulate::Fabric& fabric, Bounded bounded)
        : fabric_(fabric), bounded_(std::move(bounded)) {}

    /// Fills in the scope and bounds of a plan for it, and whether it meets the one of its scope. A
    /// tree of whole messages has a bound of its own, with one for schedules of any kind beside it.
    void fill_in(schedule::Plan& plan, bool is_tree);

private:
    const simulate::Fabric& fabric_;
    const Bounded bounded_;
    std::optional<Seconds> of_any_;
    std::optional<Seconds> of_trees_;
};

/// A lower bound, within the plan's scope, on one of the fabrics that a network may turn out to be.
/// For all scenarios together it may cost what one bound may.
[[nodiscard]] Seconds scenario_bound(const schedule::Plan& plan, const simulate::Fabric& fabric,
                                     const Bounded& bounded);

}  // namespace espalier::plan
