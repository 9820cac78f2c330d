#pragma once

#include "network/cost_table.hpp"
#include "plan/local/problem.hpp"
#include "schedule/schedule.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace espalier::plan::local::test {

struct NamedStrategy {
    std::string name;
    Strategy strategy;
};

/// Every strategy of the table of algorithms.
std::vector<NamedStrategy> strategies();

/// A cluster on switched gigabit Ethernet, as it might be measured: a gap that is not linear.
network::PLogP gigabit();
/// A gap of `per_message + per_byte * size`, and one latency.
network::PLogP linear(double latency, double per_message, double per_byte);
/// A network on which everything costs a whole number of seconds, whatever the size.
network::PLogP constant(double latency, double gap);

Problem problem(std::size_t nodes, std::uint64_t bytes, const network::PLogP& link);

/// When the last receive is over, by a small event simulation of one-port full-duplex pLogP that
/// shares no code with the simulator. Throws std::runtime_error where the schedule can't proceed,
/// where a node sends what it does not hold, or where some node ends without some part.
Seconds reference_makespan(const schedule::Schedule& schedule, const network::PLogP& link);

/// The simulator's answer to the same question.
Seconds simulated_makespan(const schedule::Schedule& schedule, const network::PLogP& link);

}  // namespace espalier::plan::local::test
