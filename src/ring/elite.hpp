#pragma once

#include "ring/ring_prices.hpp"

#include <vector>

namespace espalier::ring {

/// The best few rings that a search has seen, by an estimate of T.
class Elite {
public:
    explicit Elite(std::size_t most) : most_(most) {}

    struct Member {
        double step_time = 0;
        PooledRing ring;
        Prices prices;
    };
    /// The best first.
    [[nodiscard]] const std::vector<Member>& members() const { return members_; }
    /// What a ring has to beat to become a member.
    [[nodiscard]] double enough() const;
    void offer(double step_time, const PooledRing& ring, const Prices& prices);

private:
    std::size_t most_;
    std::vector<Member> members_;
};

}  // namespace espalier::ring
