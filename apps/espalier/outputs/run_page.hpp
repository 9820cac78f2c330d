#pragma once

#include "network/network.hpp"
#include "runs/run.hpp"

#include <optional>
#include <string>

namespace espalier::cli {

/// A run as a page that stands for itself and needs no script: what was saved and how that is
/// known, the calls, three of them as timelines beside an MPI library's, the network, what was left
/// to MPI, and where all of it comes from. `network`: none, where its file is not there. `file` and
/// `network_file` are named in it, and `made` says by what the page was made.
[[nodiscard]] std::string run_page(const runs::Run& run,
                                   const std::optional<network::Network>& network,
                                   const std::string& file, const std::string& network_file,
                                   const std::string& made);

}  // namespace espalier::cli
