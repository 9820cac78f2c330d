#pragma once

#include "report/svg.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::report {

/// The legend of a picture: the meaning of its marks, in rows as wide as the page.
class Legend {
public:
    static constexpr double sample_width = 26;  ///< pixels
    static constexpr double row_height = 20;

    /// `draw` puts a sample of the mark at x to x + sample_width, around the height `middle`.
    using Sample = std::function<void(Svg& svg, double x, double middle)>;
    void add(std::string words, Sample draw) {
        entries_.push_back({std::move(words), std::move(draw)});
    }

    [[nodiscard]] bool empty() const { return entries_.empty(); }
    /// The least width that holds every entry whole.
    [[nodiscard]] double least_width() const;
    [[nodiscard]] double height(double width) const;
    void draw(Svg& svg, double x, double y, double width) const;

private:
    struct Entry {
        std::string words;
        Sample draw;
        [[nodiscard]] double width() const;
    };
    struct Place {
        double x;
        double row;
    };
    [[nodiscard]] std::vector<Place> places(double width) const;

    std::vector<Entry> entries_;
};

}  // namespace espalier::report
