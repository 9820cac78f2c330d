#pragma once

#include "network/network.hpp"
#include "schedule/ring.hpp"

#include <string>

namespace espalier::report {

/// The platform with a ring on it, as SVG: hosts with their shares as areas and their places in the
/// ring, routers, links with their bandwidths and how much of them is in use, and the paths of the
/// ring beside each other along their links. `ring` must be valid on `network`.
[[nodiscard]] std::string ring_svg(const schedule::Ring& ring,
                                   const network::LinksNetwork& network);
/// The same as a page that stands for itself and needs no script, with its hosts and links as
/// tables.
[[nodiscard]] std::string ring_html(const schedule::Ring& ring,
                                    const network::LinksNetwork& network);

}  // namespace espalier::report
