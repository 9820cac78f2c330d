#include "directory/sqlite_directory.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "directory/measurement_text.hpp"
#include "directory/sqlite_rows.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace espalier::directory {

namespace {

constexpr std::string_view magic("SQLite format 3\0", 16);
constexpr std::uint32_t application_id = 0x45535044;  // "ESPD"
constexpr std::uint32_t layout = 1;

/// Columns are called sender, receiver and author, because `from`, `to` and `by` mean something
/// else in SQL. A company is the set of all pairs that were active together, as JSON; 0 stands for
/// none. A size of -1 stands for none, so that sizes compare.
constexpr const char* schema = R"(
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    BEGIN;
    CREATE TABLE node(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE company(id INTEGER PRIMARY KEY, pairs TEXT NOT NULL UNIQUE);
    CREATE TABLE measurement(
        id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        author INTEGER NOT NULL REFERENCES author,
        sender INTEGER NOT NULL REFERENCES node,
        receiver INTEGER NOT NULL REFERENCES node,
        quantity INTEGER NOT NULL,
        size INTEGER NOT NULL,
        company INTEGER NOT NULL,
        value REAL NOT NULL);
    CREATE INDEX by_time ON measurement(at);
    CREATE INDEX by_pair ON measurement(sender, receiver, quantity, size, company, at);
)";

using Header = std::array<unsigned char, 100>;

std::uint32_t header_number(const Header& header, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i) number = number << 8U | header.at(i);
    return number;
}

void require_layout(const std::string& path, std::uint32_t stated) {
    if (stated > layout)
        throw InputError(path, "",
                         fmt::format("was written by a newer version of espalier (its layout is "
                                     "{}, and {} is the last one known here)",
                                     stated, layout));
    if (stated == 0) throw InputError(path, "", "is damaged (it states no layout)");
}

/// Refuses a file that is no directory by its first bytes, before SQLite touches it.
void require_directory(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw InputError(path, "", std::strerror(errno));
    if (S_ISDIR(status.st_mode)) throw InputError(path, "", "is a folder");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError(path, "", std::strerror(errno));
    Header header{};
    file.read(reinterpret_cast<char*>(header.data()), header.size());
    const auto count = static_cast<std::size_t>(file.gcount());
    const std::string_view begin(reinterpret_cast<const char*>(header.data()),
                                 std::min(count, magic.size()));
    if (count == 0) throw InputError(path, "", "is empty, and so no directory of measurements");
    if (begin != magic.substr(0, begin.size()))
        throw InputError(path, "", "is no directory of measurements");
    if (count < header.size()) throw InputError(path, "", "is damaged or cut off");
    if (header_number(header, 68) != application_id)
        throw InputError(path, "", "is an SQLite file, but no directory of measurements");
    require_layout(path, header_number(header, 60));
    // SQLite notices whole pages that are missing, and takes the rest of one for zeros.
    const std::uint32_t stated = header_number(header, 14) & 0xFFFFU;
    const std::uint32_t page = stated == 1 ? 65536 : stated;
    if (page == 0 || status.st_size % page != 0)
        throw InputError(path, "", "is damaged or cut off");
}

std::string folder_of(const std::string& path) {
    const auto folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? "." : folder.string();
}

/// Gives a new file its name, unless another has it already; returns errno or 0.
int rename_without_replacing(const std::string& from, const std::string& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    if (errno == EEXIST) return errno;
    return ::link(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

/// Makes an empty directory under another name first, so that nobody ever sees half of one. Where
/// two do so at once, one of the files stays.
void create(const std::string& path, Seconds wait) {
    const std::string temporary = make_temporary(path).name;
    int fault = 0;
    try {
        const Database database(temporary, Database::Mode::create, wait);
        database.execute(schema);
        database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT",
                                     application_id, layout)
                             .c_str());
    } catch (const InputError&) {
        fault = EIO;
    }
    if (fault == 0) fault = rename_without_replacing(temporary, path);
    for (const char* ending : {"", "-wal", "-shm"}) ::unlink((temporary + ending).c_str());
    if (fault != 0 && fault != EEXIST)
        throw InputError(path, "", fmt::format("can't be made: {}", std::strerror(fault)));
}

bool exists(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0;
}

/// SQLite keeps what was written last beside the file, in files that readers share. Who may write
/// cleans them up afterwards; who may not has to do with what is there.
Database open(const std::string& path, SqliteDirectory::Access access, Seconds wait) {
    using Mode = Database::Mode;
    const bool writing = access == SqliteDirectory::Access::write;
    if (writing && !exists(path)) create(path, wait);
    require_directory(path);
    if (writing) return {path, Mode::write, wait};
    if (::access(path.c_str(), W_OK) == 0 && ::access(folder_of(path).c_str(), W_OK) == 0) {
        Database database(path, Mode::write, wait);
        database.execute("PRAGMA query_only = ON");
        return database;
    }
    return {path, exists(path + "-wal") ? Mode::read : Mode::immutable, wait};
}

}  // namespace

