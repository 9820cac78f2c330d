#include "support/node_schedules.hpp"

#include "plan/node/verify_certificate.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"
#include "support/random_nodes.hpp"

#include <gtest/gtest.h>

namespace espalier::testing {

double simulated(const plan::node::Problem& problem, const plan::node::Sequence& sequence,
                 const network::SenderNetwork& network, std::optional<std::size_t> root) {
    const auto schedule = to_schedule(problem, sequence, network, root);
    const auto violation = find_violation(schedule);
    EXPECT_FALSE(violation) << violation->what;
    const network::Network model(network);
    return simulate::simulate(schedule, *simulate::make_fabric(model)).makespan.value;
}

double simulated(const plan::node::Problem& problem, const plan::node::Sequence& sequence) {
    return simulated(problem, sequence, network_of(problem), root_of(problem));
}

plan::node::Certificate certificate_of(const plan::node::Problem& problem,
                                       const plan::node::Proof& proof) {
    const auto network = network_of(problem);
    const auto root = root_of(problem);
    const auto name = root ? std::optional(network.name_of(*root)) : std::nullopt;
    return make_certificate(proof, problem, name, network, "");
}

std::optional<std::string> flaw_of(const plan::node::Problem& problem,
                                   const plan::node::Proof& proof) {
    return find_flaw(certificate_of(problem, proof), network_of(problem));
}

}  // namespace espalier::testing
