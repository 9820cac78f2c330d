#include "core/csv.hpp"

#include <algorithm>

namespace espalier {

namespace {

constexpr std::string_view blanks = " \t\r";

}  // namespace

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> csv_lines(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(trimmed(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
}

char csv_separator(std::string_view first_line) {
    for (const char separator : {',', ';'})
        if (first_line.find(separator) != std::string_view::npos) return separator;
    return 0;
}

std::vector<std::string> csv_cells(std::string_view line, char separator) {
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
        const auto end = std::min(line.find(separator), line.size());
        cell += trimmed(line.substr(0, end));
        cells.push_back(std::move(cell));
        if (end == line.size()) return cells;
        line.remove_prefix(end + 1);
    }
}

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\" \t") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char letter : text)
        quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return quoted + '"';
}

}  // namespace espalier
