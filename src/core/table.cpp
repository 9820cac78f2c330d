#include "core/table.hpp"

#include "core/prose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace espalier {

namespace {

std::string padded(const std::string& text, std::size_t width, Table::Align align) {
    const std::string blanks(width - columns_of(text), ' ');
    return align == Table::Align::left ? text + blanks : blanks + text;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
    assert(cells.size() == columns_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<std::vector<std::string>> lines(1);
    for (const Column& column : columns_) lines.front().push_back(column.title);
    lines.insert(lines.end(), rows_.begin(), rows_.end());
    std::vector<std::size_t> widths(columns_.size());
    for (const auto& line : lines)
        for (std::size_t c = 0; c < line.size(); ++c)
            widths[c] = std::max(widths[c], columns_of(line[c]));
    std::string text;
    for (const auto& line : lines) {
        std::string row;
        for (std::size_t c = 0; c < line.size(); ++c)
            row += "  " + padded(line[c], widths[c], columns_[c].align);
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + '\n';
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
