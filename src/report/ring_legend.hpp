#pragma once

#include "network/network.hpp"
#include "report/legend.hpp"
#include "report/ring_picture.hpp"
#include "report/ring_style.hpp"

namespace espalier::report {

/// The legend of a ring's picture, with only those marks that are in it.
[[nodiscard]] Legend ring_legend(const RingPicture& picture, const network::LinksNetwork& network,
                                 const LinkBands& bands);

}  // namespace espalier::report
