#pragma once

#include "overview/overview.hpp"
#include "report/panel.hpp"

#include <string>
#include <vector>

namespace espalier::report {

/// A network as one picture: a map, its latencies and rates as heat maps of at most 40 groups, what
/// is shared, and what is not known.
[[nodiscard]] std::string network_svg(const overview::Overview& overview);

/// The same as a page that stands for itself, needs no script, and is light or dark as its reader
/// prefers: how near and how fast it is first. `source`, a file or a directory,
/// is named in it, unless it is empty.
[[nodiscard]] std::string network_html(const overview::Overview& overview,
                                       const std::string& source, const std::string& made = "");

/// The parts that both show as pictures: the map, the heat maps (of the times of a `sender`
/// network, bars), and the shared capacities.
struct NetworkPanels {
    std::vector<Panel> pictures;
    std::string note;  ///< what was left out; empty: nothing
};
[[nodiscard]] NetworkPanels network_panels(const overview::Overview& overview);

}  // namespace espalier::report
