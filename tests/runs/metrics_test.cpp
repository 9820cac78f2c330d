#include "runs/metrics.hpp"

#include "core/error.hpp"
#include "runs/exposition.hpp"
#include "runs/summary.hpp"
#include "runs/watched.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace espalier::runs {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* awkward = "a \"b\" \\ c\nd";

Call call_of(const std::string& algorithm, std::uint64_t calls, double each) {
    return {.collective = "allreduce",
            .ranks = 10,
            .bytes = Bytes(1000),
            .calls = calls,
            .algorithm = algorithm,
            .sum = Seconds(each) * static_cast<double>(calls)};
}

Live some_live() {
    Live live{.job = "4711", .host = "n1", .process = 12, .written = 1000};
    live.run = {.program = awkward, .mpi = "openmpi", .ranks = 10, .elapsed = Seconds(100)};
    Call planned = call_of("striped", 40, 0.25);
    planned.predicted = Seconds(0.2);
    planned.taken = Seconds(0.3);
    planned.gain = {Seconds(0.3), Seconds(0.5), true};
    Call other = call_of("packed", 10, 0.25);
    other.gain = {Seconds(0.3), Seconds(0.35), false};
    Call own = call_of("native", 2, 0.5);
    own.reason = "no plan seems faster";
    live.run.calls = {planned, other, own};
    live.run.passed["MPI_Ibcast"] = 3;
    live.lateness = {{"allreduce", 10, 5, Seconds(0.1)}};
    live.waited_for = {{"n1", Seconds(0.02)}, {"n7", Seconds(0.08)}};
    live.slowest_link = {"lyon", "nancy", Bytes(1 << 20), Seconds(0.09)};
    return live;
}

double value_of(const std::string& text, const std::string& name, const std::string& way = "",
                const std::string& known = "") {
    double sum = 0;
    for (const Sample& sample : read_exposition(text, "text"))
        if (sample.name == name && (way.empty() || sample.label("way") == way) &&
            (known.empty() || sample.label("known") == known))
            sum += sample.value;
    return sum;
}

TEST(Exposition, comes_back_as_it_was_written) {
    Exposition text;
    text.begin("a_total", Exposition::Type::counter, "What\\it\nis \"so\".");
    text.add({{"name", awkward}, {"empty", ""}}, 0.1);
    text.add({}, -1e300);
    text.begin("none", Exposition::Type::gauge, "Nothing.");
    text.begin("s", Exposition::Type::summary, "Some.");
    text.add({}, 2, "_sum");
    EXPECT_THAT(text.text(),
                AllOf(HasSubstr("# HELP a_total What\\\\it\\nis \"so\".\n"),
                      HasSubstr("# TYPE a_total counter\na_total{name="), Not(HasSubstr("none")),
                      HasSubstr("# TYPE s summary\ns_sum 2\n")));
    const std::vector<Sample> samples = read_exposition(text.text(), "text");
    ASSERT_EQ(samples.size(), 3u);
    EXPECT_EQ(samples[0].label("name"), awkward);
    EXPECT_EQ(samples[0].labels.size(), 2u);
    EXPECT_EQ(samples[0].value, 0.1);
    EXPECT_EQ(samples[1].value, -1e300);
    EXPECT_EQ(samples[2].name, "s_sum");
}

TEST(Exposition, that_is_broken_is_told_with_its_line) {
    for (const char* const broken :
         {"a{b=\"c\"", "a{b=\"c} 1", "a{b} 1", "a{b=\"c\" d=\"e\"} 1", "a", "a x", "1 2", "{} 1"}) {
        try {
            (void)read_exposition(std::string("good 1\n\n") + broken + "\n", "file.prom");
            ADD_FAILURE() << broken;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr("file.prom: line 3: "));
        }
    }
    EXPECT_EQ(read_exposition("a 1 1700000000000\n# b\n", "text").size(), 1u);
}

