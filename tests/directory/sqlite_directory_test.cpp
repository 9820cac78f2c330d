#include "directory/sqlite_directory.hpp"
#include "core/infinity.hpp"

#include "core/error.hpp"
#include "directory/measurement_text.hpp"
#include "memory_source.hpp"
#include "random_measurements.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace espalier::directory {
namespace {

using Access = SqliteDirectory::Access;
using testing::ElementsAre;

const Period always{Time(), Time::max()};

std::set<std::string> files_in(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    return names;
}

TEST(SqliteDirectory, gives_back_what_was_put_in_oldest_first) {
    const TemporaryFolder folder;
    Random random(7);
    const auto measurements = random_measurements(random, 300);
    SqliteDirectory(folder / "d.db", Access::write).add(measurements);
    const SqliteDirectory stored(folder / "d.db", Access::read);
    EXPECT_EQ(stored.read(always), MemorySource(measurements).read(always));
}

TEST(SqliteDirectory, knows_the_newest_as_any_source_does) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const TemporaryFolder folder;
        Random random(seed);
        const auto measurements = random_measurements(random, 200);
        SqliteDirectory(folder / "d.db", Access::write).add(measurements);
        const SqliteDirectory stored(folder / "d.db", Access::read);
        const MemorySource memory(measurements);
        for (const double end : {-1.0, 5.0, 20.0, 60.0}) {
            const Period period{second(end - 17), second(end)};
            EXPECT_EQ(stored.newest(period), memory.newest(period)) << seed;
            EXPECT_EQ(stored.read(period), memory.read(period)) << seed;
        }
    }
}

TEST(SqliteDirectory, tells_the_history_of_a_pair_and_counts) {
    const TemporaryFolder folder;
    SqliteDirectory directory(folder / "d.db", Access::write);
    directory.add(std::vector{measured(1, {"a", "b"}, Latency{1}),
                              measured(3, {"a", "b"}, Bandwidth{5}, {{"c", "d"}}),
                              measured(2, {"b", "a"}, Latency{2})});
    EXPECT_EQ(directory.history({"a", "b"}, always).size(), 2U);
    EXPECT_EQ(directory.history({"a", "b"}, {second(2), second(9)}).size(), 1U);
    EXPECT_TRUE(directory.history({"a", "z"}, always).empty());
    const auto counts = directory.counts(always);
    ASSERT_EQ(counts.size(), 2U);
    EXPECT_EQ(counts[0].pair, (Pair{"a", "b"}));
    EXPECT_EQ(counts[0].measurements, 2U);
}

TEST(SqliteDirectory, lists_nodes_as_they_came) {
    const TemporaryFolder folder;
    SqliteDirectory directory(folder / "d.db", Access::write);
    const std::vector<std::string> listed{"zebra", "ant"};
    directory.add(std::vector{measured(1, {"bee", "ant"}, Latency{1})}, listed);
    directory.add(std::vector{measured(1, {"cow", ""}, Bandwidth{1})});
    EXPECT_THAT(directory.nodes(), ElementsAre("zebra", "ant", "bee", "cow"));
}

TEST(SqliteDirectory, prunes_what_is_older_and_says_how_many) {
    const TemporaryFolder folder;
    SqliteDirectory directory(folder / "d.db", Access::write);
    directory.add(std::vector{measured(1, {"a", "b"}, Bandwidth{1}, {{"c", "d"}}),
                              measured(2, {"a", "b"}, Latency{2}),
                              measured(3, {"a", "b"}, Latency{3})});
    EXPECT_EQ(directory.prune(second(2)), 1U);
    EXPECT_EQ(directory.prune(second(2)), 0U);
    const auto left = directory.read(always);
    ASSERT_EQ(left.size(), 2U);
    EXPECT_EQ(left.front().at, second(2));
}

TEST(SqliteDirectory, adds_all_or_nothing) {
    const TemporaryFolder folder;
    SqliteDirectory directory(folder / "d.db", Access::write);
    directory.add(std::vector{measured(1, {"a", "b"}, Latency{1})});
    Measurement broken = measured(1, {"a", "b"}, Gap{1, 64});
    broken.size.reset();
    EXPECT_THROW(directory.add(std::vector{measured(2, {"a", "b"}, Latency{1}), broken}),
                 InputError);
    EXPECT_EQ(directory.read(always).size(), 1U);
}

TEST(SqliteDirectory, refuses_what_can_not_be_true) {
    const auto refused = [](const Measurement& measurement) {
        EXPECT_THROW(require_sound(measurement, "x"), InputError);
    };
    refused(measured(1, {"a", "b"}, Latency{-1}));
    refused(measured(1, {"a", "b"}, Bandwidth{0}));
    refused(measured(1, {"a", "b"}, Latency{std::numeric_limits<double>::quiet_NaN()}));
    refused(measured(1, {"a", "b"}, Latency{infinity}));
    refused(measured(1, {"a", ""}, Latency{1}));
    refused(measured(1, {"", ""}, Bandwidth{1}));
    refused(measured(1, {"a", "b"}, Latency{1}, {{"c", ""}}));
    refused(measured(1, {"a", "\xff"}, Latency{1}));
    refused(measured(-1e12, {"a", "b"}, Latency{1}));
    EXPECT_NO_THROW(require_sound(measured(1, {"a", ""}, Bandwidth{1}), "x"));
}

TEST(SqliteDirectory, leaves_no_file_behind_but_its_own) {
    const TemporaryFolder folder;
    SqliteDirectory(folder / "d.db", Access::write)
        .add(std::vector{measured(1, {"a", "b"}, Latency{1})});
    EXPECT_THAT(files_in(folder.path()), ElementsAre("d.db"));
    const auto before = std::filesystem::last_write_time(folder / "d.db");
    EXPECT_EQ(SqliteDirectory(folder / "d.db", Access::read).read(always).size(), 1U);
    EXPECT_THAT(files_in(folder.path()), ElementsAre("d.db"));
    EXPECT_EQ(std::filesystem::last_write_time(folder / "d.db"), before);
}

TEST(SqliteDirectory, reading_makes_no_file) {
    const TemporaryFolder folder;
    EXPECT_THROW(SqliteDirectory(folder / "d.db", Access::read), InputError);
    EXPECT_TRUE(files_in(folder.path()).empty());
}

TEST(SqliteDirectory, takes_letters_in_its_name_that_mean_something_in_an_uri) {
    const TemporaryFolder folder;
    const std::string path = folder / "a?b#c%41 d.db";
    SqliteDirectory(path, Access::write).add(std::vector{measured(1, {"a", "b"}, Latency{1})});
    EXPECT_THAT(files_in(folder.path()), ElementsAre("a?b#c%41 d.db"));
}

}  // namespace
}  // namespace espalier::directory
