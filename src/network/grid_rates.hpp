#pragma once

#include "network/grid_view.hpp"
#include "network/network.hpp"

#include <cstddef>
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

/// In words: `uplink of a`, `a to b`, `inside a`, `what nodes of a send`.
[[nodiscard]] std::string name_of(const GridRate& rate, const GridNetwork& grid);

/// The grid with that rate `times` as high. What the shortest message takes of a link stays.
[[nodiscard]] GridNetwork with_rate(const GridNetwork& grid, const GridRate& rate, double times);

/// The grid whose messages over that link arrive so much later, and those that go back so much
/// (earlier, if it is negative, but never before they are sent).
[[nodiscard]] GridNetwork with_later(const GridNetwork& grid, const GridRate& link, Seconds there,
                                     Seconds back);

}  // namespace espalier::network
