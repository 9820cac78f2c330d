#include "frontend/study.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "frontend/drawn_network.hpp"
#include "frontend/sweep.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

namespace espalier::frontend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Comparison::Row row(const std::string& algorithm, double makespan, double bound) {
    return {.algorithm = algorithm,
            .makespan = Seconds(makespan),
            .lower_bound = Seconds(bound),
            .scope = schedule::BoundScope::any,
            .time_unit = "s"};
}

/// Two sizes from two roots; `b` gives no plan once.
Study example() {
    Study study{"broadcast", "net.json", {}, {}};
    study.cells = {{Bytes(8), "r", {}, {{row("a", 1, 0.5), row("b", 2, 0.5)}, {}}},
                   {Bytes(1024), "r", {}, {{row("b", 4, 2), row("a", 6, 2)}, {}}},
                   {Bytes(8), "s", {}, {{row("a", 3, 0.5), row("b", 3, 0.5)}, {}}},
                   {Bytes(1024), "s", {}, {{row("a", 8, 2)}, {{"b", "no, it can't"}}}}};
    return study;
}

TEST(Study, is_averaged_over_roots_for_each_size) {
    const std::vector<Average> all = averages(example());
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].bytes, Bytes(8));
    EXPECT_EQ(all[0].algorithm, "a");
    EXPECT_EQ(all[0].mean, Seconds(2));
    EXPECT_EQ(all[0].best, 2u);
    EXPECT_EQ(all[0].bound, Seconds(0.5));
    // Student's quantile of one degree of freedom, times the deviation over the root of 2.
    EXPECT_NEAR(all[0].off->value, 12.7062, 1e-3);
    EXPECT_EQ(all[1].algorithm, "b");
    EXPECT_NEAR(all[1].over_best, std::sqrt(2.0) - 1, 1e-9);
    EXPECT_EQ(all[1].at_most, 1);
    EXPECT_EQ(all[1].best, 1u);
    // What gave fewer plans comes last, and has no interval.
    EXPECT_EQ(all[3].bytes, Bytes(1024));
    EXPECT_EQ(all[3].algorithm, "b");
    EXPECT_EQ(all[3].plans, 1u);
    EXPECT_FALSE(all[3].off);
    EXPECT_EQ(averages_of_all(example()).front().plans, 4u);
}

TEST(Study, comes_back_from_its_file) {
    const Study study = example();
    Json storage;
    const Study read = read_study(JsonValue::parse("s", to_json(study).dump(), storage));
    EXPECT_EQ(to_json(read), to_json(study));
    EXPECT_EQ(study_csv(read), study_csv(study));
    EXPECT_EQ(read.cells[3].comparison.skipped.front().reason, "no, it can't");
    EXPECT_THROW(
        (void)read_study(JsonValue::parse(
            "s",
            R"({"format":"espalier-study","version":1,"collective":"c","network":"n","cells":[]})",
            storage)),
        InputError);
}

TEST(Study, is_a_line_for_each_plan_and_for_what_gave_none) {
    const std::string csv = study_csv(example());
    EXPECT_EQ(std::ranges::count(csv, '\n'), 9);
    EXPECT_THAT(csv, HasSubstr("broadcast,net.json,1024,s,,b,,,,,,,,,\"no, it can't\"\n"));
    EXPECT_THAT(csv, HasSubstr("broadcast,net.json,8,r,,a,,1,0.5,any,,0,1,0,\n"));
    EXPECT_EQ(std::ranges::count(averages_csv(example()), '\n'), 5);
}

StudyOptions on_drawn(const std::string& network) {
    StudyOptions options;
    options.problem.collective = "broadcast";
    options.problem.network.name = network;
    options.only = {"flat", "ecef"};
    options.network_of_seed = [network](std::uint64_t seed) { return draw_network(network, seed); };
    return options;
}

