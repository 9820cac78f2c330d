#include "plan/explanation.hpp"

#include "core/json_reader.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::plan {

std::string explain(std::span<const Considered> considered) {
    const bool robust = std::ranges::any_of(
        considered, [](const Considered& one) { return one.robust.has_value(); });
    const auto optional = [&](const std::string& cell) {
        return robust ? fmt::format(" {:>12}", cell) : std::string();
    };
    std::string text =
        fmt::format("{:<24} {:>5} {:>8} {:>12} {:>12}{}  {}\n", "candidate", "ports", "segments",
                    "at least", "simulated", optional("robust"), "outcome");
    const auto time = [](const std::optional<Seconds>& seconds) {
        return seconds ? format_seconds(*seconds) : "-";
    };
    for (const Considered& one : considered)
        text += fmt::format("{:<24} {:>5} {:>8} {:>12} {:>12}{}  {}{}\n", one.algorithm, one.ports,
                            one.segments, time(one.optimistic), time(one.simulated),
                            optional(time(one.robust)), one.outcome,
                            one.costs.empty() ? "" : "; made for " + one.costs);
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
        if (one.robust) entry["robust_s"] = one.robust->value;
        if (!one.costs.empty()) entry["made_for"] = one.costs;
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
