#pragma once

#include "testbed/change.hpp"

#include <optional>
#include <string>
#include <vector>

namespace espalier::testbed {

/// Changes over time, format `espalier-testbed-trace`.
struct Trace {
    struct Step {
        Seconds at;  ///< after the trace begins
        Change change;
    };
    std::vector<Step> steps;        ///< in order of time; not empty
    std::optional<Seconds> repeat;  ///< it begins anew after so long; later than all steps
};

/// Reads a trace for a topology. `source` is its file. Throws InputError.
[[nodiscard]] Trace parse_trace(const std::string& text, const std::string& source,
                                const Topology& topology);
[[nodiscard]] Trace read_trace(const std::string& path, const Topology& topology);

}  // namespace espalier::testbed
