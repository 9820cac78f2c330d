#pragma once

#include "network/grid_view.hpp"
#include "network/network.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::network {

/// The place of a rate that a grid states, at any level.
struct GridRate {
    enum class Kind {
        shared,   ///< a shared capacity
        link,     ///< of one stream from a cluster to another
        local,    ///< of one stream inside a cluster
        egress,   ///< of all that a node of a cluster sends
        ingress,  ///< of all that it receives
    };
    Kind kind = Kind::shared;
    std::vector<std::size_t> grid;  ///< the clusters in which the grid lies, outermost first
    std::size_t index = 0;          ///< of the shared capacity; else of the (sending) cluster
    std::size_t to = 0;             ///< the receiving cluster of a link

    friend auto operator<=>(const GridRate&, const GridRate&) = default;
};

/// All rates that a grid states.
[[nodiscard]] std::vector<GridRate> rates_of(const GridNetwork& grid);

/// Whether messages between different nodes of these leaves need it.
[[nodiscard]] bool is_used(const GridRate& rate, const GridView& view, std::size_t from,
                           std::size_t to);

/// The link that messages between different leaves need.
[[nodiscard]] GridRate link_between(const GridView& view, std::size_t from, std::size_t to);

/// A rate by the names of what it is of, which stand where a network is measured anew, or differs
/// in other parts.
struct RateName {
    GridRate::Kind kind = GridRate::Kind::shared;
    std::vector<std::string> grid;  ///< names of the clusters in which it lies, outermost first
    std::string name;               ///< of the shared capacity; else of the (sending) cluster
    std::string to;                 ///< of a link: the receiving cluster

    friend bool operator==(const RateName&, const RateName&) = default;
};
[[nodiscard]] RateName named(const GridRate& rate, const GridNetwork& grid);
/// nullopt where the grid states no such rate.
[[nodiscard]] std::optional<GridRate> find_rate(const RateName& name, const GridNetwork& grid);

/// In words: `uplink of a`, `a to b`, `inside a`, `what nodes of a send`.
[[nodiscard]] std::string name_of(const GridRate& rate, const GridNetwork& grid);

/// What the grid states: the capacity, or how much faster than bytes a message gets longer; of a
/// gap that does not depend on size one byte in that time.
[[nodiscard]] BytesPerSecond value_of(const GridRate& rate, const GridNetwork& grid);
/// The latency of the shortest message over a link.
[[nodiscard]] Seconds latency_of(const GridRate& link, const GridNetwork& grid);

/// The grid with that rate `times` as high. What the shortest message takes of a link stays.
[[nodiscard]] GridNetwork with_rate(const GridNetwork& grid, const GridRate& rate, double times);

/// The grid whose messages over that link arrive so much later (earlier, if it is negative, but
/// never before they are sent).
[[nodiscard]] GridNetwork with_later(const GridNetwork& grid, const GridRate& link, Seconds later);

/// A change of what a grid states.
struct GridChange {
    GridRate rate;
    double times = 1;  ///< it is so many times as high
    Seconds later;     ///< of a link: messages arrive so much later

    friend bool operator==(const GridChange&, const GridChange&) = default;
};
[[nodiscard]] GridNetwork with_change(const GridNetwork& grid, const GridChange& change);
/// Adds a change to others, as one with that of the same rate.
void add_change(std::vector<GridChange>& changes, const GridChange& change);
/// In words: `uplink of a carries 0.25 times as much, a to b takes 20 ms longer`. They are of this
/// grid.
[[nodiscard]] std::string in_words(const std::vector<GridChange>& changes, const GridNetwork& grid);

}  // namespace espalier::network
