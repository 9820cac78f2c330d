#pragma once

#include "sender/certificate.hpp"
#include "sender/result.hpp"

#include <optional>
#include <string>

namespace espalier::test {

/// The makespan that the simulator finds for a sequence, node by node. The schedule must do its
/// job, or the test fails.
[[nodiscard]] double simulated(const sender::Problem& problem, const sender::Sequence& sequence,
                               const network::SenderNetwork& network, std::size_t root);
/// The same on the problem's own network, from the first node of the root's class.
[[nodiscard]] double simulated(const sender::Problem& problem, const sender::Sequence& sequence);

/// The certificate of a proof about the problem's own network.
[[nodiscard]] sender::Certificate certificate_of(const sender::Problem& problem,
                                                 const sender::Proof& proof);

/// What the check of certificates finds wrong with it.
[[nodiscard]] std::optional<std::string> flaw_of(const sender::Problem& problem,
                                                 const sender::Proof& proof);

}  // namespace espalier::test
