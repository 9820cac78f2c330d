#pragma once

#include "frontend/problem_options.hpp"
#include "network/grid_view.hpp"
#include "network/network.hpp"
#include "schedule/collective.hpp"

#include <functional>
#include <string>
#include <vector>

namespace espalier::frontend {

/// Calls that a library's own algorithms perform between hosts, as people say them: each field is
/// the option of that name of `espalier order` and of `espalier export`. Empty: not given.
struct LibraryCallOptions {
    Named<network::Network()> network;
    std::string target;       ///< `--for`: who reads what is written
    std::string hosts;        ///< a file of host names
    std::string slots;        ///< ranks on each host
    std::string collectives;  ///< a list
    std::string bytes;        ///< a list, with ranges
};

/// The network, host by host; where nothing is known of what ranks of one host need between them,
/// or of the inside of its cluster, they need what the fastest link of the network does. Throws
/// InputError for one that says nothing of pairs of hosts.
[[nodiscard]] network::GridNetwork read_hosts(const LibraryCallOptions& options);

/// `--collectives`, each once. Throws InputError for what is none, and where `refusal` says why a
/// collective can't be among them.
[[nodiscard]] std::vector<schedule::Kind> read_collectives(
    const LibraryCallOptions& options, const std::function<std::string(schedule::Kind)>& refusal);

/// `--bytes`, or else these, each once, in their order.
[[nodiscard]] std::vector<Bytes> read_call_sizes(const LibraryCallOptions& options,
                                                 std::string_view usual);

}  // namespace espalier::frontend
