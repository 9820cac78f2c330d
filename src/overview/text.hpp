#pragma once

#include "core/json.hpp"
#include "overview/overview.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::overview {

/// A row of cells for each group, capacity, …, under titles; columns of which nothing is known are
/// not there. What text and pages show as a table.
struct Sheet {
    struct Column {
        std::string title;
        bool number = true;  ///< else words
    };
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;
};

/// As a table of text in so many columns, numbers to the right.
[[nodiscard]] std::string text_of(const Sheet& sheet, std::size_t columns);

/// `grid of 5 clusters, 14 nodes`.
[[nodiscard]] std::string title_of(const Overview& overview);
/// `50 of 60 clusters are left out`, where `shown` are not all; else empty.
[[nodiscard]] std::string left_out(const Overview& overview, std::size_t shown);

[[nodiscard]] Sheet sheet_of_groups(const Overview& overview,
                                    const std::vector<std::size_t>& groups);
/// The first `most` capacities.
[[nodiscard]] Sheet sheet_of_capacities(const Overview& overview, std::size_t most);

/// What is not known, gathered by what may be done about it.
struct Advice {
    std::string remedy;  ///< empty: none is known
    std::vector<std::string> what;
};
[[nodiscard]] std::vector<Advice> advice(const Overview& overview);

/// All of it as text for people, tables in so many columns, each unit chosen once for a table. At
/// most 60 groups and 30 capacities stand there, matrices if there are no more than 16 groups; what
/// is left out is said.
[[nodiscard]] std::string to_text(const Overview& overview, std::size_t columns);

/// Format `espalier-overview`, version 1: all of it, in the overview's own units.
[[nodiscard]] Json to_json(const Overview& overview);

}  // namespace espalier::overview
