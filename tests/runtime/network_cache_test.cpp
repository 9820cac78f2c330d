#include "runtime/logic/network_cache.hpp"

#include "runtime/logic/cache_folder.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/subprocess.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace espalier::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Environment environment_of(std::map<std::string, std::string> values) {
    return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        if (found == values.end()) return std::nullopt;
        return found->second;
    };
}

network::Network network_with(double latency) {
    return network::parse_network(R"({"format":"espalier-network","version":1,"model":"grid",
        "clusters":[{"name":"x","nodes":["a"]},{"name":"y","nodes":["b"]}],
        "latency_s":[[0,)" + std::to_string(latency) +
                                      "],[0.01,0]],\"gap_s\":[[0,0.001],[0.001,0]]}",
                                  "test");
}

double latency_in(const NetworkCache::Entry& entry) {
    const network::Network network = network::parse_network(entry.text, entry.path);
    return network.grid()->links(0, 1)->latency(Bytes(1)).value;
}

CacheKey key_of(std::vector<std::string> hosts) {
    CacheKey key;
    key.mpi = "openmpi";
    key.library = "Open MPI v4.1.4";
    key.hosts = std::move(hosts);
    return key;
}

std::string problem_with(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no problem";
}

class NetworkCacheTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "espalier-cache-XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] NetworkCache cache() const { return NetworkCache(folder_ / "deep" / "down"); }
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(folder_))
            if (!entry.is_directory()) found.push_back(entry.path());
        return found;
    }

    fs::path folder_;
};

