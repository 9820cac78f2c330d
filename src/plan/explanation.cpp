#include "plan/explanation.hpp"

#include "core/json_reader.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

namespace espalier::plan {

std::string explain(std::span<const Considered> considered) {
    std::string text = fmt::format("{:<24} {:>5} {:>8} {:>12} {:>12}  {}\n", "candidate", "ports",
                                   "segments", "at least", "simulated", "outcome");
    const auto time = [](const std::optional<Seconds>& seconds) {
        return seconds ? format_seconds(*seconds) : "-";
    };
    for (const Considered& one : considered)
        text += fmt::format("{:<24} {:>5} {:>8} {:>12} {:>12}  {}\n", one.algorithm, one.ports,
                            one.segments, time(one.optimistic), time(one.simulated), one.outcome);
    return text;
}

Json to_json(std::span<const Considered> considered) {
    Json all = Json::array();
    for (const Considered& one : considered) {
        Json entry{{"algorithm", one.algorithm},
                   {"ports", one.ports},
                   {"segments", one.segments},
                   {"outcome", one.outcome}};
        if (one.optimistic) entry["optimistic_s"] = one.optimistic->value;
        if (one.simulated) entry["simulated_s"] = one.simulated->value;
        all.push_back(std::move(entry));
    }
    return all;
}

std::string explain(const Presumption& presumption) {
    const std::size_t others = presumption.capacities.size() - 1;
    return fmt::format(
        "presumed, for nobody measured it: messages {}{} share what one alone gets; else the plan "
        "takes {}\n",
        presumption.capacities.front(), others > 0 ? fmt::format(", and {} more,", others) : "",
        format_seconds(presumption.otherwise));
}

std::string explain_processors(Seconds makespan, Seconds of_messages) {
    if (of_messages <= Seconds(0)) return {};
    return fmt::format("messages take {} of processors that all nodes share: {} in all\n",
                       format_seconds(of_messages), format_seconds(makespan + of_messages));
}

Json to_json(const Presumption& presumption) {
    return {{"capacities", presumption.capacities}, {"otherwise_s", presumption.otherwise.value}};
}

}  // namespace espalier::plan