TEST(Study, plans_for_each_size_root_and_seed) {
    StudyOptions options = on_drawn("generate:gusto,nodes=4");
    options.problem.bytes = "1KiB..4KiB,100";
    options.roots = "all";
    options.seeds = "3,5";
    EXPECT_TRUE(options.is_several());
    std::size_t turns = 0;
    const Study study =
        make_study(options, [&](const std::string&, std::size_t cell, std::size_t cells, double) {
            ++turns;
            EXPECT_LE(cell, cells);
            EXPECT_EQ(cells, 32u);
        });
    EXPECT_GE(turns, 64u);
    ASSERT_THAT(study.cells, SizeIs(4 * 4 * 2));
    for (const Study::Cell& cell : study.cells) EXPECT_THAT(cell.comparison.rows, SizeIs(2));
    EXPECT_EQ(study.cells.front().seed, 3u);
    EXPECT_EQ(study.cells.back().seed, 5u);
    EXPECT_EQ(study.cells.front().root, "n0");
    EXPECT_EQ(study.cells[3].bytes, Bytes(100));
    EXPECT_EQ(averages(study).size(), 8u);
}

TEST(Study, takes_one_comparison_for_what_it_is) {
    StudyOptions options;
    options.problem.network.name = "net.json";
    for (const char* const one : {"", "64KiB", "1.5GiB"}) {
        options.problem.bytes = one;
        EXPECT_FALSE(options.is_several()) << one;
    }
    for (const char* const several : {"8,16", "1KiB..4KiB"}) {
        options.problem.bytes = several;
        EXPECT_TRUE(options.is_several()) << several;
    }
}

TEST(Study, refuses_what_can_not_be) {
    const auto refused = [](const StudyOptions& options) -> std::string {
        try {
            (void)make_study(options, [](const auto&, auto, auto, auto) {});
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    StudyOptions options = on_drawn("generate:gusto,nodes=4");
    options.problem.bytes = "8";
    options.roots = "n9";
    EXPECT_THAT(refused(options), HasSubstr("n9"));
    options.roots = "all";
    options.problem.root = "n1";
    EXPECT_THAT(refused(options), HasSubstr("--root"));
    options.problem.root = "";
    options.problem.collective = "allreduce";
    EXPECT_THAT(refused(options), HasSubstr("allreduce has no root"));
    options.problem.collective = "broadcast";
    options.only = {"ecf"};
    EXPECT_THAT(refused(options), HasSubstr("did you mean ecef"));
    options.problem.network.name = "net.json";
    options.seeds = "1..3";
    EXPECT_THAT(refused(options), HasSubstr("net.json is the same for each"));
    options.problem.network.name = "net{seed}.json";
    options.seeds = "";
    EXPECT_THAT(refused(options), HasSubstr("--seeds: needed"));
    options.seeds = "3..1";
    EXPECT_THAT(refused(options), HasSubstr("'3..1' is no range"));
}

TEST(Seeds, are_numbers_and_ranges_each_once) {
    EXPECT_THAT(parse_seeds("1..3,2,7", "--seeds"), ElementsAre(1, 2, 3, 7));
    EXPECT_THAT(parse_seeds("18446744073709551615", "--seeds"), SizeIs(1));
    for (const char* const wrong : {"1..", "a", "1,,2", "2..1", "0..10000", "-1"})
        EXPECT_THROW((void)parse_seeds(wrong, "--seeds"), InputError) << wrong;
}

TEST(DrawnNetwork, is_what_generate_makes_of_the_same_words) {
    GenerateOptions options;
    options.clusters = "3";
    options.bandwidth_factor = "2";
    options.symmetric = true;
    options.seed = "7";
    EXPECT_EQ(network::fingerprint(draw_network("generate:grid,clusters=3,symmetric", 7)),
              network::fingerprint(generate_network("grid", options)));
    EXPECT_EQ(size(draw_network("generate:tiers,hosts=5,bandwidth-factor=2", 1)),
              size(draw_network("generate:tiers,hosts=5,bandwidth_factor=2", 1)));
    for (const char* const wrong :
         {"generate:", "generate:gird", "generate:grid,clusters", "generate:grid,seed=3",
          "generate:grid,hosts=3", "generate:grid,symmetric=1", "generate:sizes"})
        EXPECT_THROW((void)draw_network(wrong, 1), InputError) << wrong;
    EXPECT_EQ(name_of_seed("a{seed}/b{seed}.json", 12), "a12/b12.json");
}

}  // namespace
}  // namespace espalier::frontend