bool is_sqlite_file(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    std::array<char, magic.size()> begin{};
    std::ifstream file(path, std::ios::binary);
    file.read(begin.data(), begin.size());
    return file && std::string_view(begin.data(), begin.size()) == magic;
}

SqliteDirectory::SqliteDirectory(const std::string& path, Access access, Seconds wait)
    : path_(path), database_(open(path, access, wait)) {
    database_.execute("PRAGMA synchronous = FULL");
    require_layout(path_, static_cast<std::uint32_t>(database_.number("PRAGMA user_version")));
}

std::vector<Measurement> SqliteDirectory::read(const Period& period) const {
    const Transaction snapshot(database_, Transaction::Purpose::read);
    RowReader reader(database_, path_);
    return reader.read("WHERE at BETWEEN ? AND ? ORDER BY at, id", [&](Statement& rows) {
        rows.bind(0, ticks(period.begin)).bind(1, ticks(period.end));
    });
}

std::vector<Measurement> SqliteDirectory::history(const Pair& pair, const Period& period) const {
    const Transaction snapshot(database_, Transaction::Purpose::read);
    RowReader reader(database_, path_);
    return reader.read(
        "WHERE sender = (SELECT id FROM node WHERE name = ?) AND receiver = (SELECT id FROM node "
        "WHERE name = ?) AND at BETWEEN ? AND ? ORDER BY at, id",
        [&](Statement& rows) {
            rows.bind(0, std::string_view(pair.from)).bind(1, std::string_view(pair.to));
            rows.bind(2, ticks(period.begin)).bind(3, ticks(period.end));
        });
}

std::vector<Measurement> SqliteDirectory::newest(const Period& period) const {
    const Transaction snapshot(database_, Transaction::Purpose::read);
    // Along the index, where a subject's measurements stand one after the other.
    Statement subjects(database_,
                       "SELECT sender, receiver, quantity, size, company, id FROM measurement "
                       "INDEXED BY by_pair WHERE at BETWEEN ? AND ? "
                       "ORDER BY sender, receiver, quantity, size, company, at, id");
    subjects.bind(0, ticks(period.begin)).bind(1, ticks(period.end));
    std::vector<std::int64_t> last;
    std::array<std::int64_t, 5> subject{};
    while (subjects.step()) {
        std::array<std::int64_t, 5> next{};
        for (std::size_t i = 0; i < next.size(); ++i)
            next.at(i) = subjects.integer(static_cast<int>(i));
        if (last.empty() || next != subject)
            last.push_back(subjects.integer(5));
        else
            last.back() = subjects.integer(5);
        subject = next;
    }
    RowReader reader(database_, path_);
    return reader.read(last);
}

std::vector<std::string> SqliteDirectory::nodes() const {
    Statement rows(database_, "SELECT name FROM node WHERE name <> '' ORDER BY id");
    std::vector<std::string> names;
    while (rows.step()) names.push_back(rows.text(0));
    return names;
}

std::vector<SqliteDirectory::PairCount> SqliteDirectory::counts(const Period& period) const {
    const Transaction snapshot(database_, Transaction::Purpose::read);
    RowReader reader(database_, path_);
    Statement rows(database_,
                   "SELECT sender, receiver, count(*) FROM measurement INDEXED BY by_pair "
                   "WHERE at BETWEEN ? AND ? GROUP BY sender, receiver");
    rows.bind(0, ticks(period.begin)).bind(1, ticks(period.end));
    std::vector<PairCount> counts;
    while (rows.step())
        counts.push_back({{reader.node(rows.integer(0)), reader.node(rows.integer(1))},
                          static_cast<std::size_t>(rows.integer(2))});
    return counts;
}

void SqliteDirectory::add(std::span<const Measurement> measurements,
                          std::span<const std::string> nodes) {
    for (std::size_t i = 0; i < measurements.size(); ++i)
        require_sound(measurements[i], fmt::format("measurement {}", i + 1));
    Transaction transaction(database_, Transaction::Purpose::write);
    RowWriter writer(database_);
    for (const std::string& node : nodes) writer.add_node(node);
    for (const Measurement& measurement : measurements) writer.add(measurement);
    transaction.commit();
}

std::size_t SqliteDirectory::prune(Time time) {
    Transaction transaction(database_, Transaction::Purpose::write);
    const auto total = database_.number("SELECT count(*) FROM measurement");
    Statement remove(database_, "DELETE FROM measurement WHERE at < ?");
    remove.bind(0, ticks(time)).perform();
    const auto left = database_.number("SELECT count(*) FROM measurement");
    database_.execute("DELETE FROM company WHERE id NOT IN (SELECT company FROM measurement)");
    transaction.commit();
    database_.execute("PRAGMA incremental_vacuum");
    return static_cast<std::size_t>(total - left);
}

}  // namespace espalier::directory
