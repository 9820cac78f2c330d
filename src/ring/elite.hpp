#pragma once

#include "core/infinity.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace espalier::ring {

/// The best few rings that a search has seen: each a Member with a `step_time`, which tells whether
/// it `is_like` another one, of which only the better one is kept.
template <typename Member>
class Elite {
public:
    explicit Elite(std::size_t most) : most_(most) {}

    /// The best first.
    [[nodiscard]] const std::vector<Member>& members() const { return members_; }
    /// The step time below which a ring becomes a member.
    [[nodiscard]] double enough() const {
        return members_.size() < most_ ? infinity : members_.back().step_time;
    }
    void offer(Member member) {
        if (!(member.step_time < enough())) return;
        const auto like = [&](const Member& other) { return other.is_like(member); };
        const auto known = std::ranges::find_if(members_, like);
        if (known != members_.end()) {
            if (known->step_time <= member.step_time) return;
            members_.erase(known);
        }
        if (members_.size() == most_) members_.pop_back();
        members_.insert(
            std::ranges::upper_bound(members_, member.step_time, {}, &Member::step_time),
            std::move(member));
    }

private:
    std::size_t most_;
    std::vector<Member> members_;
};

}  // namespace espalier::ring
