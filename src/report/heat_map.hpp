#pragma once

#include "core/matrix.hpp"
#include "report/panel.hpp"

#include <optional>
#include <string>
#include <vector>

namespace espalier::report {

/// A matrix as coloured cells with a number in each.
struct HeatMap {
    std::string title;
    std::vector<std::string> names;        ///< of rows and columns
    Matrix<std::optional<double>> values;  ///< >= 0; from row to column
    Matrix<std::string> numbers;           ///< as they stand in the cells
    std::string colour;                    ///< of the strongest cells
    bool small_is_strong = false;          ///< else the greatest values are the strongest
};

/// The map, each cell with a tooltip that names its row and column. Colours go by logarithms.
[[nodiscard]] Panel heat_panel(const HeatMap& map);

}  // namespace espalier::report
