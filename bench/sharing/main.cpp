// How true what measuring finds of shared links is, on random hidden networks.

#include "measure/random_hidden.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace {

using namespace espalier::measure::test;

void print(std::size_t count, const char* what, std::size_t wrong, double tolerance) {
    fmt::print("{} {}, {:.1f}% of them off by over {:.0f}%\n", count, what,
               count == 0 ? 0 : 100.0 * static_cast<double>(wrong) / static_cast<double>(count),
               100 * tolerance);
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
    return 0;
}
