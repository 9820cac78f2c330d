#pragma once

#include "plan/node/certificate.hpp"
#include "plan/node/result.hpp"

#include <optional>
#include <string>

namespace espalier::testing {

/// The makespan that the simulator finds for a sequence, node by node. The schedule must do its
/// job, or the test fails.
[[nodiscard]] double simulated(const plan::node::Problem& problem,
                               const plan::node::Sequence& sequence,
                               const network::SenderNetwork& network,
                               std::optional<std::size_t> root);
/// The same on the problem's own network and root.
[[nodiscard]] double simulated(const plan::node::Problem& problem,
                               const plan::node::Sequence& sequence);

/// The certificate of a proof about the problem's own network.
[[nodiscard]] plan::node::Certificate certificate_of(const plan::node::Problem& problem,
                                                     const plan::node::Proof& proof);

/// What the check of certificates finds wrong with it.
[[nodiscard]] std::optional<std::string> flaw_of(const plan::node::Problem& problem,
                                                 const plan::node::Proof& proof);

}  // namespace espalier::testing
