#pragma once

#include "network/cost_table.hpp"

#include <cstdint>
#include <vector>

namespace espalier::measure {

/// The costs of one size of message on one link; seconds.
struct CostPoint {
    std::uint64_t bytes = 1;
    double latency = 0;
    double gap = 0;
    double latency_noise = 0;  ///< how far off the latency may be
    double gap_noise = 0;      ///< how far off the gap may be
    double delivery = 0;       ///< what a single message took, one way; 0 where it is only drawn
};

/// All sizes measured on one link, increasing.
struct LinkCosts {
    std::vector<CostPoint> points;
    double spread = 0;     ///< relative: the median over sizes of what repeated samples differ by
    bool noisy = false;    ///< whether the same message takes another time each time
    bool complete = true;  ///< whether all sizes up to 256 KiB were measured, or drawn
    double stretch = 1;    ///< by what all gaps were multiplied, because of traffic both ways
};

/// The messages that traffic both ways is measured by: long enough for their bytes to count, and no
/// longer than what most libraries send at once.
constexpr std::uint64_t both_ways_bytes = 8192;

/// The rate of a long stream alone, and the cost of the best of many small messages.
struct StreamPace {
    double rate = 0;      ///< bytes per second
    double latency = 0;   ///< one way, seconds
    double overhead = 0;  ///< gap of the smallest messages elsewhere, if none is known here
};

/// Corrects costs that were measured on a noisy clock, where the best of many small messages tells
/// more of the latency than single ones of each size. The latency becomes what those took beyond
/// the gap, no less than `least`, and no more than that of larger messages, since disturbances only
/// add. A gap becomes no more than what single messages took beyond `least`. Without noise nothing
/// is changed.
void believe_meetings(LinkCosts& costs, double least);

/// Corrects gaps that were measured on a noisy clock, where bursts of a few messages tell more of
/// how a stream begins, and of what disturbed it, than of its pace. The gap becomes a straight
/// line, from that of small messages to the pace of a long stream; the latency follows as in
/// believe_meetings(). A link that nobody had time for gets a gap that does not vary. Without noise
/// nothing is changed.
void follow_stream(LinkCosts& costs, const StreamPace& pace);

/// Latency and gap as functions of size, from what was measured at some sizes. Falls of the gap are
/// levelled, and bends of less than a quarter left out, unless the clock is without noise; the last
/// entry is never below the one before, so that the extension past it does not fall. Sizes that the
/// ones around them already tell are left out. The latency is one number if it varies by no more
/// than a few percent beyond its noise, else a table that ends level. `costs` has at least one
/// point.
[[nodiscard]] network::PLogP fit(const LinkCosts& costs);

/// The sizes at which the costs bend by more than `tolerance`: those that a table needs so that
/// linear interpolation is right to that extent at all the others.
[[nodiscard]] std::vector<std::uint64_t> telling_sizes(const LinkCosts& costs, double tolerance);

}  // namespace espalier::measure
