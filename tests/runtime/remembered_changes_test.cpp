#include "runtime/logic/remembered_changes.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "network/json.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime {
namespace {

namespace fs = std::filesystem;
using network::GridChange;
using network::GridRate;
using network::GridView;
using Kind = GridRate::Kind;
using testing::HasSubstr;
using Time = RememberedChanges::Time;

Time at_second(double seconds) { return Time(Time::duration(seconds)); }

/// Three hosts, each a cluster; what a sends is `a up`.
std::shared_ptr<const PlannableNetwork> three_hosts(double a_up = 8e6, double a_to_c = 1e-2,
                                                    const std::string& third = "c") {
    const std::string text = fmt::format(
        R"({{"format": "espalier-network", "version": 1, "model": "grid", "clusters": [
            {{"name": "a", "nodes": ["a"]}}, {{"name": "b", "nodes": ["b"]}},
            {{"name": "{2}", "nodes": ["{2}"]}}],
            "latency_s": [[0, 5e-3, {1}], [5e-3, 0, 5e-3], [1e-2, 5e-3, 0]],
            "gap_s": [[0, 1e-6, 1e-6], [1e-6, 0, 1e-6], [1e-6, 1e-6, 0]],
            "shared": [{{"name": "a up", "capacity_Bps": {0}, "pairs": [["a", "b"]]}}]}})",
        a_up, a_to_c, third);
    return std::make_shared<PlannableNetwork>(network::parse_network(text, "test"), "test");
}

const GridRate rate_a_up{Kind::shared, {}, 0, 0};
const GridRate link_a_to_c{Kind::link, {}, 0, 2};
const GridRate link_b_to_c{Kind::link, {}, 1, 2};
const GridChange a_up_slow{rate_a_up, 0.25, Seconds(0)};
const GridChange a_to_c_longer{link_a_to_c, 1, Seconds(4e-2)};
const std::vector<GridView::Place> everywhere{{0, 0}, {1, 0}, {2, 0}};

/// A message from one rank to another.
schedule::Schedule one_message(std::size_t from, std::size_t to) {
    schedule::Schedule schedule;
    schedule.nodes = {"a", "b", "c"};
    schedule.chunks.push_back({Bytes(1)});
    schedule.transfers.push_back({from, to, 0});
    return schedule;
}

class RememberedChangesTest : public testing::Test {
protected:
    void TearDown() override { fs::remove_all(folder_); }

    using Network = std::shared_ptr<const PlannableNetwork>;
    [[nodiscard]] std::unique_ptr<RememberedChanges> run(const Network& network = three_hosts(),
                                                         const std::string& name = "n") const {
        return std::make_unique<RememberedChanges>(
            folder_ / "deep", RememberedChanges::Conditions{name, "openmpi", "l"}, network);
    }
    /// A run that finds two changes at 1000 s and sees the first one last at `seen`.
    void told(double seen) const {
        const auto job = run();
        job->conclude({a_up_slow, a_to_c_longer}, everywhere, at_second(1000), at_second(1010));
        job->saw(one_message(0, 1), everywhere, at_second(seen));
        job->keep();
    }

