#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan::grid {

/// A broadcast between clusters in plain numbers (seconds), at one message size.
struct Problem {
    std::size_t root = 0;
    Matrix<double> gap;         ///< g(i, j): a send occupies i for this long
    Matrix<double> latency;     ///< L(i, j): j holds the message at start + g + L
    std::vector<double> inner;  ///< T_i: how long the broadcast inside i takes, after i's last send
    /// Messages of this size that follow one another along the tree (the segments of a pipeline).
    std::size_t segments = 1;
    /// How long sending one message into its own cluster occupies each coordinator; empty: nothing.
    std::vector<double> load = {};
    std::size_t ports = 1;  ///< sends, and receives, that a cluster takes part in at once

    [[nodiscard]] std::size_t size() const { return inner.size(); }
    /// g(i, j) + L(i, j).
    [[nodiscard]] double delivery(std::size_t from, std::size_t to) const {
        return gap(from, to) + latency(from, to);
    }
};

struct Send {
    std::size_t from = 0;
    std::size_t to = 0;
    friend bool operator==(const Send&, const Send&) = default;
};
/// size() - 1 sends; each sender's order is its order here, and a node receives before it sends.
using Order = std::vector<Send>;

/// When the last cluster is done: a send occupies the earliest free port of its sender for g, the
/// receiver may send at start + g + L, and T_i begins at the end of all of i's sends, or on receipt
/// where it sends nothing.
[[nodiscard]] double makespan(const Problem& problem, const Order& order);

/// The same sends in the order in which they leave their senders' ports; of equals the earlier
/// listed first.
[[nodiscard]] Order by_end_of_sending(const Problem& problem, const Order& order);

}  // namespace espalier::plan::grid
