#pragma once

#include <string>

namespace espalier::runtime {

/// Why the collectives of a communicator are left to MPI, or that they are not.
enum class Verdict : int {
    planned,
    intercommunicator,
    alone,
    several_worlds,
    devices,
    never,
    no_network,
    different_networks,
    incomplete_network,
    unknown_host,
    one_host,
    one_cluster,
    no_tags,
    duplicated,
    asked,
};

/// The reason in words, for the report; empty if calls are planned.
[[nodiscard]] std::string to_string(Verdict verdict);

}  // namespace espalier::runtime
