#pragma once

#include "report/svg.hpp"

#include <functional>

namespace espalier::report {

/// A part of a page: drawn from its upper left corner at (0, 0).
struct Panel {
    double width = 0;  ///< pixels
    double height = 0;
    std::function<void(Svg& svg)> draw;
};

}  // namespace espalier::report
