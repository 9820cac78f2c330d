#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace espalier {

/// Rows of text in aligned columns, for people.
class Table {
public:
    enum class Align { left, right };
    struct Column {
        std::string title;
        Align align = Align::left;
    };

    explicit Table(std::vector<Column> columns);

    /// Adds a row: one cell for each column.
    void add(std::vector<std::string> cells);
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    /// The title line, then the rows, each indented by two blanks and ended by a line end.
    [[nodiscard]] std::string text() const;
    /// The same in at most so many columns, as far as words of titles, and of columns that are
    /// left-aligned, may go on in further lines of a row.
    [[nodiscard]] std::string text(std::size_t columns) const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// `1 node`, `3 nodes`: a number with its noun.
[[nodiscard]] std::string counted(std::size_t number, const std::string& noun);
/// Names with commas between them; at most `at_most`, then how many more there are.
[[nodiscard]] std::string listed(const std::vector<std::string>& names, std::size_t at_most);

}  // namespace espalier
