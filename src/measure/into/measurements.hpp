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

/// The record of all that was measured between hosts, at the time of `findings`, by `by` or, if
/// that is empty, by the first host and its MPI library.
///
/// Each pair that met has a latency for each direction, half of the round trip of one byte where
/// they are not known to differ, without a size: it compares pairs; on a noisy clock, pairs of a
/// cluster are as near as its nearest, within the tolerance, and those of two clusters as far as
/// these usually are, so that who reads them finds the same clusters. Each pair that was surveyed
/// has the latencies and gaps of the network file, at the sizes that were tried or drawn after
/// other links; a latency that does not vary stands at the least of these sizes, and a gap of a
/// single size counts for every size. Processes of one host are a pair of the host with itself.
///
/// Pairs that were surveyed at the same time did not send all the while, so that `meanwhile` is
/// empty. Inside a cluster the gaps are those of the pair alone; the gap with traffic in both
/// directions is a measurement of its own.
[[nodiscard]] Record to_record(const Findings& findings, const std::string& by);

}  // namespace espalier::measure
