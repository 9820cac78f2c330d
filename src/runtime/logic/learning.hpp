#pragma once

#include "runtime/logic/placement.hpp"
#include "runtime/logic/refit.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace espalier::runtime {

/// What calls tell of a network that changes while a program runs. What recent calls don't
/// contradict is as it was at first: plans that avoid a slow link would never find out that it is
/// fast again.
class Learning {
public:
    struct Lesson {
        std::shared_ptr<const PlannableNetwork> network;
        /// How many times as long as predicted on it calls take.
        double usual = 1;
        /// From the network at first; none: nothing has changed, or nothing explains it.
        std::vector<network::GridChange> changes;
    };

    /// A call took another time than before, on the network that was measured as `first`, and then
    /// `believed`. `follows`: nothing need have changed since the one before it; the ones before
    /// count as long as one change explains them all.
    /// What may explain that, at least one lesson; they explain it as well as each other.
    [[nodiscard]] std::vector<Lesson> learn(const std::shared_ptr<const PlannableNetwork>& first,
                                            const std::shared_ptr<const PlannableNetwork>& believed,
                                            const std::vector<network::GridView::Place>& places,
                                            SeenCall call, bool follows);
    /// The network is as it was at first.
    void forget() { calls_.clear(); }

private:
    std::vector<SeenCall> calls_;  ///< since the last change
};

/// Of plans between ranks, one for what each lesson supposes, the one that takes least on average
/// over all lessons: whichever is right, calls by it are not far from the best.
[[nodiscard]] std::size_t best_over_all(
    std::span<const std::shared_ptr<const schedule::Schedule>> plans,
    std::span<const Learning::Lesson> lessons, const std::vector<network::GridView::Place>& places);

}  // namespace espalier::runtime
