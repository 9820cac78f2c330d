#include "runs/summary.hpp"

#include "core/table.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::runs {

namespace {

/// What may be done about a reason for which calls were left to MPI; empty: nothing.
std::string remedy_of(const std::string& why) {
    const auto says = [&](const char* words) { return why.find(words) != std::string::npos; };
    if (says("all ranks on one host")) return "nothing is gained on one host; run it on several";
    if (says("all ranks in one cluster"))
        return "the hosts are alike, nothing to gain; ESPALIER_PLAN=always plans anyway";
    if (says("no network"))
        return "no network is known: unset ESPALIER_MEASURE, or set ESPALIER_NETWORK";
    if (says("a host that the network does not have") || says("links whose costs"))
        return "the network lacks hosts of this job: espalier measure, on all of them";
    if (says("not the same everywhere")) return "give all hosts the same file of ESPALIER_NETWORK";
    if (says("ESPALIER_PLAN is never")) return "unset ESPALIER_PLAN, and calls are planned";
    if (says("ESPALIER_MEMORY")) return "a greater ESPALIER_MEMORY lets more calls be planned";
    return "";
}

}  // namespace

std::string advice(const Run& run) {
    constexpr double little = 0.05;
    constexpr double far_off = 2;
    if (!run.left_to_mpi.empty()) {
        const std::string remedy = remedy_of(run.left_to_mpi);
        return remedy.empty() ? "none; the program ran as without Espalier" : remedy;
    }
    const Seconds inside = run.in_collectives();
    const std::vector<Left> left = left_to_mpi(run);
    // What most of the time went by for.
    if (!left.empty() && left.front().sum.value * 2 > inside.value)
        if (std::string remedy = remedy_of(left.front().why); !remedy.empty()) return remedy;
    const bool planned =
        std::ranges::any_of(run.calls, [](const Call& call) { return !call.is_native(); });
    std::uint64_t timed = 0;
    for (const Call& call : run.calls) timed += call.calls;
    for (const auto& [name, calls] : run.passed)
        if (calls > timed) return fmt::format("{} can't be planned; its blocking form can", name);
    if (run.elapsed && inside.value < little * run.elapsed->value)
        return "none: so little time is in collectives that they hardly matter";
    if (run.network_from == "measured" && saved_by(run).all() < run.start)
        return "run it again: what was measured of the network is kept for later runs";
    for (const Call& call : run.calls)
        if (call.predicted && !call.is_native() && call.sum.value * 2 > inside.value &&
            call.median.value > far_off * call.predicted->value)
            return fmt::format(
                "{} takes {:.1f} times what was predicted: ranks come late, or "
                "try ESPALIER_MEASURE=force",
                call.collective, call.median / *call.predicted);
    if (planned) return "";
    return "none; what MPI does itself is as fast as any plan found";
}

}  // namespace espalier::runs
