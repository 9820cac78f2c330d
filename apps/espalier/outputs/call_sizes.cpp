#include "outputs/call_sizes.hpp"

#include "core/error.hpp"
#include "frontend/known_algorithms.hpp"
#include "frontend/study.hpp"
#include "outputs/study_text.hpp"
#include "report/page_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace espalier::cli {

namespace {

constexpr std::uint64_t most_ranks = 128;
constexpr std::size_t most_collectives = 3;
constexpr const char* sizes = "1KiB..1MiB:32";
constexpr const char* time_limit = "20ms";

std::vector<std::string> collectives_of(const runs::Run& run) {
    const std::vector<std::string> known = frontend::planned_collectives();
    std::vector<std::string> names;
    for (const runs::Call& call : run.calls) {
        const std::string name =
            call.collective == "reduce-scatter-block" ? "reduce-scatter" : call.collective;
        // A barrier has no sizes.
        if (call.is_native() || call.bytes.value == 0 ||
            std::ranges::find(known, name) == known.end() ||
            std::ranges::find(names, name) != names.end())
            continue;
        names.push_back(name);
        if (names.size() == most_collectives) break;
    }
    return names;
}

std::string compared(const std::string& collective, const network::Network& network,
                     const std::string& source) {
    frontend::StudyOptions asked;
    asked.problem.collective = collective;
    asked.problem.network = {source, [&] { return network; }};
    asked.problem.bytes = sizes;
    asked.problem.time_limit = time_limit;
    try {
        const frontend::Study study = frontend::make_study(
            asked, [](const std::string&, std::size_t, std::size_t, double) {});
        return report::picture(study_plot(study, source));
    } catch (const InputError& error) {
        return report::paragraph(fmt::format("{}: {}.", collective, error.what()));
    }
}

}  // namespace

std::string call_sizes(const runs::Run& run, const network::Network& network,
                       const std::string& source) {
    const std::vector<std::string> collectives = collectives_of(run);
    if (collectives.empty()) return "";
    std::string html = report::heading("Algorithms over sizes");
    const std::string command =
        fmt::format("`espalier compare {} {} --bytes {}`", collectives.front(), source, sizes);
    if (run.ranks > most_ranks)
        return html + report::paragraph(fmt::format(
                          "Not compared: {} ranks are more than {}. {} does that, and `--plot` "
                          "draws it.",
                          run.ranks, most_ranks, command));
    for (const std::string& collective : collectives) html += compared(collective, network, source);
    return html + report::paragraph(fmt::format(
                      "Predicted, of calls on the whole network with the usual root, as {} and "
                      "`--time-limit {}` compare them.",
                      command, time_limit));
}

}  // namespace espalier::cli
