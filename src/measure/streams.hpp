#pragma once

#include "measure/channel.hpp"

#include <cstdint>
#include <vector>

namespace espalier::measure {

/// A stream of messages from one rank to another, in a round of several.
struct RankStream {
    int from = 0;
    int to = 0;
    std::uint64_t bytes = 1;     ///< of each message
    std::uint64_t at_first = 1;  ///< messages under way at the beginning, and then at least
    std::uint64_t window = 1;    ///< and at most
};

/// When it counts what arrives; seconds.
struct StreamTimes {
    double warm_up = 0;  ///< from the beginning on nothing counts
    double span = 0;     ///< then all does
    double settle = 0;   ///< by which ranks may begin at different times; senders go on for that
};

/// This rank's part in a round of streams, all of which run at once; those that have one call it at
/// about the same time. A sender goes on as its receiver tells it of what has arrived. It has more
/// and more under way as long as that is told soon, and less when it takes long: so a stream that
/// is alone fills its link, while queues stay short and every round ends soon. Returns the bytes
/// per second of each stream that ends here, 0 for the others.
[[nodiscard]] std::vector<double> run_streams(const Channel& channel,
                                              const std::vector<RankStream>& streams,
                                              const StreamTimes& times);

}  // namespace espalier::measure
