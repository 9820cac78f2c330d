#include "directory/sqlite_rows.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "directory/measurement_text.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <utility>

namespace espalier::directory {

namespace {

const std::string columns =
    "SELECT at, author, sender, receiver, quantity, size, company, value, id FROM measurement ";

}  // namespace

RowReader::RowReader(const Database& database, const std::string& source)
    : database_(database),
      source_(source),
      nodes_(read_names("SELECT id, name FROM node")),
      authors_(read_names("SELECT id, name FROM author")) {}

void RowReader::fail() const {
    throw InputError(source_, "", "is damaged (its tables do not agree)");
}

RowReader::Table<std::string> RowReader::read_names(const char* sql) const {
    Table<std::string> names;
    Statement rows(database_, sql);
    while (rows.step()) names.emplace(rows.integer(0), rows.text(1));
    return names;
}

/// Read when it is met first.
const std::vector<Pair>& RowReader::company(std::int64_t id) {
    const auto found = companies_.find(id);
    if (found != companies_.end()) return found->second;
    Statement row(database_, "SELECT pairs FROM company WHERE id = ?");
    if (!row.bind(0, id).step()) fail();
    std::vector<Pair> pairs;
    const Json list = Json::parse(row.text(0), nullptr, false);
    if (!list.is_array()) fail();
    for (const Json& pair : list) {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
            fail();
        pairs.push_back({pair[0].get<std::string>(), pair[1].get<std::string>()});
    }
    return companies_.emplace(id, std::move(pairs)).first->second;
}

Measurement RowReader::measurement(const Statement& row) {
    Measurement read;
    read.at = Time(std::chrono::microseconds(row.integer(0)));
    read.by = look_up(authors_, row.integer(1));
    read.pair = {node(row.integer(2)), node(row.integer(3))};
    const std::int64_t quantity = row.integer(4);
    if (quantity < 0 || quantity > static_cast<std::int64_t>(Quantity::gap)) fail();
    read.quantity = static_cast<Quantity>(quantity);
    if (const std::int64_t size = row.integer(5); size >= 0)
        read.size = Bytes(static_cast<std::uint64_t>(size));
    if (const std::int64_t id = row.integer(6); id != 0) {
        read.meanwhile = company(id);
        const auto itself = std::find(read.meanwhile.begin(), read.meanwhile.end(), read.pair);
        if (itself == read.meanwhile.end()) fail();
        read.meanwhile.erase(itself);
    }
    read.value = row.real(7);
    require_sound(read, source_);
    return read;
}

std::vector<Measurement> RowReader::read(const std::string& condition,
                                         const std::function<void(Statement&)>& bind) {
    Statement rows(database_, columns + condition);
    bind(rows);
    std::vector<Measurement> measurements;
    while (rows.step()) measurements.push_back(measurement(rows));
    return measurements;
}

std::vector<Measurement> RowReader::read(const std::vector<std::int64_t>& ids) {
    Statement row(database_, columns + "WHERE id = ?");
    std::vector<std::pair<std::int64_t, Measurement>> found;
    found.reserve(ids.size());
    for (const std::int64_t id : ids) {
        if (!row.bind(0, id).step()) fail();
        found.emplace_back(id, measurement(row));
        row.reset();
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.at, a.first) < std::pair(b.second.at, b.first);
    });
    std::vector<Measurement> measurements;
    measurements.reserve(found.size());
    for (auto& [id, read] : found) measurements.push_back(std::move(read));
    return measurements;
}

RowWriter::Names::Names(const Database& database, const std::string& table,
                        const std::string& column)
    : database_(database),
      find_(database, fmt::format("SELECT id FROM {} WHERE {} = ?", table, column)),
      insert_(database, fmt::format("INSERT INTO {}({}) VALUES(?)", table, column)) {}

std::int64_t RowWriter::Names::add(const std::string& text) {
    const auto [entry, is_new] = known_.emplace(text, 0);
    if (!is_new) return entry->second;
    find_.bind(0, std::string_view(entry->first));
    const bool found = find_.step();
    if (found) entry->second = find_.integer(0);
    find_.reset();
    if (!found) {
        insert_.bind(0, std::string_view(entry->first)).perform();
        entry->second = ::sqlite3_last_insert_rowid(database_.handle());
    }
    return entry->second;
}

RowWriter::RowWriter(const Database& database)
    : nodes_(database, "node", "name"),
      authors_(database, "author", "name"),
      companies_(database, "company", "pairs"),
      insert_(database,
              "INSERT INTO measurement(at, author, sender, receiver, quantity, size, company, "
              "value) VALUES(?, ?, ?, ?, ?, ?, ?, ?)") {}

void RowWriter::add(const Measurement& measurement) {
    std::int64_t company = 0;
    if (!measurement.meanwhile.empty()) {
        Json list = Json::array();
        for (const Pair& pair : company_of(measurement))
            list.push_back(Json::array({pair.from, pair.to}));
        company = companies_.add(list.dump());
    }
    insert_.bind(0, ticks(measurement.at))
        .bind(1, authors_.add(measurement.by))
        .bind(2, nodes_.add(measurement.pair.from))
        .bind(3, nodes_.add(measurement.pair.to))
        .bind(4, static_cast<std::int64_t>(measurement.quantity))
        .bind(5, measurement.size ? static_cast<std::int64_t>(measurement.size->value) : -1)
        .bind(6, company)
        .bind(7, measurement.value)
        .perform();
}

}  // namespace espalier::directory
