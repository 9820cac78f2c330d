#include "runs/summary.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/prose.hpp"
#include "runs/text.hpp"

#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

namespace espalier::runs {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

Call planned(const std::string& collective, std::uint64_t calls, Seconds each, Call::Gain gain) {
    return {.collective = collective,
            .ranks = 10,
            .bytes = Bytes(1 << 20),
            .calls = calls,
            .algorithm = "striped",
            .median = each,
            .sum = each * static_cast<double>(calls),
            .gain = gain};
}

Call native(const std::string& collective, std::uint64_t calls, Seconds each,
            const std::string& reason) {
    return {.collective = collective,
            .ranks = 10,
            .bytes = Bytes(8),
            .calls = calls,
            .algorithm = "native",
            .reason = reason,
            .median = each,
            .sum = each * static_cast<double>(calls)};
}

runs::Run some_run() {
    runs::Run run{.program = "average", .mpi = "openmpi", .ranks = 10};
    run.network_from = "cache";
    run.start = Seconds(0.01);
    run.elapsed = Seconds(20);
    return run;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

TEST(Summary, says_what_was_saved_by_calls_that_were_timed_and_by_predictions) {
    runs::Run run = some_run();
    run.calls = {planned("allreduce", 20, Seconds(0.3), {Seconds(0.3), Seconds(0.9), true})};
    EXPECT_THAT(summary(run),
                AllOf(HasSubstr("average, 10 ranks, openmpi: 6 s in collectives, 30% of 20 s"),
                      HasSubstr("saved: about 12 s of 18 s (calls by plans were timed against")));
    run.calls.front().gain->measured = false;
    EXPECT_THAT(summary(run), HasSubstr("saved: about 12 s of 18 s (predicted: no call was"));
    run.calls.push_back(planned("reduce", 10, Seconds(0.1), {Seconds(0.1), Seconds(0.2), true}));
    EXPECT_THAT(summary(run), HasSubstr("saved: about 13 s of 20 s (1 s timed, 12 s predicted)"));
}

TEST(Summary, says_what_was_lost) {
    runs::Run run = some_run();
    run.calls = {planned("allreduce", 10, Seconds(1), {Seconds(1), Seconds(0.9), true})};
    EXPECT_THAT(summary(run), HasSubstr("lost: about 1 s ("));
    EXPECT_NEAR(saved_by(run).all().value, -1, 1e-9);
}

TEST(Summary, does_not_guess_what_is_not_known) {
    runs::Run run = some_run();
    run.calls = {planned("allreduce", 10, Seconds(1), {})};
    run.calls.front().gain.reset();
    EXPECT_EQ(saved_by(run).unknown, 10u);
    EXPECT_THAT(summary(run), HasSubstr("of 10 calls not known"));
}

TEST(Summary, takes_ten_lines_of_eighty_columns_whatever_the_run_is_like) {
    runs::Run run = some_run();
    run.program = std::string(90, 'x') + "東京";
    run.network_from = "measured";
    for (int size = 0; size < 30; ++size) {
        Call call = planned("reduce-scatter-block", 1'000'000, Seconds(12345),
                            {Seconds(12345.6), Seconds(99999.9), size % 2 == 0});
        call.bytes = Bytes(1000 + static_cast<std::uint64_t>(size));
        call.planning = Seconds(1000);
        run.calls.push_back(call);
        run.calls.push_back(native("alltoallv", 1000, Seconds(10000),
                                   "a reason of many words, number " + std::to_string(size)));
    }
    run.passed["MPI_Ineighbor_alltoallw"] = 1000;
    const auto lines = lines_of(summary(run));
    EXPECT_THAT(lines, SizeIs(testing::Le(10u)));
    EXPECT_THAT(lines.front(), HasSubstr("…, 10 ranks"));
    EXPECT_LE(columns_of(lines.front()), 70u);
    for (const std::string& line : lines) EXPECT_LE(columns_of(line), 80u) << line;
    EXPECT_THAT(lines, testing::Contains(StartsWith("  left to MPI: ")));
    EXPECT_THAT(lines.back(), StartsWith("  advice: "));
}

TEST(Summary, gives_its_advice_whole) {
    runs::Run run = some_run();
    const auto last_words = [&] {
        const auto lines = lines_of(summary(run));
        const std::size_t all = lines.size();
        return lines[all - 2].starts_with("  advice: ") ? lines[all - 2] + lines[all - 1].substr(3)
                                                        : lines[all - 1];
    };
    run.calls = {planned("reduce-scatter-block", 20, Seconds(0.9), {})};
    run.calls.front().predicted = Seconds(0.3);
    for (const bool is_far_off : {true, false}) {
        if (!is_far_off) run.calls.front().predicted = Seconds(0.9);
        const std::string said = advice(run);
        EXPECT_EQ(last_words(),
                  "  advice: " + (said.empty() ? "none; espalier report -o X.html draws what "
                                                 "ESPALIER_REPORT keeps"
                                               : said));
    }
}

TEST(Summary, shows_the_three_kinds_of_calls_that_took_longest) {
    runs::Run run = some_run();
    run.calls = {native("barrier", 1, Seconds(0.1), "no plan"),
                 planned("gather", 1, Seconds(4), {Seconds(4), Seconds(5), true}),
                 native("scan", 3, Seconds(1), "no plan"),
                 planned("allreduce", 20, Seconds(0.3), {Seconds(0.3), Seconds(0.9), true})};
    const std::string text = summary(run);
    EXPECT_LT(text.find("allreduce 1 MiB, 10 ranks"), text.find("gather"));
    EXPECT_LT(text.find("gather"), text.find("scan"));
    EXPECT_THAT(text, Not(HasSubstr("barrier")));
}

TEST(Summary, puts_calls_of_a_size_together_whoever_is_their_root) {
    runs::Run run = some_run();
    run.calls = {planned("broadcast", 2, Seconds(1), {Seconds(1), Seconds(2), true}),
                 planned("broadcast", 6, Seconds(2), {Seconds(2), Seconds(6), false})};
    run.calls[1].root = 3;
    run.calls[1].algorithm = "packed";
    const auto groups = groups_of(run);
    ASSERT_THAT(groups, SizeIs(1));
    EXPECT_EQ(groups[0].calls, 8u);
    EXPECT_DOUBLE_EQ(groups[0].sum.value, 14);
    EXPECT_DOUBLE_EQ(groups[0].saved.value, 26);
    EXPECT_DOUBLE_EQ(groups[0].gain->planned.value, 14.0 / 8);
    EXPECT_DOUBLE_EQ(groups[0].gain->own.value, 5);
    EXPECT_FALSE(groups[0].gain->measured);
    EXPECT_THAT(groups[0].by, ElementsAre("packed", "striped"));
}

TEST(Summary, says_why_calls_were_left_to_mpi) {
    runs::Run run = some_run();
    Call tried = native("allreduce", 2, Seconds(0.9), "striped measured 0.3 s, …");
    tried.bytes = Bytes(1 << 20);
    tried.choice = tried.reason;
    Call slower = native("scan", 5, Seconds(0.1), "binomial measured 0.3 s, …");
    slower.choice = slower.reason;
    run.calls = {planned("allreduce", 20, Seconds(0.3), {Seconds(0.3), Seconds(0.9), true}), tried,
                 slower, native("barrier", 7, Seconds(0.01), "only one rank")};
    run.passed["MPI_Ibcast"] = 3;
    std::vector<std::string> why;
    for (const Left& left : left_to_mpi(run)) why.push_back(left.why);
    EXPECT_THAT(why,
                ElementsAre("to be compared with plans", "no plan seems faster", "only one rank"));
    EXPECT_THAT(summary(run), HasSubstr("left to MPI: 2 calls (1.8 s): to be compared with plans"));
    EXPECT_THAT(text(run), AllOf(HasSubstr("  - 7 calls, 70 ms: only one rank\n"),
                                 HasSubstr("  - 3 calls: always, and not timed (MPI_Ibcast)\n")));
}

TEST(Advice, is_about_what_takes_most) {
    runs::Run run = some_run();
    run.left_to_mpi = "all ranks on one host";
    EXPECT_THAT(advice(run), HasSubstr("run it on several"));
    EXPECT_THAT(lines_of(summary(run)), SizeIs(3));
    run = some_run();
    run.calls = {native("alltoall", 10, Seconds(1),
                        "a rank would have to stage 1 GiB, more than ESPALIER_MEMORY (64 MiB)")};
    EXPECT_THAT(advice(run), HasSubstr("greater ESPALIER_MEMORY"));
    run.calls = {native("alltoall", 10, Seconds(0.01), "no plan seems faster")};
    EXPECT_THAT(advice(run), HasSubstr("so little time"));
    run.passed["MPI_Iallreduce"] = 11;
    EXPECT_THAT(advice(run), HasSubstr("MPI_Iallreduce can't be planned"));
    run = some_run();
    run.network_from = "measured";
    run.start = Seconds(13);
    run.calls = {planned("allreduce", 20, Seconds(0.3), {Seconds(0.3), Seconds(0.9), true})};
    EXPECT_THAT(advice(run), HasSubstr("run it again"));
    run.start = Seconds(11);
    EXPECT_EQ(advice(run), "");
    EXPECT_THAT(summary(run), HasSubstr("what ESPALIER_REPORT keeps"));
    run.calls.front().predicted = Seconds(0.1);
    EXPECT_THAT(advice(run), HasSubstr("allreduce takes 3.0 times what was predicted"));
}

TEST(ReadRun, takes_files_that_say_less) {
    Json storage;
    const auto document = JsonValue::parse(
        "run.json",
        R"({"format":"espalier-run","version":1,"mpi":"mpich","network":null,"ranks":4,"calls":[
            {"collective":"barrier","communicator_size":4,"root":0,"bytes":0,"calls":2,
             "algorithm":"native","reason":"no network","measured_s":{"min":1,"median":2}},
            {"collective":"reduce","communicator_size":4,"root":0,"bytes":8,"calls":1,
             "algorithm":"ecef","predicted_s":4,"measured_s":{"min":5,"median":5,"sum":5},
             "gain":{"planned_s":5,"native_s":6,"measured":false}}]})",
        storage);
    const runs::Run run = read_run(document);
    ASSERT_THAT(run.calls, SizeIs(2));
    EXPECT_EQ(run.calls[0].collective, "reduce");
    EXPECT_EQ(run.calls[1].sum, Seconds(4));
    EXPECT_EQ(run.calls[0].saved(), Seconds(1));
    EXPECT_EQ(run.in_collectives(), Seconds(9));
    EXPECT_EQ(run.network_fingerprint, "");
}

TEST(Groups, hold_what_was_predicted_and_the_least_bound) {
    runs::Run run;
    Call slow = planned("broadcast", 3, Seconds(1), {Seconds(1), Seconds(2), true});
    slow.predicted = Seconds(2);
    slow.bound = Seconds(0.5);
    Call quick = slow;
    quick.calls = 1;
    quick.predicted = Seconds(4);
    quick.bound = Seconds(0.25);
    run.calls = {slow, quick, native("scan", 1, Seconds(1), "one rank")};
    const std::vector<Group> groups = groups_of(run);
    ASSERT_EQ(groups.size(), 2);
    EXPECT_EQ(groups[0].predicted, Seconds(2.5));
    EXPECT_EQ(groups[0].bound, Seconds(0.25));
    EXPECT_EQ(groups[1].predicted, std::nullopt);
    EXPECT_EQ(groups[1].bound, std::nullopt);
}

}  // namespace
}  // namespace espalier::runs
