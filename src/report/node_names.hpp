#pragma once

#include "report/svg.hpp"

#include <functional>
#include <string>
#include <vector>

namespace espalier::report {

/// The nodes of a plan as diagrams with a column for each name them: in full where there is room,
/// by number where there is not; then the columns' heads say which number is whose, unless all
/// names end in their own.
class NodeNames {
public:
    static constexpr double label_size = 11;  ///< at most, pixels
    static constexpr double head_size = 12;

    /// `room`: how wide a label may be, in pixels. The names must outlive it.
    NodeNames(const std::vector<std::string>& names, double room);

    [[nodiscard]] bool numbered() const { return numbered_; }
    [[nodiscard]] std::string label(std::size_t node) const {
        return numbered_ ? std::to_string(node) : names_[node];
    }
    /// The name at the head of a column, cut if it is very long.
    [[nodiscard]] std::string head(std::size_t node) const;
    [[nodiscard]] double widest_head() const;
    /// The height of the heads of columns of that width. A head that is wider than its column is
    /// written upright.
    [[nodiscard]] double head_height(double column_width) const;
    /// Draws each name at the middle of its column, above `y`.
    void draw_heads(Svg& svg, double column_width, double y,
                    const std::function<double(std::size_t)>& middle) const;

private:
    [[nodiscard]] bool upright(double column_width) const {
        return widest_head() + 4 > column_width;
    }
    const std::vector<std::string>& names_;
    bool numbered_ = false;
    bool counted_ = false;  ///< the number stands in each name
};

/// A text that has to fit: cut in its middle, with an ellipsis.
[[nodiscard]] std::string cut_to(const std::string& text, double font_size, double width);

}  // namespace espalier::report
