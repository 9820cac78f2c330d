#pragma once

#include "directory/measurement.hpp"

#include <vector>

namespace espalier::directory {

/// From and to, both included.
struct Period {
    Time begin;
    Time end;
};

/// Whatever knows how the network was: a file, a monitoring system. The one interface that such a
/// source of measurements implements (bhat-1998, 3.1).
class Source {
public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    /// What was measured in that time, oldest first. Throws InputError naming the source.
    [[nodiscard]] virtual std::vector<Measurement> read(const Period& period) const = 0;
};

}  // namespace espalier::directory
