#pragma once

#include "directory/measurement.hpp"
#include "directory/sqlite.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace espalier::directory {

/// Microseconds since 1970, as times stand in the file.
[[nodiscard]] inline std::int64_t ticks(Time time) { return time.time_since_epoch().count(); }

/// Makes measurements of the rows of a directory's tables, within one transaction. Throws
/// InputError naming `source` if a row refers to one that the file does not have.
class RowReader {
public:
    RowReader(const Database& database, const std::string& source);

    /// The measurements that `condition` (what follows the FROM of a query) selects; `bind` gives
    /// its values.
    [[nodiscard]] std::vector<Measurement> read(const std::string& condition,
                                                const std::function<void(Statement&)>& bind);
    /// The measurements of these numbers, oldest first.
    [[nodiscard]] std::vector<Measurement> read(const std::vector<std::int64_t>& ids);
    [[nodiscard]] const std::string& node(std::int64_t id) const { return look_up(nodes_, id); }

private:
    template <typename Value>
    using Table = std::unordered_map<std::int64_t, Value>;

    template <typename Value>
    [[nodiscard]] const Value& look_up(const Table<Value>& table, std::int64_t id) const {
        const auto found = table.find(id);
        if (found == table.end()) fail();
        return found->second;
    }
    [[noreturn]] void fail() const;
    [[nodiscard]] Table<std::string> read_names(const char* sql) const;
    [[nodiscard]] const std::vector<Pair>& company(std::int64_t id);
    [[nodiscard]] Measurement measurement(const Statement& row);

    const Database& database_;
    const std::string& source_;
    Table<std::string> nodes_;
    Table<std::string> authors_;
    Table<std::vector<Pair>> companies_;
};

/// Adds rows to a directory's tables. Lives in one transaction.
class RowWriter {
public:
    explicit RowWriter(const Database& database);

    std::int64_t add_node(const std::string& name) { return nodes_.add(name); }
    void add(const Measurement& measurement);

private:
    /// A table of texts with numbers.
    class Names {
    public:
        Names(const Database& database, const std::string& table, const std::string& column);
        /// The number of a text; adds the text if it is new.
        std::int64_t add(const std::string& text);

    private:
        const Database& database_;
        Statement find_;
        Statement insert_;
        std::unordered_map<std::string, std::int64_t> known_;
    };

    Names nodes_;
    Names authors_;
    Names companies_;
    Statement insert_;
};

}  // namespace espalier::directory