    fs::path folder_ =
        fs::temp_directory_path() / ("espalier-changes-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(RememberedChangesTest, last_in_later_runs_for_as_long_as_they_were_seen_to) {
    told(1600);
    const auto soon = run();
    EXPECT_EQ(soon->take_over(at_second(1900)), 0U);
    // The latency, which was told of once and never seen again, is likely to be over.
    EXPECT_EQ(soon->in_words(), "a up carries 0.25 times as much");
    EXPECT_DOUBLE_EQ(soon->over(), 300.0 / 900);
    EXPECT_DOUBLE_EQ(soon->network()->view().grid().shared[0].capacity.value, 2e6);
    const auto just = run();
    EXPECT_EQ(just->take_over(at_second(2199)), 0U);
    EXPECT_NE(just->in_words(), "");
    for (const double later : {2201.0, 1599.0}) {
        const auto too_late = run();
        EXPECT_EQ(too_late->take_over(at_second(later)), 0U);
        EXPECT_EQ(too_late->in_words(), "");
        EXPECT_EQ(too_late->network()->view().grid().shared[0].capacity.value, 8e6);
        EXPECT_EQ(too_late->over(), 0);
    }
}

TEST_F(RememberedChangesTest, that_last_on_are_older_in_the_run_after_that) {
    told(1600);
    {
        const auto second = run();
        (void)second->take_over(at_second(1900));
        second->conclude({{rate_a_up, 0.3, Seconds(0)}}, everywhere, at_second(2000),
                         at_second(2000));
        EXPECT_EQ(second->over(), 0);
        second->saw(one_message(1, 0), everywhere, at_second(2900));  // does not need it
        second->keep();
    }
    const auto third = run();
    (void)third->take_over(at_second(2500));
    EXPECT_EQ(third->in_words(), "a up carries 0.3 times as much");
    EXPECT_DOUBLE_EQ(third->over(), 500.0 / 1500);
    third->saw(one_message(0, 1), everywhere, at_second(2600));
    EXPECT_EQ(third->over(), 0);
    // That it carries more than was measured would be news.
    third->conclude({{rate_a_up, 2, Seconds(0)}}, everywhere, at_second(2700), at_second(2700));
    third->saw(one_message(0, 1), everywhere, at_second(2800));
    third->keep();
    const auto fourth = run();
    (void)fourth->take_over(at_second(2850));
    EXPECT_DOUBLE_EQ(fourth->over(), 50.0 / 150);
}

TEST_F(RememberedChangesTest, that_others_explain_better_are_as_old) {
    const auto first = run();
    first->conclude({a_up_slow}, everywhere, at_second(1000), at_second(1010));
    const GridChange b_to_c_slow{link_b_to_c, 0.5, Seconds(0)};
    first->conclude({b_to_c_slow, a_to_c_longer}, everywhere, at_second(1500), at_second(1600));
    // Beside one that lasts on, another is new.
    const GridChange a_to_c_slow{link_a_to_c, 0.5, Seconds(0)};
    first->conclude({b_to_c_slow, a_to_c_slow}, everywhere, at_second(1700), at_second(1800));
    first->keep();
    const auto second = run();
    (void)second->take_over(at_second(1850));
    EXPECT_EQ(second->in_words(),
              "b to c carries 0.5 times as much, a to c carries 0.5 times as much");
    EXPECT_DOUBLE_EQ(second->over(), 50.0 / 150);
    const auto third = run();
    (void)third->take_over(at_second(2500));
    EXPECT_EQ(third->in_words(), "b to c carries 0.5 times as much");
    EXPECT_DOUBLE_EQ(third->over(), 700.0 / 1500);
}

TEST_F(RememberedChangesTest, that_are_over_are_forgotten) {
    told(1600);
    const auto second = run();
    (void)second->take_over(at_second(1700));
    // Ranks on b and c can't tell.
    second->conclude({}, {{1, 0}, {2, 0}}, at_second(1800), at_second(1800));
    EXPECT_EQ(second->in_words(), "a up carries 0.25 times as much");
    second->conclude({}, everywhere, at_second(1800), at_second(1800));
    EXPECT_EQ(second->in_words(), "");
    second->keep();
    EXPECT_FALSE(fs::exists(second->path()));
}

TEST_F(RememberedChangesTest, that_do_not_fit_a_later_network_are_dropped_and_counted) {
    {
        const auto job = run();
        job->conclude({a_up_slow, a_to_c_longer, {link_b_to_c, 1, Seconds(1)}}, everywhere,
                      at_second(1000), at_second(1000));
        for (const auto& [from, to] : {std::pair(0U, 1U), {0U, 2U}, {1U, 2U}})
            job->saw(one_message(from, to), everywhere, at_second(2000));
        job->keep();
    }
    const auto words = [&](const Network& network, std::size_t unfit) {
        const auto job = run(network);
        EXPECT_EQ(job->take_over(at_second(2001)), unfit);
        return job->in_words();
    };
    EXPECT_EQ(
        words(three_hosts(), 0),
        "a up carries 0.25 times as much, a to c takes 40 ms longer, b to c takes 1 s longer");
    // What it is now is kept, not how many times as much.
    EXPECT_EQ(
        words(three_hosts(7e6, 1.2e-2), 0),
        "a up carries 0.29 times as much, a to c takes 38 ms longer, b to c takes 1 s longer");
    // As if it had been measured while it was slow.
    EXPECT_EQ(words(three_hosts(2e6), 1), "a to c takes 40 ms longer, b to c takes 1 s longer");
    EXPECT_EQ(words(three_hosts(8e6, 5e-2), 1),
              "a up carries 0.25 times as much, b to c takes 1 s longer");
    EXPECT_EQ(words(three_hosts(8e6, 1e-2, "d"), 2), "a up carries 0.25 times as much");
    const auto job = run(three_hosts(8e6, 1e-2, "d"));
    (void)job->take_over(at_second(2001));
    job->keep();
    EXPECT_EQ(words(three_hosts(8e6, 1e-2, "d"), 0), "a up carries 0.25 times as much");
}

TEST_F(RememberedChangesTest, are_of_one_network_and_written_only_if_there_is_news) {
    told(1600);
    const auto other = run(three_hosts(), "m");
    EXPECT_EQ(other->take_over(at_second(1700)), 0U);
    EXPECT_EQ(other->in_words(), "");
    other->keep();
    EXPECT_FALSE(fs::exists(other->path()));
    const auto job = run();
    job->conclude({a_up_slow}, everywhere, at_second(1000), at_second(1600));
    job->keep();
    const auto reader = run();
    (void)reader->take_over(at_second(1700));
    EXPECT_EQ(reader->in_words(), "a up carries 0.25 times as much");
    reader->conclude({}, {{1, 0}, {2, 0}}, at_second(1800), at_second(1800));
    fs::remove(reader->path());
    reader->keep();
    EXPECT_FALSE(fs::exists(reader->path()));
}

TEST_F(RememberedChangesTest, names_the_file_that_can_not_be_used) {
    const std::string path = run()->path();
    fs::create_directories(fs::path(path).parent_path());
    const auto problem = [&](const std::string& text) {
        write_file(path, text);
        const auto job = run();
        try {
            (void)job->take_over(at_second(1));
        } catch (const InputError& error) {
            EXPECT_EQ(job->in_words(), "");
            return std::string(error.what());
        }
        return std::string();
    };
    const auto with = [](const std::string& change) {
        return R"({"format": "espalier-changes", "version": 1, "espalier": "0", "changes": [)" +
               change + "]}";
    };
    const std::string times = R"("since_s": 1, "seen_s": 2)";
    for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
             {"x", "JSON"},
             {R"({"format": "espalier-calls", "version": 1})", "format"},
             {with(R"({"of": "shares", "in": [], "name": "a", )" + times + "}"), "no such rate"},
             {with(R"({"of": "shared", "in": [], "name": "a", )" + times + "}"), "neither a rate"},
             {with(R"({"of": "shared", "in": [], "name": "a", "rate_Bps": [1, 0], )" + times + "}"),
              "rate_Bps"},
             {with(R"({"of": "link", "in": [], "name": "a", "latency_s": [1, 0], )" + times + "}"),
              "to"},
             {with(R"({"of": "shared", "in": [], "name": "a", "rate_Bps": [1, 2],
                       "since_s": 3, "seen_s": 2})"),
              "seen_s: is before"}}) {
        EXPECT_THAT(problem(text), HasSubstr(path));
        EXPECT_THAT(problem(text), HasSubstr(expected));
    }
    EXPECT_EQ(problem(with("")), "");
    // One that fits nothing is taken for none.
    fs::remove(path);
    const auto job = run();
    job->conclude({a_up_slow}, everywhere, at_second(1000), at_second(1000));
    fs::remove_all(folder_);
    job->keep();
    EXPECT_TRUE(fs::exists(path));
    for (const std::string folder : {"/proc/nowhere", ""}) {
        RememberedChanges nowhere(folder, {"n", "openmpi", "l"}, three_hosts());
        EXPECT_EQ(nowhere.take_over(at_second(1)), 0U);
        nowhere.keep();
        nowhere.conclude({a_up_slow}, everywhere, at_second(1000), at_second(1001));
        EXPECT_EQ(nowhere.in_words(), "a up carries 0.25 times as much");
        EXPECT_THROW(nowhere.keep(), InputError);
    }
}

}  // namespace
}  // namespace espalier::runtime
