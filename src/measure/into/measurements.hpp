#pragma once

#include "directory/measurement.hpp"
#include "measure/method/findings.hpp"

#include <string>
#include <vector>

namespace espalier::measure {

/// The measurements that go into a directory.
struct Record {
    std::vector<std::string> hosts;  ///< in rank order
    std::vector<directory::Measurement> measurements;
};

/// All that was measured between hosts, at the time of `findings`, by `by` or, where that is empty,
/// the first host and its MPI library. Of each pair that met, half of the round trip of one byte is
/// the latency of either direction, without a size: it compares pairs. Of each pair that was
/// surveyed, latency and gap are those of the network file, at the sizes that were tried or drawn
/// after other links; a latency that does not vary, at the least of them, and a gap of a single
/// size as one of every size. Processes of one host are a pair of the host with itself. Other pairs
/// were surveyed at the same time, none of which sent all the while, so that `meanwhile` is empty;
/// but inside a cluster the gaps are those of the pair alone, and the one with traffic both ways is
/// a measurement of its own.
[[nodiscard]] Record to_record(const Findings& findings, const std::string& by);

}  // namespace espalier::measure
