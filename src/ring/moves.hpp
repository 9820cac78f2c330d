#pragma once

#include "core/matrix.hpp"
#include "core/random.hpp"
#include "ring/problem.hpp"

#include <vector>

namespace espalier::ring {

/// The distance of each two hosts: the time of a unit message along the problem's routes there and
/// back, if each link in turn had to be crossed before the next. So it counts all that a path uses
/// up, not only its narrowest link. Symmetric. O(hosts^2 * length of paths).
[[nodiscard]] Matrix<double> distances(const Problem& problem);

/// Changes rings at random: one or several hosts in or out, a host for another, part of the ring to
/// another place or backwards, two hosts exchanged. Hosts that come together are most often near to
/// each other.
class Moves {
public:
    Moves(const Problem& problem, Random& random);

    /// The hosts in their new order, until the next call. Now and then, and where there is nothing
    /// to change, the order as it is: one may look for other paths.
    [[nodiscard]] const std::vector<Host>& next(const std::vector<Host>& order);

private:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    void insert_chain();
    void relocate();
    [[nodiscard]] Host any_outsider();
    [[nodiscard]] std::size_t place_near(Host host);
    [[nodiscard]] std::size_t below(std::size_t bound) { return random_.below(bound); }
    [[nodiscard]] std::size_t geometric(std::size_t most);
    [[nodiscard]] auto at(std::size_t place) {
        return order_.begin() + static_cast<std::ptrdiff_t>(place);
    }

    Random& random_;
    std::vector<std::vector<Host>> near_;  ///< of each host the nearest ones, the nearest first
    std::vector<Host> order_;
    std::vector<std::size_t> place_;  ///< in `order_` before it changes
};

}  // namespace espalier::ring
