#pragma once

#include "network/latency_csv.hpp"
#include "network/network.hpp"

#include <string>
#include <vector>

namespace espalier::frontend {

/// What is made at random, each field the option of that name of `espalier generate`. Empty: what
/// is usual for it.
struct GenerateOptions {
    std::string clusters = "8";
    std::string nodes = "16";
    std::string classes;
    std::string times = "1..10";
    bool integer = false;
    bool distinct = false;
    std::string latency = "1ms..15ms";
    std::string gap = "100ms..600ms";
    std::string broadcast = "20ms..3s";
    bool symmetric = false;
    bool asymmetric = false;
    std::string startup = "4.5ms..89.5ms";
    std::string bandwidth = "246kbps..4976kbps";
    std::string draw = "uniform";
    std::string pattern;
    std::string small = "1kB";
    std::string large = "1MB";
    std::string servers = "20%";
    std::string hosts = "37";
    std::string routers;
    std::string links;
    std::string cycle_times;
    std::string bandwidth_factor = "1";
    bool latencies = false;
    std::string seed = "1";
    std::string sizes;
    std::string noise = "0";
    std::string unit;
};

/// Throws InputError for a kind that there is not, and for an option that was given (`--nodes`)
/// that another kind has, and this one has not.
void require_generate_kind(const std::string& kind, const std::vector<std::string>& given);

/// A random network of the kind `grid`, `gusto`, `sender` or `tiers`. One seed makes one network.
/// Throws InputError naming the option, also for another kind.
[[nodiscard]] network::Network generate_network(const std::string& kind,
                                                const GenerateOptions& options);

/// The latencies between the machines of clusters, from those between the clusters (--expand).
[[nodiscard]] network::PairTable generate_machines(const network::PairTable& clusters,
                                                   const GenerateOptions& options);

/// The sizes in bytes of the messages of an exchange between these nodes, or between --nodes nodes
/// n0, n1, … where there are none.
[[nodiscard]] network::PairTable generate_sizes(std::vector<std::string> nodes,
                                                const GenerateOptions& options);

}  // namespace espalier::frontend
