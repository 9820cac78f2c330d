#include "core/error.hpp"
#include "core/subprocess.hpp"
#include "directory/sqlite_directory.hpp"
#include "memory_source.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>

namespace espalier::directory {
namespace {

using Access = SqliteDirectory::Access;
using std::chrono::milliseconds;
using testing::HasSubstr;

const Period always{Time(), Time::max()};

/// Another process, which ends with 0 unless its work throws.
Subprocess process_of(const std::function<void()>& work) {
    return Subprocess([&] {
        work();
        return 0;
    });
}

/// Measurements that tell who added them, and in which transaction.
std::vector<Measurement> batch(int writer, int transaction, std::size_t size) {
    std::vector<Measurement> measurements(size,
                                          measured(transaction, {"a", "b"}, Latency{1.0 + writer}));
    for (Measurement& measurement : measurements)
        measurement.by = std::to_string(writer) + "." + std::to_string(transaction);
    return measurements;
}

std::map<std::string, std::size_t> batches_in(const std::string& path) {
    std::map<std::string, std::size_t> sizes;
    for (const Measurement& m : SqliteDirectory(path, Access::read).read(always)) ++sizes[m.by];
    return sizes;
}

std::string complaint_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no complaint";
}

void execute(const std::string& path, const char* sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(::sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(::sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    ::sqlite3_close(handle);
}

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

TEST(WritersAtOnce, lose_nothing_even_where_each_finds_no_directory_yet) {
    const TemporaryFolder folder;
    const std::string path = folder / "d.db";
    constexpr int writers = 4;
    constexpr int transactions = 10;
    std::vector<Subprocess> processes;
    for (int writer = 0; writer < writers; ++writer)
        processes.push_back(process_of([&, writer] {
            for (int t = 0; t < transactions; ++t)
                SqliteDirectory(path, Access::write).add(batch(writer, t, 7));
        }));
    for (Subprocess& process : processes) EXPECT_EQ(process.wait(), 0);
    const auto sizes = batches_in(path);
    EXPECT_EQ(sizes.size(), std::size_t{writers} * transactions);
    for (const auto& [name, size] : sizes) EXPECT_EQ(size, 7U) << name;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
        << "one file, and nothing beside it";
}

TEST(AReaderBesideAWriter, sees_whole_transactions_only) {
    const TemporaryFolder folder;
    const std::string path = folder / "d.db";
    SqliteDirectory(path, Access::write).add(batch(9, 0, 50));
    Subprocess writer = process_of([&] {
        SqliteDirectory directory(path, Access::write);
        for (int t = 0; t < 40; ++t) directory.add(batch(0, t, 50));
    });
    std::size_t looks = 0;
    std::size_t last = 0;
    while (!writer.ended()) {
        std::size_t total = 0;
        for (const auto& [name, size] : batches_in(path)) {
            EXPECT_EQ(size, 50U) << name;
            total += size;
        }
        EXPECT_GE(total, last);
        last = total;
        ++looks;
    }
    EXPECT_GT(looks, 0U);
    EXPECT_EQ(batches_in(path).size(), 41U);
}

TEST(AWriterThatIsKilled, leaves_all_or_nothing_of_each_transaction) {
    for (int round = 0; round < 5; ++round) {
        const TemporaryFolder folder;
        const std::string path = folder / "d.db";
        SqliteDirectory(path, Access::write).add(batch(9, 0, 1));
        Subprocess writer = process_of([&] {
            SqliteDirectory directory(path, Access::write);
            for (int t = 0;; ++t) directory.add(batch(0, t, 500));
        });
        std::this_thread::sleep_for(milliseconds(3 + 11 * round));
        writer.end(SIGKILL);
        for (const auto& [name, size] : batches_in(path))
            EXPECT_EQ(size, name == "9.0" ? 1U : 500U) << name;
        // And others go on.
        SqliteDirectory(path, Access::write).add(batch(1, 0, 3));
        EXPECT_EQ(batches_in(path).at("1.0"), 3U);
    }
}

TEST(ATransactionThatIsCutOff, is_not_there) {
    const TemporaryFolder folder;
    const std::string path = folder / "d.db";
    SqliteDirectory(path, Access::write).add(batch(0, 0, 1));
    // Killed for certain between its insertions and its commit.
    Subprocess writer = process_of([&] {
        sqlite3* handle = nullptr;
        ::sqlite3_open(path.c_str(), &handle);
        ::sqlite3_exec(
            handle,
            "PRAGMA cache_size = 1; BEGIN IMMEDIATE; INSERT INTO measurement(at, author, "
            "sender, receiver, quantity, size, company, value) WITH RECURSIVE n(i) AS "
            "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, 1, 1, 2, "
            "0, -1, 0, 1.0 FROM n",
            nullptr, nullptr, nullptr);
        write(path + ".inserted", "");
        ::pause();
    });
    while (!std::filesystem::exists(path + ".inserted")) std::this_thread::yield();
    EXPECT_EQ(batches_in(path).size(), 1U) << "what is not committed is not seen";
    writer.end(SIGKILL);
    EXPECT_EQ(SqliteDirectory(path, Access::read).read(always).size(), 1U);
    SqliteDirectory(path, Access::write).add(batch(0, 1, 1));
    EXPECT_EQ(batches_in(path).size(), 2U);
}

TEST(ALockedDirectory, is_told_after_the_wait) {
    const TemporaryFolder folder;
    const std::string path = folder / "d.db";
    SqliteDirectory(path, Access::write).add(batch(0, 0, 1));
    Subprocess holder = process_of([&] {
        sqlite3* handle = nullptr;
        ::sqlite3_open(path.c_str(), &handle);
        ::sqlite3_exec(handle, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
        write(path + ".held", "");
        ::pause();
    });
    while (!std::filesystem::exists(path + ".held")) std::this_thread::yield();
    const auto begin = std::chrono::steady_clock::now();
    const std::string complaint = complaint_of(
        [&] { SqliteDirectory(path, Access::write, Seconds(0.2)).add(batch(0, 1, 1)); });
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(complaint, path + ": locked by another process for more than 200 ms");
    EXPECT_GE(took, milliseconds(150));
    EXPECT_LT(took, std::chrono::seconds(20));
    EXPECT_EQ(batches_in(path).size(), 1U) << "reading goes on";
    holder.end(SIGKILL);
    SqliteDirectory(path, Access::write).add(batch(0, 1, 1));
    EXPECT_EQ(batches_in(path).size(), 2U);
}

TEST(AFileThatIsCutOff, is_told_wherever_it_is_cut) {
    const TemporaryFolder folder;
    const std::string path = folder / "d.db";
    SqliteDirectory(path, Access::write).add(batch(0, 0, 2000));
    const std::string whole = content_of(path);
    ASSERT_GT(whole.size(), 40'000U);
    const std::string cut = folder / "cut.db";
    for (const std::size_t length : {std::size_t{50}, std::size_t{100}, std::size_t{5000},
                                     whole.size() / 2, whole.size() - 4096, whole.size() - 1}) {
        for (const Access access : {Access::read, Access::write}) {
            write(cut, whole.substr(0, length));
            EXPECT_EQ(complaint_of([&] {
                          SqliteDirectory directory(cut, access);
                          if (access == Access::write)
                              directory.add(batch(0, 1, 1));
                          else
                              (void)directory.read(always);
                      }),
                      cut + ": is damaged or cut off")
                << length;
            EXPECT_EQ(content_of(cut).size(), length) << "it is left as it was";
        }
    }
}

TEST(AFileWithGarbageInTheMiddle, is_told) {
    const TemporaryFolder folder;
    const std::string path = folder / "d.db";
    SqliteDirectory(path, Access::write).add(batch(0, 0, 2000));
    std::string content = content_of(path);
    content.replace(4096, content.size() - 4096, content.size() - 4096, 'x');
    write(path, content);
    EXPECT_THAT(complaint_of([&] { (void)SqliteDirectory(path, Access::read).read(always); }),
                HasSubstr("is damaged"));
}

TEST(AFileThatIsNoDirectory, is_told_and_left_alone) {
    const TemporaryFolder folder;
    const auto complaint = [&](const std::string& name, Access access) {
        const std::string before = content_of(folder / name);
        std::string said = complaint_of([&] { SqliteDirectory(folder / name, access); });
        EXPECT_EQ(content_of(folder / name), before);
        return said.substr(std::min(said.size(), (folder / name).size() + 2));
    };
    write(folder / "text",
          "just a text, longer than a header of SQLite has to be, is it not? yes.");
    write(folder / "empty", "");
    execute(folder / "other", "CREATE TABLE t(x); PRAGMA user_version = 1");
    SqliteDirectory(folder / "newer", Access::write);
    execute(folder / "newer", "PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)");
    for (const Access access : {Access::read, Access::write}) {
        EXPECT_EQ(complaint("text", access), "is no directory of measurements");
        EXPECT_EQ(complaint("empty", access), "is empty, and so no directory of measurements");
        EXPECT_EQ(complaint("other", access),
                  "is an SQLite file, but no directory of measurements");
        EXPECT_THAT(complaint("newer", access), HasSubstr("newer version"));
    }
    EXPECT_THAT(complaint_of([&] { SqliteDirectory(folder.path(), Access::write); }),
                HasSubstr("is a folder"));
    EXPECT_THAT(complaint_of([&] { SqliteDirectory(folder / "no/d.db", Access::write); }),
                HasSubstr("No such file"));
}

TEST(ADirectoryInAFolderThatMayNotBeWritten, is_read) {
    const TemporaryFolder folder;
    const std::string path = folder / "d.db";
    SqliteDirectory(path, Access::write).add(batch(0, 0, 5));
    ::chmod(path.c_str(), 0444);
    ::chmod(folder.path().c_str(), 0555);
    Subprocess somebody = process_of([&] {
        // Nothing is read-only to root.
        constexpr uid_t nobody = 65534;
        if (::geteuid() == 0 && ::setuid(nobody) != 0) throw std::runtime_error("setuid");
        if (batches_in(path).at("0.0") != 5) throw std::runtime_error("not read");
        const std::string complaint =
            complaint_of([&] { SqliteDirectory(path, Access::write).add(batch(0, 1, 1)); });
        if (complaint.find("read-only") == std::string::npos) throw std::runtime_error(complaint);
    });
    EXPECT_EQ(somebody.wait(), 0);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
    ::chmod(folder.path().c_str(), 0755);
}

}  // namespace
}  // namespace espalier::directory
