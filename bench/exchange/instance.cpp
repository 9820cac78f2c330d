#include "instance.hpp"

#include "common/stopwatch.hpp"
#include "demands/algorithms.hpp"
#include "network/generate_gusto.hpp"
#include "plan/exchange/bound.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"

#include <stdexcept>

namespace espalier::bench {

const std::vector<Pattern>& patterns() {
    using enum network::SizePattern;
    static const std::vector<Pattern> table{{"small", "9", small},
                                            {"large", "10", large},
                                            {"mixed", "11", mixed},
                                            {"servers", "12", servers}};
    return table;
}

Instance::Instance(network::Network network, Matrix<Bytes> sizes) : network_(std::move(network)) {
    for (std::size_t node = 0; node < size(network_); ++node)
        names_.push_back(node_name(network_, node));
    fabric_ = simulate::make_fabric(network_);
    auto stated = std::make_shared<const Matrix<Bytes>>(std::move(sizes));
    const Stopwatch watch;
    problem_ = {
        plan::exchange::make_problem(*fabric_, schedule::exchange_of_sizes(std::move(stated)))};
    preparation_ = watch.cpu();
    bound_ = plan::exchange::exchange_bound(problem_);
}

std::unique_ptr<Instance> Instance::random(std::size_t nodes, const Pattern& pattern,
                                           std::uint64_t seed, std::size_t run) {
    Random random(seed * 1'000'003 + nodes * 10'007 + run);
    network::Network network(network::random_gusto({.nodes = nodes}, random));
    return std::make_unique<Instance>(
        std::move(network),
        network::random_sizes({.nodes = nodes, .pattern = pattern.sizes}, random));
}

Outcome Instance::plan_with(std::string_view algorithm, Seconds limit) const {
    const auto make = demands::planners(algorithm, problem_).front().make;
    const Stopwatch watch;
    const auto found = make(problem_, {.time = limit});
    Outcome outcome;
    outcome.cpu = watch.cpu();
    outcome.wall = watch.wall();
    auto schedule = make_schedule(problem_, found);
    schedule.nodes = names_;
    if (const auto violation = find_violation(schedule)) throw std::runtime_error(violation->what);
    outcome.makespan = simulate::simulate(schedule, *fabric_).makespan.value;
    outcome.optimal = found.optimal || outcome.makespan <= bound_ * (1 + 1e-12);
    return outcome;
}

std::vector<const plan::Algorithm*> contestants() {
    std::vector<const plan::Algorithm*> found;
    for (const auto& algorithm : plan::algorithms())
        if (algorithm.family == plan::Family::exchange &&
            (algorithm.source.starts_with("bhat-1998 4") || algorithm.name == "list-search"))
            found.push_back(&algorithm);
    return found;
}

}  // namespace espalier::bench
