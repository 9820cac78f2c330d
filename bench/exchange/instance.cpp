#include "instance.hpp"

#include "network/generate_gusto.hpp"
#include "plan/exchange/bound.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <numeric>
#include <stdexcept>

namespace espalier::bench {

namespace {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

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
    request_.sizes = std::make_shared<const Matrix<Bytes>>(std::move(sizes));
    const double begin = cpu_seconds();
    problem_ = plan::make_exchange_problem(*fabric_, request_);
    preparation_ = cpu_seconds() - begin;
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

Outcome Instance::plan_with(const plan::Algorithm& algorithm, Seconds limit) const {
    const double cpu = cpu_seconds();
    const auto wall = std::chrono::steady_clock::now();
    const auto found = std::get<plan::exchange::Planner>(algorithm.make)(problem_, {.time = limit});
    Outcome outcome;
    outcome.cpu = cpu_seconds() - cpu;
    outcome.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    const auto schedule =
        plan::make_exchange_schedule(problem_, found.order, found.barriers, request_, names_);
    if (const auto violation = find_violation(schedule)) throw std::runtime_error(violation->what);
    outcome.makespan = simulate::simulate(schedule, *fabric_).makespan.value;
    outcome.optimal = found.optimal || outcome.makespan <= bound_ * (1 + 1e-12);
    return outcome;
}

std::vector<const plan::Algorithm*> contestants() {
    std::vector<const plan::Algorithm*> found;
    for (const auto& algorithm : plan::algorithms())
        if (algorithm.family == plan::Family::exchange && !algorithm.for_demands &&
            (algorithm.source.starts_with("bhat-1998 4") || algorithm.name == "list-search"))
            found.push_back(&algorithm);
    return found;
}

double Samples::mean() const {
    return std::accumulate(values_.begin(), values_.end(), 0.0) /
           static_cast<double>(values_.size());
}

double Samples::greatest() const { return *std::ranges::max_element(values_); }

double Samples::share_up_to(double value) const {
    return static_cast<double>(
               std::ranges::count_if(values_, [&](double each) { return each <= value; })) /
           static_cast<double>(values_.size());
}

}  // namespace espalier::bench
