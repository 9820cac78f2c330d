#pragma once

#include "core/units.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace espalier::directory {

/// An open SQLite file. Whatever SQLite complains of, here and in the statements below, is thrown
/// as an InputError that names the file.
class Database {
public:
    enum class Mode {
        create,     ///< a new file
        write,      ///< a file that exists
        read,       ///< likewise; nothing will be changed in it
        immutable,  ///< likewise; nobody else is taken to change it, either
    };
    /// `wait`: how long to wait for other processes that hold the file.
    Database(const std::string& path, Mode mode, Seconds wait);

    void execute(const char* sql) const;
    /// The one number that a query gives.
    [[nodiscard]] std::int64_t number(const char* sql) const;
    [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
    [[noreturn]] void fail(int code) const;

private:
    struct Close {
        void operator()(sqlite3* handle) const;
    };
    std::string path_;
    Seconds wait_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement of a database that outlives it. Parameters and columns count from 0.
class Statement {
public:
    Statement(const Database& database, std::string_view sql);

    Statement& bind(int parameter, std::int64_t number);
    Statement& bind(int parameter, double number);
    /// The text has to stay until the statement is done.
    Statement& bind(int parameter, std::string_view text);

    /// Goes on to the next row; false after the last one.
    bool step();
    /// Performs a statement that has no rows, and makes it ready for the next time.
    void perform();
    /// Ready for the next time; parameters stay.
    void reset();

    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const;

private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    void require(int code) const;

    const Database* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A transaction, which is undone unless it is committed. One for writing keeps other writers out;
/// one for reading sees the file as it was at its first query, whoever writes meanwhile.
class Transaction {
public:
    enum class Purpose { read, write };
    Transaction(const Database& database, Purpose purpose);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();

    void commit();

private:
    const Database* database_;
    bool open_ = true;
};

}  // namespace espalier::directory
