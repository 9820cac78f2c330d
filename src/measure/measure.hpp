#pragma once

#include "core/units.hpp"
#include "measure/channel.hpp"
#include "measure/method/findings.hpp"
#include "network/network.hpp"

#include <mpi.h>

#include <functional>
#include <string>

namespace espalier::measure {

struct Options {
    Seconds budget{10};
    double round_trips = 0;  ///< the budget has so many of the largest round trips besides
    double tolerance = 0.2;  ///< of the partition into clusters
    bool symmetric = false;  ///< measure one direction of each link between clusters for both
    bool compute = false;    ///< measure how fast hosts compute, too
    std::string host;        ///< what this rank calls its host; empty: as MPI calls it
    std::string kernel;      ///< what they compute, a file for load_kernel(); empty: our own
    Watch watch;             ///< what may end it early, on this rank
    /// Nobody else uses `parent` while this lasts: no duplicate has to be made of it.
    bool is_own = false;
    /// Measured::notes of an earlier measurement of the same hosts, on rank 0: it goes on where
    /// that one stopped. What is not of these hosts is not looked at.
    std::string earlier;
};

/// Hears which stage the measuring is at, and how much of the budget is used up.
using Progress = std::function<void(const std::string& stage, double part)>;

/// Measures the network under a running job (steffenel-2006, sections 4.1.1 to 4.1.3): which ranks
/// share a host, latencies between hosts in rounds of disjoint pairs, clusters of like hosts, and
/// latency and gap by message size inside each cluster and between each two. Collective over
/// `parent`; every rank returns the same network. It takes about `options.budget` and
/// `options.round_trips` by MPI's clock at most, however large the job is; what it had to leave out
/// is in the network's `measured`. With `compute`, all ranks also time a kernel at once, and the
/// network says each host's cycle time. Throws InputError everywhere if the options make no sense.
/// `progress` is told on rank 0, unless it is empty.
[[nodiscard]] network::Network measure_network(MPI_Comm parent, const Options& options,
                                               const Progress& progress = {});

/// A network, and, on rank 0, all that was found out on the way to it.
struct Measured {
    network::Network network;
    Findings findings;
    /// For a measurement that goes on, as bytes; empty where there is nothing left to find out, or
    /// it has gone on often enough.
    std::string notes;
};
/// Measures as measure_network() does, and returns also what the network was made of.
[[nodiscard]] Measured measure_in_detail(MPI_Comm parent, const Options& options,
                                         const Progress& progress = {});

}  // namespace espalier::measure
