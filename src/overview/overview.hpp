#pragma once

#include "core/matrix.hpp"
#include "network/network.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::overview {

/// Like nodes, of which messages cost the same: a cluster, a class of senders, or one node.
struct Group {
    std::string name;
    std::string site;  ///< the outermost cluster, where levels nest
    std::size_t nodes = 1;
    std::optional<double> egress;       ///< what one of its nodes sends in all
    std::optional<double> ingress;      ///< what one of its nodes receives in all
    std::optional<double> broadcast;    ///< the time of its own broadcast
    std::optional<double> within_node;  ///< the latency between ranks of one node
    std::optional<double> send_time;    ///< of a unit message, whoever receives it
    /// The least and the greatest time per unit of work of its nodes.
    std::optional<std::pair<double, double>> cycle_times;
};

/// A rate that messages of several pairs of groups share, and who they are.
struct Capacity {
    std::string name;
    double rate = 0;
    /// Whether nobody saw it full: it is taken to carry what was seen on it.
    bool presumed = false;
    std::vector<std::size_t> from;  ///< groups, increasing
    std::vector<std::size_t> to;    ///< groups, increasing
    bool both = false;              ///< messages the other way, too
    bool all_pairs = false;         ///< from each of `from` to each of `to`
    std::size_t pairs = 0;          ///< ordered ones
};

/// A physical link, where the network states them. Ends are groups, or, counted on after these,
/// routers.
struct Wire {
    std::string name;
    std::size_t from = 0;
    std::size_t to = 0;
    double rate = 0;
    double latency = 0;
};

/// Something that nobody knows, or that is only presumed.
struct Unknown {
    std::string what;
    std::string remedy;  ///< what may be done about it; empty where nothing is known to help
};

/// What a network says, in the terms in which people look at it, whichever model states it. Times
/// are seconds and rates bytes per second, if `time_unit` is `s`, and otherwise what the file's
/// numbers mean. Unlike a network it answers where something is not known: with nothing.
struct Overview {
    std::string model;
    /// What a group is: `cluster`, `node`, `host`, `class`.
    std::string noun;
    /// `s`, another unit of the times, or empty: those that the file's numbers agree on.
    std::string time_unit = "s";
    std::size_t nodes = 0;
    std::vector<Group> groups;
    /// From row to column, and inside a group on the diagonal; of no size if the model has none.
    Matrix<std::optional<double>> latencies;
    /// What one message of large_message gets.
    Matrix<std::optional<double>> rates;
    std::vector<Capacity> capacities;
    std::vector<Wire> wires;
    std::vector<std::string> routers;
    /// A sentence each: what carries messages, when and by whom the network was measured.
    std::vector<std::string> facts;
    std::vector<Unknown> unknown;

    [[nodiscard]] bool in_seconds() const { return time_unit == "s"; }
    [[nodiscard]] bool has_pairs() const { return latencies.rows() > 1; }
};

/// The size at which a message counts as large.
inline constexpr Bytes large_message{1 << 20};

/// Throws InputError where the nodes of a physical graph can't reach each other.
[[nodiscard]] Overview overview_of(const network::Network& network);

/// The indices of the `most` groups that have the most nodes (all if there are no more), in order.
[[nodiscard]] std::vector<std::size_t> largest_groups(const Overview& overview, std::size_t most);

/// `clusters`, `classes`: the word for several groups.
[[nodiscard]] std::string plural(const Overview& overview);

/// Who draws on a capacity: `a to all others`, `a, b to c and back`, `12 pairs among a, b, c, d`.
[[nodiscard]] std::string who_shares(const Overview& overview, const Capacity& capacity);

/// The groups at whose end a capacity lies, as far as it can be seen from who draws on it: the
/// fewer of both ends, and whether these send, receive, or both. No group where both ends are the
/// same.
struct Side {
    std::vector<std::size_t> groups;
    bool sends = false;
    bool receives = false;
};
[[nodiscard]] Side side_of(const Capacity& capacity);

}  // namespace espalier::overview
