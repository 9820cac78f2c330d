#pragma once

#include "runtime/logic/placement.hpp"
#include "runtime/logic/refit.hpp"

#include <cstddef>
#include <memory>
#include <string>
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
        std::string
            changes;  ///< from the network at first, in words; empty: none explains anything
    };

    /// A call took another time than before, on the network that was measured as `first`, and then
    /// `believed`. `follows`: so did the one before it, by another plan, since the same change.
    [[nodiscard]] Lesson learn(const std::shared_ptr<const PlannableNetwork>& first,
                               const std::shared_ptr<const PlannableNetwork>& believed,
                               const std::vector<network::GridView::Place>& places, SeenCall call,
                               bool follows);

private:
    std::vector<SeenCall> calls_;  ///< since the last change
};

}  // namespace espalier::runtime
