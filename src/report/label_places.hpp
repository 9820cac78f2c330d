#pragma once

#include "report/graph_layout.hpp"

#include <cstddef>
#include <vector>

namespace espalier::report {

/// Lengths are pixels, y grows downwards.
struct LabelBox {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
};
struct Disc {
    Point at;
    double radius = 0;
};
struct Line {
    Point from;
    Point to;
};
/// A line of text that belongs to a disc.
struct Label {
    std::size_t disc = 0;  ///< index
    double width = 0;
};

/// The places where labels of this height do the least harm: each beside its disc, away from discs,
/// lines and the labels before it. One box for each label.
[[nodiscard]] std::vector<LabelBox> label_places(const std::vector<Disc>& discs,
                                                 const std::vector<Line>& lines,
                                                 const std::vector<Label>& labels, double height);

/// The first of the boxes that lie least on those that are taken.
[[nodiscard]] LabelBox freest(const std::vector<LabelBox>& boxes,
                              const std::vector<LabelBox>& taken);

}  // namespace espalier::report
