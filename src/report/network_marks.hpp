#pragma once

#include "overview/overview.hpp"
#include "overview/units.hpp"
#include "report/network_places.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace espalier::report {

/// What a map shows beside groups and lines: who shares a capacity, and who is of one site.
struct NetworkMarks {
    /// Several groups that share capacities or are of one site.
    struct Hull {
        std::vector<std::string> lines;
        bool capacity = false;
    };
    /// A capacity that one pair draws on.
    struct Tick {
        std::size_t from = 0;  ///< spots
        std::size_t to = 0;
        const overview::Capacity* capacity = nullptr;  ///< of the overview
    };
    /// `↑ 50 Mbit/s`: for each spot, what it shares with no other at its end.
    std::vector<std::vector<std::string>> lines;
    std::map<std::vector<std::size_t>, Hull> hulls;  ///< by their spots
    std::vector<Tick> ticks;
};

/// The overview must outlive them. Of physical graphs only sites: their links are on the map.
[[nodiscard]] NetworkMarks network_marks(const overview::Overview& overview,
                                         const NetworkPlaces& places, const overview::Unit& rate);

}  // namespace espalier::report
