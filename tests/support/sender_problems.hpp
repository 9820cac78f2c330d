#pragma once

#include "core/random.hpp"
#include "network/network.hpp"
#include "sender/problem.hpp"

#include <cstddef>
#include <vector>

namespace espalier::test {

struct RandomNodes {
    std::size_t least = 2;    ///< nodes
    std::size_t most = 7;     ///< nodes
    std::size_t classes = 3;  ///< each node draws one of so many times; some may stay unused
    double slowest = 10;      ///< times are from 1 up to this
    bool real = false;        ///< times are real numbers; else whole
    bool any_root = true;     ///< of a broadcast; else, and in a reduction, a node that is drawn
    std::size_t ports = 1;
};

[[nodiscard]] sender::Problem random_nodes(Random& random, schedule::Kind kind,
                                           const RandomNodes& shape);

/// The network of a problem: a class of the network for each of its classes.
[[nodiscard]] network::SenderNetwork network_of(const sender::Problem& problem);
/// The first node of its root's class in that network.
[[nodiscard]] std::optional<std::size_t> root_of(const sender::Problem& problem);

/// Each node listed by itself, `p0`, `p1`, ….
[[nodiscard]] network::SenderNetwork listed(const std::vector<double>& times);

/// The problem of nodes with these times. `root_time`: of the given root.
[[nodiscard]] sender::Problem nodes_of(schedule::Kind kind, const std::vector<double>& times,
                                       std::optional<double> root_time = {}, std::size_t ports = 1);

}  // namespace espalier::test