TEST(Metrics, count_calls_by_what_did_them) {
    const std::string text = metrics(some_live());
    EXPECT_EQ(value_of(text, metric::calls, "plan"), 50);
    EXPECT_EQ(value_of(text, metric::calls, "mpi"), 2);
    EXPECT_EQ(value_of(text, metric::seconds, "plan"), 12.5);
    EXPECT_EQ(value_of(text, metric::bytes, "plan"), 50'000);
    EXPECT_EQ(value_of(text, metric::untimed), 3);
    EXPECT_EQ(value_of(text, metric::running), 1);
}

TEST(Metrics, say_that_so_much_is_saved_as_the_summary_says) {
    const Live live = some_live();
    const Saved saved = saved_by(live.run);
    const std::string text = metrics(live);
    EXPECT_DOUBLE_EQ(value_of(text, metric::saved, "plan", "measured"), saved.measured.value);
    EXPECT_DOUBLE_EQ(value_of(text, metric::saved, "plan", "predicted"), saved.predicted.value);
    EXPECT_DOUBLE_EQ(saved.all().value, 8.5);
}

TEST(Metrics, compare_what_was_predicted_with_what_the_same_calls_take) {
    const std::string text = metrics(some_live());
    EXPECT_DOUBLE_EQ(value_of(text, metric::predicted), 8);
    EXPECT_DOUBLE_EQ(value_of(text, metric::taken), 12);
}

TEST(Metrics, of_the_job_are_told_by_rank_0_alone) {
    Live live = some_live();
    live.rank = 4;
    const std::string text = metrics(live);
    EXPECT_EQ(value_of(text, metric::calls), 52);
    for (const char* const name :
         {metric::saved, metric::predicted, metric::waited_for, metric::slowest_link})
        EXPECT_THAT(text, Not(HasSubstr(name)));
}

TEST(Watched, is_what_the_metrics_told) {
    Live live = some_live();
    live.ended = true;
    const Watched run = read_metrics(metrics(live), "file");
    EXPECT_EQ(run.program, awkward);
    EXPECT_EQ(run.job, "4711");
    EXPECT_EQ(run.ranks, 10u);
    EXPECT_TRUE(run.ended);
    EXPECT_EQ(run.elapsed, Seconds(100));
    EXPECT_EQ(run.slowest_link, "lyon to nancy");
    ASSERT_EQ(run.collectives.size(), 1u);
    const Watched::Collective& calls = run.collectives.front();
    EXPECT_EQ(calls.calls, 52);
    EXPECT_EQ(calls.planned, 50);
    EXPECT_DOUBLE_EQ(calls.sum.value, 13.5);
    EXPECT_DOUBLE_EQ(calls.saved.value, 8.5);
    EXPECT_DOUBLE_EQ(calls.late.value, 0.1);
    EXPECT_EQ(calls.late_calls, 5);
}

TEST(Watched, is_shown_in_lines_that_fit) {
    Live live = some_live();
    live.run.program = "solver";
    const std::string shown = text({read_metrics(metrics(live), "file")}, 1003, 80);
    EXPECT_THAT(
        shown, AllOf(HasSubstr("solver, job 4711: 10 ranks, openmpi, for 100 s, written 3 s ago\n"),
                     HasSubstr("13.5 s in collectives (14%), saved about 8.5 s"),
                     HasSubstr("1.50 times"), HasSubstr("slowest host n7 (80% of that)"),
                     HasSubstr("slowest link lyon to nancy (90 ms for 1 MiB)")));
    for (std::size_t begin = 0; begin < shown.size();) {
        const std::size_t end = shown.find('\n', begin);
        EXPECT_LE(end - begin, 80u) << shown;
        begin = end + 1;
    }
}

TEST(Watched, says_that_a_run_which_began_has_yet_to_tell_of_calls) {
    Watched run;
    EXPECT_THAT(text({run}, 3, 80), HasSubstr("no collectives when it wrote that"));
    run.ended = true;
    EXPECT_THAT(text({run}, 3, 80), HasSubstr("0 s in collectives"));
}

TEST(Watched, needs_metrics_of_a_run) {
    EXPECT_THROW((void)read_metrics("", "file"), InputError);
    EXPECT_THROW((void)read_metrics("node_load1 0.3\n", "file"), InputError);
    EXPECT_THROW((void)read_metrics("espalier_job_info{ranks=\"many\",rank=\"0\"} 1\n", "file"),
                 InputError);
}

}  // namespace
}  // namespace espalier::runs
