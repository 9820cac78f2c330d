#pragma once

#include "network/network.hpp"
#include "schedule/ring.hpp"

#include <string>

namespace espalier::report {

/// The platform with a ring on it, as SVG: hosts with their shares as areas and their places in the
/// ring, routers, links with their bandwidths and how much of them is in use, and the paths of the
/// ring beside each other along their links. `ring` must be valid on `network`. `titled`: with its
/// title and step time above.
[[nodiscard]] std::string ring_svg(const schedule::Ring& ring, const network::LinksNetwork& network,
                                   bool titled = true);
/// The same as a page that stands for itself and needs no script, with its hosts and links as
/// tables. `file` and `network_file` are named in it.
[[nodiscard]] std::string ring_html(const schedule::Ring& ring,
                                    const network::LinksNetwork& network, const std::string& file,
                                    const std::string& network_file, const std::string& made = "");

}  // namespace espalier::report
