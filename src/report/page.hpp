#pragma once

#include "report/legend.hpp"
#include "report/svg.hpp"

#include <string>

namespace espalier::report {

/// The part of a page above a diagram: its title, remarks about the plan, and the legend.
struct Page {
    static constexpr double padding = 24;  ///< around the page, pixels
    static constexpr double small_size = 12;

    std::string title;
    std::string subtitle;
    Legend legend;

    /// The least width that holds every line whole.
    [[nodiscard]] double least_width() const;
    /// The y coordinate at which the diagram begins.
    [[nodiscard]] double bottom(double width) const;
    void draw(Svg& svg, double width) const;
};

/// A legend's sample of a rectangle.
[[nodiscard]] Legend::Sample swatch(std::string_view fill, std::string_view stroke,
                                    std::string_view pattern = "none");

}  // namespace espalier::report
