#include "core/table.hpp"

#include "core/prose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <sstream>

namespace espalier {

namespace {

std::string padded(const std::string& text, std::size_t width, Table::Align align) {
    const std::string blanks(width - columns_of(text), ' ');
    return align == Table::Align::left ? text + blanks : blanks + text;
}

std::size_t longest_word(const std::string& text) {
    std::size_t longest = 0;
    std::istringstream words(text);
    for (std::string word; words >> word;) longest = std::max(longest, columns_of(word));
    return longest;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// Makes the widest of the columns that may be narrower so, until all fit.
void narrow(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least,
            std::size_t columns) {
    std::size_t all = 0;
    for (const std::size_t width : widths) all += width + 2;
    while (all > columns) {
        std::optional<std::size_t> widest;
        for (std::size_t c = 0; c < widths.size(); ++c)
            if (widths[c] > least[c] && (!widest || widths[c] > widths[*widest])) widest = c;
        if (!widest) return;
        --widths[*widest];
        --all;
    }
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
    assert(cells.size() == columns_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::text() const { return text(std::numeric_limits<std::size_t>::max()); }

std::string Table::text(std::size_t columns) const {
    std::vector<std::vector<std::string>> lines(1);
    for (const Column& column : columns_) lines.front().push_back(column.title);
    lines.insert(lines.end(), rows_.begin(), rows_.end());
    std::vector<std::size_t> widths(columns_.size());
    std::vector<std::size_t> least(columns_.size());
    for (const auto& line : lines)
        for (std::size_t c = 0; c < line.size(); ++c) {
            const std::size_t width = columns_of(line[c]);
            const bool breaks = columns_[c].align == Align::left || &line == &lines.front();
            widths[c] = std::max(widths[c], width);
            least[c] = std::max(least[c], breaks ? longest_word(line[c]) : width);
        }
    narrow(widths, least, columns);
    std::string text;
    for (const auto& line : lines) {
        // Of each cell the lines that it is broken into.
        std::vector<std::vector<std::string>> parts;
        std::size_t height = 1;
        for (std::size_t c = 0; c < line.size(); ++c) {
            parts.push_back(columns_of(line[c]) > widths[c] ? lines_of(wrapped(line[c], widths[c]))
                                                            : std::vector{line[c]});
            height = std::max(height, parts.back().size());
        }
        for (std::size_t k = 0; k < height; ++k) {
            std::string row;
            for (std::size_t c = 0; c < line.size(); ++c)
                row += "  " +
                       padded(k < parts[c].size() ? parts[c][k] : "", widths[c], columns_[c].align);
            row.erase(row.find_last_not_of(' ') + 1);
            text += row + '\n';
        }
    }
    return text;
}

std::string counted(std::size_t number, const std::string& noun) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& names, std::size_t at_most) {
    const std::size_t shown = names.size() <= at_most ? names.size() : at_most;
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
    if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
    return text;
}

}  // namespace espalier
