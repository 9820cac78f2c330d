#pragma once

#include "sender/problem.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace espalier::test {

/// One order of single nodes, by their classes: they receive (broadcast) or start to send
/// (reduction) in this order, everyone as early as possible. The root is apart.
struct NodeOrder {
    std::size_t root = 0;
    std::vector<std::size_t> classes;
    friend bool operator==(const NodeOrder&, const NodeOrder&) = default;
};

/// When each node of an order receives (broadcast) or starts to send (reduction), and when all is
/// done: by a simulation of its own, port by port.
struct NodeTimes {
    std::vector<double> at;
    double makespan = 0;
};
[[nodiscard]] NodeTimes naive_times(const sender::Problem& problem, const NodeOrder& order);

/// Calls `visit` for every order that differs from the others in its classes; with any root, for
/// every class of the root.
void for_each_order(const sender::Problem& problem,
                    const std::function<void(const NodeOrder&, const NodeTimes&)>& visit);

/// The least makespan of all orders of classes: every different order, cut off where what is begun
/// can't end before the best. Up to twelve nodes or so.
[[nodiscard]] double least_makespan_of_orders(const sender::Problem& problem);

/// One send in a tree, by the times of the nodes.
struct Link {
    double sender;
    double receiver;
    bool from_root;  ///< sent by the root of a broadcast
};

/// The least makespan of all trees and all orders of sends in them: every way in which one node
/// after the other sends to another, times following from that. Knows nothing of sequences or of
/// the inequality of liu-2000. Up to seven nodes or so. `allowed`: only trees of such links;
/// infinite where there are none.
[[nodiscard]] double least_makespan_of_trees(const sender::Problem& problem,
                                             const std::function<bool(const Link&)>& allowed = {});

/// One node's only send of a reduction.
struct Window {
    double start = 0;
    double end = 0;
};

/// Whether these senders, and the root, which is one more node, can be given to each other as
/// receivers: by trying every node for every sender. A node receives up to `ports` at once, and
/// nothing once its own send starts. Up to eight senders or so.
[[nodiscard]] bool receivers_exist(const std::vector<Window>& senders, std::size_t ports);

}  // namespace espalier::test
