#include "directory/sqlite.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cassert>

namespace espalier::directory {

namespace {

/// The path as SQLite takes it in an URI.
std::string uri_of(const std::string& path) {
    std::string uri = "file:";
    for (const char letter : path) {
        if (letter == '?' || letter == '#' || letter == '%')
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
        else
            uri += letter;
    }
    return uri;
}

int flags_of(Database::Mode mode) {
    switch (mode) {
        case Database::Mode::create:
            return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
        case Database::Mode::write:
            return SQLITE_OPEN_READWRITE;
        case Database::Mode::read:
        case Database::Mode::immutable:
            return SQLITE_OPEN_READONLY;
    }
    return 0;
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { ::sqlite3_close_v2(handle); }

Database::Database(const std::string& path, Mode mode, Seconds wait) : path_(path), wait_(wait) {
    std::string uri = uri_of(path);
    if (mode == Mode::immutable) uri += "?immutable=1";
    sqlite3* opened = nullptr;
    const int code =
        ::sqlite3_open_v2(uri.c_str(), &opened, flags_of(mode) | SQLITE_OPEN_URI, nullptr);
    handle_.reset(opened);
    if (code != SQLITE_OK) fail(code);
    ::sqlite3_extended_result_codes(handle(), 1);
    constexpr double longest = 1e9;
    ::sqlite3_busy_timeout(handle(), static_cast<int>(std::min(wait.value * 1e3, longest)));
}

void Database::execute(const char* sql) const {
    const int code = ::sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const char* sql) const {
    Statement statement(*this, sql);
    return statement.step() ? statement.integer(0) : 0;
}

void Database::fail(int code) const {
    const auto complain = [&](const std::string& problem) { throw InputError(path_, "", problem); };
    switch (code & 0xFF) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            complain(
                fmt::format("locked by another process for more than {}", format_seconds(wait_)));
            break;
        case SQLITE_NOTADB:
            complain("is no directory of measurements");
            break;
        case SQLITE_CORRUPT:
            complain("is damaged or cut off");
            break;
        case SQLITE_READONLY:
        case SQLITE_PERM:
            complain("can't be written: it, or its folder, is read-only");
            break;
        case SQLITE_CANTOPEN:
            complain("can't be opened, or not in this folder");
            break;
        case SQLITE_FULL:
            complain("nothing was written: the disk is full");
            break;
        case SQLITE_NOMEM:
            throw std::bad_alloc();
        case SQLITE_ERROR:
        case SQLITE_MISUSE:
        case SQLITE_CONSTRAINT:
            // Tables that are not ours, in a file that says that it is.
            complain(fmt::format("is damaged ({})", ::sqlite3_errmsg(handle())));
            break;
        default:
            break;
    }
    throw InputError(path_, "", ::sqlite3_errstr(code));
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
    ::sqlite3_finalize(statement);
}

Statement::Statement(const Database& database, std::string_view sql) : database_(&database) {
    sqlite3_stmt* prepared = nullptr;
    const int code = ::sqlite3_prepare_v2(database.handle(), sql.data(),
                                          static_cast<int>(sql.size()), &prepared, nullptr);
    statement_.reset(prepared);
    require(code);
}

void Statement::require(int code) const {
    if (code != SQLITE_OK) database_->fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t number) {
    require(::sqlite3_bind_int64(statement_.get(), parameter + 1, number));
    return *this;
}

Statement& Statement::bind(int parameter, double number) {
    require(::sqlite3_bind_double(statement_.get(), parameter + 1, number));
    return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
    require(::sqlite3_bind_text(statement_.get(), parameter + 1, text.data(),
                                static_cast<int>(text.size()), SQLITE_STATIC));
    return *this;
}

bool Statement::step() {
    const int code = ::sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) database_->fail(code);
    return false;
}

void Statement::perform() {
    while (step()) {
    }
    reset();
}

void Statement::reset() { ::sqlite3_reset(statement_.get()); }

std::int64_t Statement::integer(int column) const {
    return ::sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
    return ::sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
    const auto* letters = ::sqlite3_column_text(statement_.get(), column);
    const auto length = ::sqlite3_column_bytes(statement_.get(), column);
    if (letters == nullptr) return {};
    return {reinterpret_cast<const char*>(letters), static_cast<std::size_t>(length)};
}

Transaction::Transaction(const Database& database, Purpose purpose) : database_(&database) {
    database.execute(purpose == Purpose::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
    if (open_) ::sqlite3_exec(database_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    database_->execute("COMMIT");
    open_ = false;
}

}  // namespace espalier::directory
