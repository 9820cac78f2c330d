#include "support/sender_schedules.hpp"

#include "schedule/validate.hpp"
#include "sender/verify_certificate.hpp"
#include "simulate/simulate.hpp"
#include "support/sender_problems.hpp"

#include <gtest/gtest.h>

namespace espalier::test {

double simulated(const sender::Problem& problem, const sender::Sequence& sequence,
                 const network::SenderNetwork& network, std::size_t root) {
    const auto schedule = to_schedule(problem, sequence, network, root);
    const auto violation = find_violation(schedule);
    EXPECT_FALSE(violation) << violation->what;
    const network::Network model(network);
    return simulate::simulate(schedule, *simulate::make_fabric(model)).makespan.value;
}

double simulated(const sender::Problem& problem, const sender::Sequence& sequence) {
    std::size_t root = 0;  // the first of its class
    for (std::size_t c = 0; c < sequence.root; ++c) root += problem.classes[c].count;
    return simulated(problem, sequence, network_of(problem), root);
}

sender::Certificate certificate_of(const sender::Problem& problem, const sender::Proof& proof) {
    const auto network = network_of(problem);
    const auto root = root_of(problem);
    const auto name = root ? std::optional(network.name_of(*root)) : std::nullopt;
    return make_certificate(proof, problem, name, network, "");
}

std::optional<std::string> flaw_of(const sender::Problem& problem, const sender::Proof& proof) {
    return find_flaw(certificate_of(problem, proof), network_of(problem));
}

}  // namespace espalier::test
