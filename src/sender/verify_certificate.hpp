#pragma once

#include "network/network.hpp"
#include "sender/certificate.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace espalier::sender {

/// What is wrong with a certificate, in one line; nothing if it proves of this network what it
/// claims. Shares no code with what makes certificates, and computes in whole numbers. Three
/// things are checked (docs/sender.md, certificates):
/// 1. its classes relax the network: place by place in the order of their times, every node is at
///    least as slow as its class says, up to the rounding of decimal fractions to binary;
/// 2. at its prices, what the slots until the deadline are worth falls short of all nodes;
/// 3. no sum of its times lies between the deadline and the lower bound.
/// Takes time and memory for each sum of times until the deadline; beyond `most_sums` of them it
/// says so instead, as it does where a number is too large.
[[nodiscard]] std::optional<std::string> find_flaw(const Certificate& certificate,
                                                   const network::SenderNetwork& network,
                                                   std::size_t most_sums = 10'000'000);

/// Whether a schedule with this makespan is optimal, given that the certificate has no flaw: it
/// ends at the lower bound, but for the rounding of sums of times.
[[nodiscard]] bool proves_optimal(const Certificate& certificate, double makespan);

}  // namespace espalier::sender
