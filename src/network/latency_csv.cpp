#include "network/latency_csv.hpp"

#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace espalier::network {

namespace {

constexpr std::string_view blanks = " \t\r";

std::vector<std::string> split_at_blanks(std::string_view line) {
    std::vector<std::string> cells;
    while (!line.empty()) {
        const auto end = std::min(line.find_first_of(blanks), line.size());
        cells.emplace_back(line.substr(0, end));
        line = trimmed(line.substr(end));
    }
    return cells;
}

std::optional<double> read_number(std::string_view text) {
    double number = 0;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<double> read_time(const std::string& text) {
    try {
        return parse_seconds(text, "").value;
    } catch (const InputError&) {
        return std::nullopt;
    }
}

/// One file while it is read.
class Reader {
public:
    Reader(const std::string& text, const std::string& source,
           std::optional<StatedCells> stated = std::nullopt)
        : source_(source), lines_(csv_lines(text)), stated_(stated) {
        if (lines_.empty()) throw InputError(source, "", "the file is empty");
        separator_ = csv_separator(lines_.front());
    }

    PairTable read() {
        const auto first = split(0);
        if (first.empty()) throw InputError(source_, "line 1", "the row is empty");
        const bool named = !read_value(first.front());
        read_names(first, named);
        const std::size_t rows = lines_.size() - (named ? 1 : 0);
        if (rows != table_.size())
            throw InputError(source_, "",
                             fmt::format("not square: {} rows, {} columns", rows, table_.size()));
        table_.cells = Matrix<std::optional<double>>(rows, rows);
        for (std::size_t row = 0; row < rows; ++row) read_row(row, named);
        return std::move(table_);
    }

private:
    [[nodiscard]] std::vector<std::string> split(std::size_t line) const {
        return separator_ == 0 ? split_at_blanks(lines_[line])
                               : csv_cells(lines_[line], separator_);
    }

    void read_names(const std::vector<std::string>& first, bool named) {
        table_.named = named;
        if (!named) {
            for (std::size_t i = 0; i < first.size(); ++i)
                table_.names.push_back(fmt::format("n{}", i));
            return;
        }
        if (first.size() < 2) throw InputError(source_, "line 1", "names no node");
        std::unordered_set<std::string> seen;
        for (std::size_t column = 1; column < first.size(); ++column) {
            const std::string field = fmt::format("line 1, column {}", column + 1);
            if (first[column].empty()) throw InputError(source_, field, "the name is empty");
            if (!seen.insert(first[column]).second)
                throw InputError(source_, field,
                                 fmt::format("the name '{}' stands there twice", first[column]));
            table_.names.push_back(first[column]);
        }
    }

    void read_row(std::size_t row, bool named) {
        const std::size_t line = row + (named ? 1 : 0);
        const std::string field = fmt::format("line {}", line + 1);
        const auto cells = split(line);
        const std::size_t offset = named ? 1 : 0;
        if (lines_[line].empty()) throw InputError(source_, field, "the row is empty");
        if (named && cells.front() != table_.names[row])
            throw InputError(source_, field + ", column 1",
                             fmt::format("the row is named '{}', the column at its place '{}'",
                                         cells.front(), table_.names[row]));
        if (cells.size() != table_.size() + offset)
            throw InputError(source_, field,
                             fmt::format("not square: {} cells where {} were expected",
                                         cells.size() - offset, table_.size()));
        for (std::size_t column = 0; column < table_.size(); ++column)
            table_.cells(row, column) =
                read_cell(cells[column + offset], row, column,
                          fmt::format("{}, column {}", field, column + offset + 1));
    }

    [[nodiscard]] std::optional<double> read_value(const std::string& cell) const {
        const auto number = read_number(cell);
        return !number && stated_ == StatedCells::times ? read_time(cell) : number;
    }

    [[nodiscard]] std::optional<double> read_cell(const std::string& cell, std::size_t row,
                                                  std::size_t column,
                                                  const std::string& field) const {
        if (cell.empty()) return std::nullopt;
        const auto fail = [&](const std::string& problem) {
            throw InputError(
                source_,
                fmt::format("{} ({} to {})", field, table_.names[row], table_.names[column]),
                problem);
        };
        const auto number = read_value(cell);
        if (!number)
            fail(fmt::format(
                "'{}' is not a {}{}", cell, stated_ == StatedCells::times ? "time" : "number",
                cell.find(',') == std::string::npos ? "" : "; a point stands before decimals"));
        if (!std::isfinite(*number)) fail(fmt::format("'{}' is not a finite number", cell));
        if (*number < 0) fail(fmt::format("{} is negative", cell));
        if (*number == 0 && row != column && !stated_) return std::nullopt;
        return number;
    }

    const std::string& source_;
    std::vector<std::string_view> lines_;
    std::optional<StatedCells> stated_;
    char separator_ = ',';
    PairTable table_;
};

}  // namespace

PairTable parse_pair_table(const std::string& text, const std::string& source) {
    return Reader(text, source).read();
}

PairTable read_pair_table(const std::string& path) {
    return parse_pair_table(read_file(path), path);
}

PairTable read_stated_table(const std::string& path, StatedCells cells) {
    return Reader(read_file(path), path, cells).read();
}

std::string to_csv(const PairTable& table) {
    std::string text;
    for (const std::string& name : table.names) text += "," + csv_cell(name);
    text += '\n';
    for (std::size_t row = 0; row < table.size(); ++row) {
        text += csv_cell(table.names[row]);
        for (std::size_t column = 0; column < table.size(); ++column) {
            text += ',';
            if (const auto cell = table.cells(row, column)) text += fmt::format("{}", *cell);
        }
        text += '\n';
    }
    return text;
}

TimeUnit parse_time_unit(std::string_view text, const std::string& where) {
    if (text == "us") return TimeUnit::us;
    if (text == "ms") return TimeUnit::ms;
    if (text == "s") return TimeUnit::s;
    throw InputError(where, "", fmt::format("'{}' is not a unit of time: us, ms or s", text));
}

Seconds duration(TimeUnit unit) {
    switch (unit) {
        case TimeUnit::us:
            return Seconds(1e-6);
        case TimeUnit::ms:
            return Seconds(1e-3);
        case TimeUnit::s:
            return Seconds(1);
    }
    return Seconds(std::numeric_limits<double>::quiet_NaN());
}

PairwiseNetwork to_pairwise(const PairTable& latencies, TimeUnit unit) {
    const std::size_t n = latencies.size();
    PairwiseNetwork network{latencies.names,
                            Matrix<std::optional<Seconds>>(n, n),
                            Matrix<std::optional<BytesPerSecond>>(n, n),
                            {},
                            {}};
    for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to)
            if (const auto cell = latencies.cells(from, to); cell && from != to)
                network.startup(from, to) = *cell * duration(unit);
    return network;
}

}  // namespace espalier::network
