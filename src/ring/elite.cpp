#include "ring/elite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::ring {

double Elite::enough() const {
    return members_.size() < most_ ? std::numeric_limits<double>::infinity()
                                   : members_.back().step_time;
}

void Elite::offer(double step_time, const PooledRing& ring, const Prices& prices) {
    if (!(step_time < enough())) return;
    // Mostly one and the same ring, begun elsewhere or run through backwards.
    constexpr double same = 1e-9;
    const auto at = std::ranges::lower_bound(members_, step_time, {}, &Member::step_time);
    const auto alike = [&](const Member& member) {
        return std::abs(member.step_time - step_time) <= same * step_time &&
               member.ring.size() == ring.size();
    };
    if ((at != members_.end() && alike(*at)) || (at != members_.begin() && alike(*(at - 1))))
        return;
    if (members_.size() < most_) {
        members_.insert(at, {step_time, ring, prices});
    } else {
        std::move_backward(at, members_.end() - 1, members_.end());
        *at = {step_time, ring, prices};
    }
}

}  // namespace espalier::ring
