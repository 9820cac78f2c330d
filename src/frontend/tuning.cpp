#include "frontend/tuning.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "frontend/host_list.hpp"
#include "schedule/json.hpp"
#include "simulate/rank_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace espalier::frontend {

namespace {

using schedule::Kind;

/// Rules that a library reads.
struct RuleFormat {
    std::string_view target;
    const libraries::Library& (*library)();
    bool (*takes)(Kind);
    std::string (*text)(const libraries::Tuning&);
};
constexpr std::array rule_formats{
    RuleFormat{"openmpi-tuned", libraries::openmpi, libraries::takes_openmpi_rules,
               libraries::openmpi_rules},
    RuleFormat{"mpich-json", libraries::mpich, libraries::takes_mpich_rules,
               libraries::mpich_selection},
};
constexpr std::string_view all_sizes = "64..4MiB:4";

std::vector<Kind> kinds_of_rules(const LibraryCallOptions& options, const RuleFormat& format) {
    if (!options.collectives.empty())
        return read_collectives(options, [&](Kind kind) {
            return format.takes(kind) ? ""
                                      : fmt::format("{} takes no rules for {}", format.target,
                                                    schedule::name_of(kind));
        });
    std::vector<Kind> kinds;
    for (const libraries::Algorithm& algorithm : format.library().algorithms)
        if (format.takes(algorithm.kind) && std::ranges::find(kinds, algorithm.kind) == kinds.end())
            kinds.push_back(algorithm.kind);
    return kinds;
}

}  // namespace

bool is_tuned(const std::string& target) {
    return std::ranges::find(rule_formats, target, &RuleFormat::target) != rule_formats.end();
}

libraries::Tuning tune(const LibraryCallOptions& options) {
    const RuleFormat& format =
        *std::ranges::find(rule_formats, options.target, &RuleFormat::target);
    const auto kinds = kinds_of_rules(options, format);
    auto sizes = read_call_sizes(options, all_sizes);
    std::ranges::sort(sizes);
    const network::GridNetwork grid = read_hosts(options);
    const network::GridView view(grid);
    const HostList listed = list_hosts(options.hosts, options.slots, view);
    std::vector<network::GridView::Place> places;
    for (const auto place : listed.places) places.insert(places.end(), listed.slots, place);
    if (places.size() < 2) throw InputError(options.network.name, "", "one rank calls nobody");
    try {
        // What was measured says less of libraries' algorithms than of messages.
        return libraries::tune(format.library(), *simulate::make_rank_fabric(view, places), kinds,
                               sizes, std::max(grid.uncertainty, network::presumed_uncertainty));
    } catch (const InputError& error) {
        throw InputError(options.network.name, "", error.what());
    }
}

std::string rules_text(const libraries::Tuning& tuning) {
    const auto* const format = std::ranges::find_if(
        rule_formats, [&](const RuleFormat& one) { return &one.library() == tuning.library; });
    return format->text(tuning);
}

Json to_json(const libraries::Tuning& tuning) {
    Json calls = Json::array();
    for (const libraries::TunedCollective& collective : tuning.collectives)
        for (const libraries::TunedCollective::Timed& timed : collective.sizes) {
            Json call{{"collective", schedule::name_of(collective.kind)},
                      {"bytes", timed.bytes.value},
                      {"usual", timed.usual_algorithm->name},
                      {"usual_s", timed.usual.value}};
            if (timed.rule.algorithm != nullptr) {
                call["algorithm"] = timed.rule.algorithm->name;
                call["segment_bytes"] = timed.rule.segment.value;
                call["tuned_s"] = timed.tuned.value;
            }
            calls.push_back(std::move(call));
        }
    return {{"format", "espalier-tuning"},     {"version", 1},
            {"library", tuning.library->name}, {"ranks", tuning.ranks},
            {"gain", tuning.gain()},           {"calls", std::move(calls)}};
}

}  // namespace espalier::frontend
