#include "report/legend.hpp"

#include <algorithm>

namespace espalier::report {

namespace {
constexpr double font_size = 12;
constexpr double words_offset = Legend::sample_width + 6;
constexpr double distance = 18;
}  // namespace

double Legend::Entry::width() const { return words_offset + text_width(words, font_size); }

double Legend::least_width() const {
    double least = 0;
    for (const Entry& entry : entries_) least = std::max(least, entry.width());
    return least;
}

std::vector<Legend::Place> Legend::places(double width) const {
    std::vector<Place> out;
    Place next{0, 0};
    for (const Entry& entry : entries_) {
        if (next.x > 0 && next.x + entry.width() > width) next = {0, next.row + 1};
        out.push_back(next);
        next.x += entry.width() + distance;
    }
    return out;
}

double Legend::height(double width) const {
    return empty() ? 0 : (places(width).back().row + 1) * row_height;
}

void Legend::draw(Svg& svg, double x, double y, double width) const {
    const auto group =
        svg.group({{"class", "legend"}, {"font-size", font_size}, {"fill", palette::ink}});
    const std::vector<Place> where = places(width);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const double middle = y + (where[i].row + 0.5) * row_height;
        entries_[i].draw(svg, x + where[i].x, middle);
        svg.text(x + where[i].x + words_offset, baseline(middle, font_size), entries_[i].words);
    }
}

}  // namespace espalier::report
