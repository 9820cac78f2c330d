#pragma once

#include "ring/problem.hpp"

#include <vector>

namespace espalier::ring {

/// A ring of hosts and its paths. With two hosts, each is the other's successor and predecessor,
/// and there are four paths; with one, both lists are empty.
struct Embedding {
    std::vector<Host> order;
    std::vector<Path> to_successor;  ///< of the host at each place of `order`
    std::vector<Path> to_predecessor;

    [[nodiscard]] std::size_t size() const { return order.size(); }
    [[nodiscard]] std::size_t after(std::size_t place) const {
        return place + 1 == order.size() ? 0 : place + 1;
    }
    [[nodiscard]] std::size_t before(std::size_t place) const {
        return place == 0 ? order.size() - 1 : place - 1;
    }
};

/// The embedding of hosts in this order along the problem's routes.
[[nodiscard]] Embedding embed(const Problem& problem, std::vector<Host> order);

/// The bandwidth of each path of an embedding, parallel to its lists; on each shared link, those of
/// the paths that cross it sum to at most the link's. (A path crosses a link once at most, unless a
/// listed route says otherwise.)
struct Rates {
    std::vector<double> to_successor;
    std::vector<double> to_predecessor;
};

/// The step time, and the division of the work, for given bandwidths.
struct Division {
    double step_time = 0;
    std::vector<double> shares;  ///< parallel to the embedding's order; >= 0, sum 1
};

/// The best division: T = max(Equation 4, the longest communication of any host). Equation 4 of
/// legrand-2003 alone holds only where no share would be negative. O(size + length of paths).
[[nodiscard]] Division divide_work(const Problem& problem, const Embedding& embedding,
                                   const Rates& rates);
/// The time that the host at each place spends communicating.
[[nodiscard]] std::vector<double> communication_times(const Problem& problem,
                                                      const Embedding& embedding,
                                                      const Rates& rates);
/// T for given communication times, and the shares that reach it. `hosts` parallel to `times`.
[[nodiscard]] Division divide_work(const Problem& problem, const std::vector<Host>& hosts,
                                   const std::vector<double>& communication_times);

/// A whole answer.
struct Solution {
    Embedding embedding;
    Rates rates;
    Division division;
};

}  // namespace espalier::ring
