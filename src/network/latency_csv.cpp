#include "network/latency_csv.hpp"

#include "core/error.hpp"
#include "core/files.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace espalier::network {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// A file's lines without the empty ones at its end; line numbers stay those of the file.
std::vector<std::string_view> split_lines(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(trim(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
}

std::vector<std::string> split_at_blanks(std::string_view line) {
    std::vector<std::string> cells;
    while (!line.empty()) {
        const auto end = std::min(line.find_first_of(blanks), line.size());
        cells.emplace_back(line.substr(0, end));
        line = trim(line.substr(end));
    }
    return cells;
}

/// Cells may stand in double quotes, with a doubled quote for a quote.
std::vector<std::string> split_at_commas(std::string_view line) {
    std::vector<std::string> cells;
    while (true) {
        line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
        std::string cell;
        if (line.starts_with('"')) {
            line.remove_prefix(1);
            while (!line.empty() && (line.front() != '"' || line.starts_with("\"\""))) {
                if (line.front() == '"') line.remove_prefix(1);
                cell += line.front();
                line.remove_prefix(1);
            }
            if (!line.empty()) line.remove_prefix(1);
        }
        const auto end = std::min(line.find(','), line.size());
        cell += trim(line.substr(0, end));
        cells.push_back(std::move(cell));
        if (end == line.size()) return cells;
        line.remove_prefix(end + 1);
    }
}

std::optional<double> read_number(std::string_view text) {
    double number = 0;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
    return number;
}

/// One file while it is read.
class Reader {
public:
    Reader(const std::string& text, const std::string& source)
        : source_(source), lines_(split_lines(text)) {
        if (lines_.empty()) throw InputError(source, "", "the file is empty");
        commas_ = lines_.front().find(',') != std::string_view::npos;
    }

    PairTable read() {
        const auto first = split(0);
        const bool named = !read_number(first.front());
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
        return commas_ ? split_at_commas(lines_[line]) : split_at_blanks(lines_[line]);
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
        const auto number = read_number(cell);
        if (!number) fail(fmt::format("'{}' is not a number", cell));
        if (!std::isfinite(*number)) fail(fmt::format("'{}' is not a finite number", cell));
        if (*number < 0) fail(fmt::format("{} is negative", cell));
        if (*number == 0 && row != column) return std::nullopt;
        return number;
    }

    const std::string& source_;
    std::vector<std::string_view> lines_;
    bool commas_ = false;
    PairTable table_;
};

std::string quoted(const std::string& name) {
    if (name.find_first_of(",\" \t") == std::string::npos) return name;
    std::string text = "\"";
    for (const char letter : name)
        text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return text + '"';
}

}  // namespace

PairTable parse_pair_table(const std::string& text, const std::string& source) {
    return Reader(text, source).read();
}

PairTable read_pair_table(const std::string& path) {
    return parse_pair_table(read_file(path), path);
}

std::string to_csv(const PairTable& table) {
    std::string text;
    for (const std::string& name : table.names) text += "," + quoted(name);
    text += '\n';
    for (std::size_t row = 0; row < table.size(); ++row) {
        text += quoted(table.names[row]);
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
