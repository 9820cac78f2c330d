#pragma once

#include "core/units.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace espalier::directory {

/// UTC, to the microsecond.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// The sender and the receiver. Of a bandwidth one of them may be left out: it is then that of all
/// that a node sends, or receives, together.
struct Pair {
    std::string from;
    std::string to;
    friend auto operator<=>(const Pair&, const Pair&) = default;
};

enum class Quantity {
    latency,    ///< seconds
    bandwidth,  ///< bytes per second
    gap,        ///< seconds for which a message of `size` occupies its sender's port
};

/// One value that somebody measured once.
struct Measurement {
    Time at;
    std::string by;
    Pair pair;
    Quantity quantity = Quantity::latency;
    double value = 0;
    /// The size of the messages by which it was measured; always known of a gap. A gap at size 0
    /// that stands alone holds for every size.
    std::optional<Bytes> size;
    /// The pairs that were sending all the while; empty if none are known.
    std::vector<Pair> meanwhile;

    friend bool operator==(const Measurement&, const Measurement&) = default;
};

}  // namespace espalier::directory
