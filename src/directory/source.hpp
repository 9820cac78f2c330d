#pragma once

#include "directory/measurement.hpp"

#include <string>
#include <vector>

namespace espalier::directory {

/// A period of time, with both ends included. One that begins in 1970 has no beginning.
struct Period {
    Time begin;
    Time end;
};

/// A source of measurements: a file, a monitoring system (bhat-1998, 3.1). Implement this interface
/// to add one.
class Source {
public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    /// The measurements of that time, oldest first. Throws InputError naming the source.
    [[nodiscard]] virtual std::vector<Measurement> read(const Period& period) const = 0;

    /// The newest measurement of each pair, quantity, size and company in a period, oldest first;
    /// of equally new ones the last. A source that has many may override it with something faster.
    [[nodiscard]] virtual std::vector<Measurement> newest(const Period& period) const;
    /// The order in which networks list their nodes. Nodes that are not in it come after these, by
    /// name.
    [[nodiscard]] virtual std::vector<std::string> nodes() const { return {}; }
};

}  // namespace espalier::directory
