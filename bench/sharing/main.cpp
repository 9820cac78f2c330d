// How true what measuring finds of shared links is, on random hidden networks.

#include "measure/random_hidden.hpp"
#include "measure/random_sites.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <string_view>

namespace {

using namespace espalier::measure::test;

void print(std::size_t count, const char* what, std::size_t wrong, double tolerance) {
    fmt::print("{} {}, {:.1f}% of them off by over {:.0f}%\n", count, what,
               count == 0 ? 0 : 100.0 * static_cast<double>(wrong) / static_cast<double>(count),
               100 * tolerance);
}

/// In the order of site_kinds.
constexpr std::array<std::string_view, site_kinds.size()> names{
    "paths", "star", "line", "tree", "racks", "homes", "campus", "circuits"};

void print_row(std::string_view name, const SitesScore& score) {
    const auto part = [](std::size_t some, std::size_t all) {
        return all == 0 ? 0 : 100.0 * static_cast<double>(some) / static_cast<double>(all);
    };
    fmt::print("| {} | {:.0f}% of {} | {:.1f}% of {} | {:.0f}% | {:.0f}% | {:.3f} | {} |\n", name,
               part(score.found, score.capacities), score.capacities,
               part(score.invented, score.stated), score.stated, part(score.right, score.pairs),
               part(score.patterns_right, score.patterns), score.usual_factor(), score.late);
}

/// What is found on a noisy clock of sites of each kind, `networks` of them.
void print_sites(std::uint64_t networks, std::uint64_t seed, const SitesBudget& budget) {
    fmt::print(
        "\n| in {} s and {} round trips | found | invented | pairs right | patterns right | "
        "usual factor | late |\n| --- | --- | --- | --- | --- | --- | --- |\n",
        budget.seconds, budget.round_trips);
    SitesScore all;
    for (std::size_t k = 0; k < site_kinds.size(); ++k) {
        SitesScore score;
        for (std::uint64_t n = 0; n < networks; ++n)
            score.add(score_sites(site_kinds[k], seed + n, budget));
        print_row(names[k], score);
        all.add(score);
    }
    print_row("all", all);
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t networks = 300;
    std::size_t patterns = 20;
    std::uint64_t seed = 0;
    CLI::App app("What links share on random hidden networks, found and true");
    app.add_option("--networks", networks, "how many")->capture_default_str();
    app.add_option("--patterns", patterns, "of other traffic, on each")->capture_default_str();
    app.add_option("--seed", seed, "of the first; the others follow it")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    SharingScore score;
    for (std::uint64_t n = 0; n < networks; ++n) score_sharing(seed + n, patterns, score);
    print(score.capacities, "capacities", score.wrong_capacities, capacity_tolerance);
    print(score.patterns, "patterns of other traffic", score.wrong_patterns, pattern_tolerance);
    for (const SitesBudget& budget : {good_budget, default_budget})
        print_sites(networks / site_kinds.size(), seed, budget);
    return 0;
}