TEST_F(NetworkCacheTest, finds_nothing_where_nothing_was_kept) {
    EXPECT_FALSE(cache().find(key_of({"a", "b"})));
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(NetworkCacheTest, finds_what_was_kept_for_the_same_hosts_in_any_order_and_number) {
    const auto kept = cache().keep(key_of({"a", "b"}), network_with(0.02));
    const auto found = cache().find(key_of({"b", "a", "b", "b"}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, kept.path);
    EXPECT_EQ(found->text, kept.text);
    EXPECT_EQ(latency_in(*found), 0.02);
}

TEST_F(NetworkCacheTest, what_is_kept_is_a_network_like_any_other) {
    const auto kept = cache().keep(key_of({"a", "b"}), network_with(0.02));
    EXPECT_EQ(network::fingerprint(network::read_network(kept.path)),
              network::fingerprint(network_with(0.02)));
}

TEST_F(NetworkCacheTest, keeps_networks_apart_that_differ_in_anything_that_counts) {
    const CacheKey key = key_of({"a", "b"});
    (void)cache().keep(key, network_with(0.02));
    CacheKey other = key;
    other.mpi = "mpich";
    EXPECT_FALSE(cache().find(other));
    other = key;
    other.library = "Open MPI v5.0.0";
    EXPECT_FALSE(cache().find(other));
    other = key;
    other.shares_hosts = true;
    EXPECT_FALSE(cache().find(other));
    other = key;
    other.transport = {"UCX_TLS=tcp"};
    EXPECT_FALSE(cache().find(other));
    EXPECT_FALSE(cache().find(key_of({"a"})));
    EXPECT_FALSE(cache().find(key_of({"a", "b", "c"})));
    EXPECT_FALSE(cache().find(key_of({"ab"})));
    EXPECT_TRUE(cache().find(key));
}

TEST_F(NetworkCacheTest, keeps_notes_beside_a_network_until_one_without_replaces_it) {
    const CacheKey key = key_of({"a", "b"});
    (void)cache().keep(key, network_with(0.02), std::string("no\0tes", 6));
    EXPECT_EQ(files().size(), 2U);
    EXPECT_EQ(cache().find(key)->notes, std::string("no\0tes", 6));
    (void)cache().keep(key, network_with(0.03));
    EXPECT_EQ(files().size(), 1U);
    EXPECT_EQ(cache().find(key)->notes, "");
}

TEST_F(NetworkCacheTest, says_by_which_version_it_was_measured_and_how_long_ago) {
    const auto kept = cache().keep(key_of({"a", "b"}), network_with(0.02));
    EXPECT_THAT(kept.text, HasSubstr("\"espalier\":\"" ESPALIER_VERSION "\""));
    EXPECT_LT(cache().find(key_of({"a", "b"}))->age.value, 60);
    fs::last_write_time(kept.path, fs::file_time_type::clock::now() - std::chrono::hours(50));
    EXPECT_NEAR(cache().find(key_of({"a", "b"}))->age.value, 50 * 3600, 60);
}

TEST_F(NetworkCacheTest, forgets_the_oldest_of_very_many) {
    const auto oldest = cache().keep(key_of({"old", "b"}), network_with(0.02));
    fs::last_write_time(oldest.path, fs::file_time_type::clock::now() - std::chrono::hours(1));
    write_file(fs::path(oldest.path).parent_path() / "mine.txt", "");
    for (std::size_t i = 1; i < most_kept; ++i)
        (void)cache().keep(key_of({"a" + std::to_string(i), "b"}), network_with(0.02));
    EXPECT_TRUE(cache().find(key_of({"old", "b"})));
    (void)cache().keep(key_of({"new", "b"}), network_with(0.02));
    EXPECT_FALSE(cache().find(key_of({"old", "b"})));
    EXPECT_TRUE(cache().find(key_of({"new", "b"})));
    EXPECT_EQ(files().size(), most_kept + 1);
}

TEST_F(NetworkCacheTest, the_newest_replaces_what_was_kept) {
    (void)cache().keep(key_of({"a", "b"}), network_with(0.02));
    (void)cache().keep(key_of({"a", "b"}), network_with(0.04));
    EXPECT_EQ(latency_in(*cache().find(key_of({"a", "b"}))), 0.04);
    EXPECT_EQ(files().size(), 1U);
}

TEST_F(NetworkCacheTest, says_what_is_wrong_with_a_file_and_replaces_it) {
    const CacheKey key = key_of({"a", "b"});
    const auto kept = cache().keep(key, network_with(0.02));
    const std::string elsewhere = cache().keep(key_of({"c", "d"}), network_with(0.02)).text;
    const std::array<std::pair<std::string, std::string>, 5> broken = {
        {{"", "is not JSON"},
         {kept.text.substr(0, kept.text.size() / 2), "is not JSON"},
         {std::string("\0\xff garbage", 10), "is not JSON"},
         {"[1, 2]", "is not JSON"},
         {elsewhere, "measured of something else"}}};
    for (const auto& [text, problem] : broken) {
        write_file(kept.path, text);
        const std::string line = problem_with([&] { (void)cache().find(key); });
        EXPECT_THAT(line, HasSubstr(problem));
        EXPECT_THAT(line, HasSubstr(kept.path));
        (void)cache().keep(key, network_with(0.02));
        EXPECT_TRUE(cache().find(key));
    }
}

TEST_F(NetworkCacheTest, a_file_of_another_version_is_not_used) {
    const CacheKey key = key_of({"a", "b"});
    const auto kept = cache().keep(key, network_with(0.02));
    std::string text = kept.text;
    const std::string wanted = "\"version\":1,\"espalier\"";
    const auto at = text.find(wanted);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at + wanted.find('1'), 1, "2");
    write_file(kept.path, text);
    EXPECT_THAT(problem_with([&] { (void)cache().find(key); }),
                HasSubstr("measured of something else"));
}

TEST_F(NetworkCacheTest, what_is_nested_very_deeply_is_compared_no_deeper_than_it_should_be) {
    const CacheKey key = key_of({"a", "b"});
    const auto kept = cache().keep(key, network_with(0.02));
    constexpr std::size_t levels = 1'000'000;
    const std::string nested = std::string(levels, '[') + std::string(levels, ']');
    for (const std::string& field : {R"({"hosts":)" + nested + "}", nested}) {
        write_file(kept.path, R"({"x-cache":)" + field + "}");
        EXPECT_THAT(problem_with([&] { (void)cache().find(key); }),
                    HasSubstr("measured of something else"));
    }
}

TEST_F(NetworkCacheTest, a_pipe_or_a_folder_in_its_place_keeps_nobody_waiting) {
    const CacheKey key = key_of({"a", "b"});
    const std::string path = cache().path_of(key);
    fs::create_directories(fs::path(path).parent_path());
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_THAT(problem_with([&] { (void)cache().find(key); }), HasSubstr("is no file"));
    fs::remove(path);
    fs::create_directory(path);
    EXPECT_THAT(problem_with([&] { (void)cache().find(key); }), HasSubstr("is no file"));
    EXPECT_THAT(problem_with([&] { (void)cache().keep(key, network_with(0.02)); }),
                HasSubstr("is a folder"));
}

TEST_F(NetworkCacheTest, one_line_says_why_a_folder_can_not_be_made_or_written) {
    const CacheKey key = key_of({"a", "b"});
    for (const std::string folder : {"/dev/full", "/dev/null/cache", "/proc/cache"}) {
        const NetworkCache cache(folder);
        EXPECT_FALSE(cache.find(key)) << folder;
        const std::string line = problem_with([&] { (void)cache.keep(key, network_with(0.02)); });
        EXPECT_THAT(line, HasSubstr(folder));
        EXPECT_EQ(line.find('\n'), std::string::npos);
    }
}

TEST_F(NetworkCacheTest, a_full_disk_leaves_what_was_there_and_nothing_else) {
    const CacheKey key = key_of({"a", "b"});
    (void)cache().keep(key, network_with(0.02));
    Subprocess child([&] {
        // As on a disk that is full, a write stops in the middle of the file.
        (void)std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{100, 100};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const auto line = problem_with([&] { (void)cache().keep(key, network_with(0.04)); });
        return line == "no problem" ? 1 : 0;
    });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(latency_in(*cache().find(key)), 0.02);
    EXPECT_EQ(files().size(), 1U);
}

TEST_F(NetworkCacheTest, many_processes_at_once_never_see_half_a_file) {
    const CacheKey key = key_of({"a", "b"});
    std::vector<Subprocess> children;
    for (int i = 0; i < 4; ++i)
        children.emplace_back([&, i] {
            bool good = true;
            for (int round = 0; round < 50; ++round) {
                (void)cache().keep(key, network_with(0.01 * (i + 1)));
                const auto found = cache().find(key);
                good = good && found && latency_in(*found) > 0;
            }
            return good ? 0 : 1;
        });
    for (Subprocess& child : children) EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(files().size(), 1U);
}

TEST_F(NetworkCacheTest, a_host_may_have_any_name) {
    const CacheKey key = key_of({"a\xff/../b", std::string("\n\"")});
    EXPECT_EQ(fs::path(cache().path_of(key)).parent_path(), folder_ / "deep" / "down");
    (void)cache().keep(key, network_with(0.02));
    EXPECT_TRUE(cache().find(key));
}

TEST(CacheFolder, is_what_was_chosen_or_the_users_own) {
    EXPECT_EQ(cache_folder("/x", environment_of({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/c"}})), "/x");
    EXPECT_EQ(cache_folder("", environment_of({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/c"}})),
              "/c/espalier");
    EXPECT_EQ(cache_folder("", environment_of({{"HOME", "/h"}})), "/h/.cache/espalier");
    EXPECT_EQ(cache_folder("", environment_of({{"HOME", "/h"}, {"XDG_CACHE_HOME", "relative"}})),
              "/h/.cache/espalier");
    EXPECT_EQ(cache_folder("", environment_of({{"HOME", ""}})), "");
    EXPECT_EQ(cache_folder("", environment_of({})), "");
}

TEST(CacheFolder, where_there_is_none_nothing_is_found_and_keeping_says_why) {
    const NetworkCache cache("");
    EXPECT_FALSE(cache.find(key_of({"a", "b"})));
    EXPECT_THAT(problem_with([&] {
                    (void)cache.keep(key_of({"a", "b"}), network_with(0.02));
                }),
                HasSubstr("HOME"));
}

TEST(TransportVariables, are_those_that_are_set) {
    EXPECT_THAT(transport_variables(environment_of({{"UCX_TLS", "tcp,self"},
                                                    {"OMPI_MCA_btl", "tcp"},
                                                    {"OMPI_MCA_pml", ""},
                                                    {"HOME", "/h"}})),
                UnorderedElementsAre("UCX_TLS=tcp,self", "OMPI_MCA_btl=tcp"));
}

}  // namespace
}  // namespace espalier::runtime
