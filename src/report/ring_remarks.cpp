#include "report/ring_remarks.hpp"

#include "core/text.hpp"
#include "plan/algorithm.hpp"
#include "plan/gather/bound.hpp"
#include "plan/gather/ring_schedule.hpp"
#include "report/plan_text.hpp"

#include <fmt/format.h>

namespace espalier::report {

namespace {

/// The number of hosts of a ring that are named, since people read no more.
constexpr std::size_t most_named = 100;

std::string distance(Seconds slowest, Seconds bound) {
    constexpr double rounding = 1e-12;
    if (bound.value <= 0) return "of which no bound is known";
    if (slowest <= bound * (1 + rounding)) return "the fastest of all rings";
    return fmt::format("{} over the fastest of all rings", percent_over(slowest, bound));
}

}  // namespace

std::string ring_remarks(const schedule::Schedule& schedule, const simulate::Fabric& fabric) {
    namespace gather = plan::gather;
    if (schedule.collective.kind != schedule::Kind::allgather || schedule.nodes.size() < 2 ||
        plan::find_algorithm(schedule::Family::allgather, schedule.algorithm) == nullptr)
        return {};
    const gather::Order order = gather::ring_of(schedule);
    const gather::Problem problem = gather::make_problem(fabric, schedule.collective.bytes);
    const gather::Value value = gather::value_of(problem, order);
    const Seconds slowest(value.slowest);
    Meter meter(Limits{});
    std::string text =
        fmt::format("slowest step {}, {}; once round takes {}\nring:", format_seconds(slowest),
                    distance(slowest, Seconds(gather::slowest_step_bound(problem, meter))),
                    format_seconds(Seconds(value.sum)));
    for (std::size_t place = 0; place < order.size() && place < most_named; ++place)
        text += " " + schedule.nodes[order[place]];
    if (order.size() > most_named) text += fmt::format(" … and {} more", order.size() - most_named);
    return text + "\n";
}

}  // namespace espalier::report
