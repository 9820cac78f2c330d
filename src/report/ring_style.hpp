#pragma once

#include "core/infinity.hpp"
#include "network/network.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace espalier::report {

/// Colours of the marks that a ring's picture and its legend share.
namespace ring_style {
inline constexpr std::string_view path = "#00568c";    ///< paths, and the rims of hosts in the ring
inline constexpr std::string_view idle = "#b9c2cb";    ///< the rims of hosts that are not
inline constexpr std::string_view router = "#9aa5b1";  ///< also the rims of links without ends
}  // namespace ring_style

/// The colour of a link of whose bandwidth this part is in use, from none, over little, to all.
[[nodiscard]] std::string colour_of_use(double part);

/// The widths in which links are drawn, by the logarithms of their bandwidths.
class LinkBands {
public:
    explicit LinkBands(const std::vector<network::LinksNetwork::Link>& links);

    /// The width of a link in pixels. The bandwidth lies between those of the narrowest and the
    /// widest link.
    [[nodiscard]] double width_of(double bandwidth) const;

    /// Bandwidths, in the network's unit; of no use where there are no links.
    [[nodiscard]] double narrowest() const { return narrowest_; }
    [[nodiscard]] double widest() const { return widest_; }

private:
    double narrowest_ = infinity;
    double widest_ = 0;
};

}  // namespace espalier::report
