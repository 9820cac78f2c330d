#pragma once

#include "report/panel.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::report {

/// A bar of a chart.
struct Amount {
    double value = 0;   ///< >= 0
    std::string words;  ///< behind it
    std::string_view colour;
    bool hollow = false;  ///< a prediction, beside what was measured
};
/// Bars that belong together, below each other, with their name before them.
struct AmountGroup {
    std::string name;
    std::vector<Amount> amounts;
    std::optional<double> mark = {};  ///< that no amount can be below, on the same scale
};

/// All bars from one line to the right, on one scale, on which the longest has `length` pixels.
[[nodiscard]] Panel bar_panel(const std::string& title, std::vector<AmountGroup> groups,
                              double length);

}  // namespace espalier::report
