#include "core/files.hpp"
#include "core/text.hpp"
#include "plan/local/tree.hpp"
#include "plan/local_support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

namespace espalier::plan::local::test {

namespace {

constexpr std::array<std::size_t, 3> node_counts{8, 20, 40};
constexpr std::array<std::uint64_t, 3> sizes{8, 65'536, 1'048'576};
constexpr std::size_t segments = 16;

/// The printed time over that of the simulated schedule.
std::string ratios() {
    std::string table = "| strategy |";
    std::string rule = "| --- |";
    for (const std::uint64_t size : sizes)
        for (const std::size_t nodes : node_counts) {
            table += fmt::format(" {}, P={} |", format_bytes(Bytes(size)), nodes);
            rule += " ---: |";
        }
    table += "\n" + rule + "\n";
    for (const auto& [name, strategy] : strategies()) {
        table += fmt::format("| `{}` |", name);
        for (const std::uint64_t size : sizes)
            for (const std::size_t nodes : node_counts) {
                const Problem instance = problem(nodes, size, gigabit());
                const Seconds simulated =
                    simulated_makespan(strategy.make(instance, 0, segments), instance.link);
                table += fmt::format(" {:.3f} |", strategy.formula(instance, segments) / simulated);
            }
        table += "\n";
    }
    return table;
}

std::string row(const std::string& name, std::uint64_t size,
                const std::function<Seconds(std::size_t)>& time) {
    const std::size_t found = best_segments(size, time);
    std::size_t best = 1;
    for (std::size_t k = 2; k <= std::min<std::uint64_t>(size, 65'536); ++k)
        if (time(k) < time(best)) best = k;
    return fmt::format("| `{}` | {} | {} | {} in {} | {} in {} |\n", name,
                       format_bytes(Bytes(size)), format_seconds(time(1)),
                       format_seconds(time(found)), found, format_seconds(time(best)), best);
}

std::string searches() {
    std::string table =
        "| strategy, P=20 | message | whole | powers of two | best of all |\n"
        "| --- | --- | ---: | ---: | ---: |\n";
    for (const NamedStrategy& named : strategies()) {
        if (!named.strategy.segmented) continue;
        for (const std::uint64_t size : {std::uint64_t{65'536}, std::uint64_t{4'194'304}}) {
            const Problem instance = problem(20, size, gigabit());
            table += row(named.name, size,
                         [&](std::size_t k) { return named.strategy.formula(instance, k); });
        }
    }
    return table;
}

}  // namespace

TEST(LocalDocs, state_the_figures_that_the_code_gives) {
    const std::string page = read_file(std::string(ESPALIER_SOURCE_DIR) + "/docs/local.md");
    for (const std::string& table : {ratios(), searches()})
        EXPECT_NE(page.find(table), std::string::npos) << "docs/local.md should have:\n" << table;
}

}  // namespace espalier::plan::local::test
