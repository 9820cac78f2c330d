#pragma once

#include "schedule/timeline.hpp"

#include "common.hpp"

#include <cstdint>

namespace espalier::python {

/// A transfer with its times, as a row of an array.
struct TransferRecord {
    std::int64_t sender;
    std::int64_t receiver;
    std::int64_t chunk;
    std::int64_t chunks;
    bool combine;
    std::uint64_t bytes;
    std::int64_t segments;
    double start;
    double sent;
    double arrival;
    double end;
};

/// What is done inside a cluster, as a row of an array.
struct LocalRecord {
    std::int64_t node;
    std::int64_t segments;
    double start;
    double end;
};

/// A link as the paths of a ring use it.
struct LinkRecord {
    std::int64_t link;
    std::int64_t paths;
    double part;
};

/// Tells NumPy of the records; before any array of them is made.
void register_records();

[[nodiscard]] py::array_t<TransferRecord> timeline_array(const schedule::Plan& plan);
[[nodiscard]] py::array_t<LocalRecord> local_array(const schedule::Plan& plan);

}  // namespace espalier::python
