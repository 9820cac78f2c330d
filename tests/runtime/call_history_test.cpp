#include "runtime/logic/call_history.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "runtime/logic/network_cache.hpp"

#include <gmock/gmock.h>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace espalier::runtime {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Turn = Bandit::Turn;

const Signature sum{.kind = schedule::Kind::allreduce, .bytes = Bytes(4096), .exact = false};
const Signature to_root{
    .kind = schedule::Kind::reduce, .root = 2, .bytes = Bytes(8), .ordered = true, .exact = false};
const std::vector<std::string> hosts{"a", "b", "a"};

PlannedCollective plans_by(const std::vector<std::string>& names) {
    PlannedCollective plans;
    plans.algorithm = names.front();
    plans.prior.expected = Seconds(1);
    plans.library = Bandit::Prior{Seconds(2)};
    for (std::size_t k = 1; k < names.size(); ++k) plans.others.emplace_back().algorithm = names[k];
    return plans;
}

class CallHistoryTest : public testing::Test {
protected:
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] CallHistory history(const std::string& network = "n",
                                      const std::string& library = "l") const {
        return CallHistory(folder_ / "deep", {network, "openmpi", library});
    }

    fs::path folder_ =
        fs::temp_directory_path() / ("espalier-calls-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(CallHistoryTest, tells_later_runs_by_what_calls_were_done) {
    const std::vector<Turn> turns{{0, 1}, {7, Bandit::native}, {9, 0}};
    {
        CallHistory first = history();
        const auto record = first.open(hosts, sum);
        EXPECT_THAT(record->turns(), IsEmpty());
        record->note(turns, {"ring", "binomial"});
        first.open(hosts, to_root)->note({{0, Bandit::native}}, {});
        first.keep();
    }
    CallHistory second = history();
    EXPECT_EQ(second.open(hosts, sum)->turns_by(plans_by({"ring", "binomial"})), turns);
    // They have the same names, in whatever order.
    EXPECT_THAT(history().open(hosts, sum)->turns_by(plans_by({"binomial", "chain", "ring"})),
                ElementsAre(Turn{0, 0}, Turn{7, Bandit::native}, Turn{9, 2}));
    EXPECT_THAT(second.open(hosts, to_root)->turns_by(plans_by({"ring"})),
                ElementsAre(Turn{0, Bandit::native}));
}

TEST_F(CallHistoryTest, of_plans_that_are_not_there_takes_what_is_predicted_to_be_best) {
    CallRecord record;
    record.note({{0, 0}, {5, 1}}, {"ring", "gone"});
    EXPECT_THAT(record.turns_by(plans_by({"ring"})), ElementsAre(Turn{0, 0}));
    PlannedCollective slow = plans_by({"ring"});
    slow.library->expected = Seconds(0.5);
    EXPECT_THAT(record.turns_by(slow), ElementsAre(Turn{0, Bandit::native}));
}

TEST_F(CallHistoryTest, tells_communicators_networks_and_libraries_apart) {
    CallHistory first = history();
    for (int communicator = 0; communicator < 3; ++communicator) {
        const auto record = first.open(hosts, sum);
        if (communicator != 1) record->note({{0, 0}}, {std::to_string(communicator)});
    }
    first.keep();
    CallHistory second = history();
    EXPECT_EQ(second.open({"a", "b"}, sum)->turns().size(), 0U);
    EXPECT_EQ(second.open(hosts, to_root)->turns().size(), 0U);
    for (const std::string expected : {"0", "", "2"}) {
        const auto record = second.open(hosts, sum);
        ASSERT_EQ(record->turns().empty(), expected.empty());
        if (!expected.empty()) {
            EXPECT_EQ(record->turns().front().algorithm, expected);
        }
    }
    EXPECT_EQ(history("m").open(hosts, sum)->turns().size(), 0U);
    EXPECT_EQ(history("n", "k").open(hosts, sum)->turns().size(), 0U);
    std::size_t opened = 3;
    while (second.open(hosts, sum)) ASSERT_LE(++opened, 1000U) << "it records for ever";
}

TEST_F(CallHistoryTest, of_runs_at_the_same_time_the_first_is_right) {
    CallHistory one = history();
    CallHistory other = history();
    one.open(hosts, sum)->note({{0, 0}}, {"one"});
    other.open(hosts, sum)->note({{0, 0}}, {"other"});
    other.open(hosts, to_root)->note({{0, 0}}, {"other"});
    one.keep();
    other.keep();
    CallHistory later = history();
    EXPECT_EQ(later.open(hosts, sum)->turns().front().algorithm, "one");
    EXPECT_EQ(later.open(hosts, to_root)->turns().front().algorithm, "other");
    // What is only read is not written again.
    fs::remove(later.path());
    later.keep();
    EXPECT_FALSE(fs::exists(later.path()));
}

TEST_F(CallHistoryTest, shows_what_would_be_opened_and_keeps_no_count_of_it) {
    {
        CallHistory first = history();
        first.open(hosts, sum)->note({{0, Bandit::native}}, {});
        first.open(hosts, sum)->note({{0, 0}}, {"ring"});
        first.keep();
    }
    CallHistory later = history();
    const auto shown = later.peek(hosts, sum);
    EXPECT_THAT(shown->turns(), ElementsAre(CallRecord::Turn{0, "native"}));
    shown->note({{0, 0}}, {"flat"});
    EXPECT_THAT(later.peek(hosts, to_root)->turns(), IsEmpty());
    EXPECT_THAT(later.open(hosts, sum)->turns(), ElementsAre(CallRecord::Turn{0, "native"}));
    EXPECT_THAT(later.peek(hosts, sum)->turns(), ElementsAre(CallRecord::Turn{0, "ring"}));
    EXPECT_THAT(later.open(hosts, sum)->turns(), ElementsAre(CallRecord::Turn{0, "ring"}));
}

TEST_F(CallHistoryTest, makes_its_folder_again_where_that_is_gone) {
    CallHistory first = history();
    first.open(hosts, sum)->note({{0, 0}}, {"ring"});
    fs::remove_all(folder_);
    first.keep();
    EXPECT_EQ(history().open(hosts, sum)->turns().size(), 1U);
}

TEST_F(CallHistoryTest, names_the_file_that_can_not_be_used) {
    const auto problem = [&] {
        try {
            (void)history();
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string path = history().path();
    for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
             {"x", "JSON"},
             {R"({"format":"espalier-network","version":1})", "format"},
             {R"({"format":"espalier-calls","version":1,"network":"n","mpi":"l","espalier":"0",
                 "calls":[{"collective":"allreduce","root":0,"bytes":1,"ordered":false,
                 "uneven":false,"hosts":"h","communicator":0,"turns":[]}]})",
              "turns: has no calls"},
             {R"({"format":"espalier-calls","version":1,"network":"n","mpi":"l","espalier":"0",
                 "calls":[{"collective":"allreduce","root":0,"bytes":1,"ordered":false,
                 "uneven":false,"hosts":"h","communicator":0,
                 "turns":[{"from_call":0,"by":"a"},{"from_call":0,"by":"b"}]}]})",
              "from_call: is not after"}}) {
        write_file(path, text);
        EXPECT_THAT(problem(), HasSubstr(path));
        EXPECT_THAT(problem(), HasSubstr(expected));
    }
    fs::remove(path);
    EXPECT_EQ(problem(), "");
    EXPECT_THROW(CallHistory("/proc/nowhere", {"n", "openmpi", "l"}), InputError);
    EXPECT_THROW(CallHistory("", {"n", "openmpi", "l"}), InputError);
}

}  // namespace
}  // namespace espalier::runtime
