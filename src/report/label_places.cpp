#include "report/label_places.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace espalier::report {

namespace {

/// Pixels between a disc and its label.
constexpr double distance = 4;
/// The pixels between a line and a label at which the line does no harm.
constexpr double clearance = 2;

/// The area that both have.
double overlap(const LabelBox& a, const LabelBox& b) {
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    return width > 0 && height > 0 ? width * height : 0;
}

/// The length of the line inside the box, by sampling.
double harm_of_line(const Line& line, const LabelBox& box) {
    constexpr int samples = 24;
    const double width = line.to.x - line.from.x;
    const double height = line.to.y - line.from.y;
    int inside = 0;
    for (int i = 0; i <= samples; ++i) {
        const double part = static_cast<double>(i) / samples;
        const double x = line.from.x + part * width;
        const double y = line.from.y + part * height;
        if (x > box.left - clearance && x < box.right + clearance && y > box.top - clearance &&
            y < box.bottom + clearance)
            ++inside;
    }
    return 5.0 * inside * std::hypot(width, height) / samples;
}

double harm_of(const LabelBox& box, const std::vector<LabelBox>& taken,
               const std::vector<Line>& lines) {
    double harm = 0;
    for (const LabelBox& other : taken) harm += 3 * overlap(box, other);
    for (const Line& line : lines) harm += harm_of_line(line, box);
    return harm;
}

/// The boxes beside a disc, the most usual first.
std::array<LabelBox, 8> seats_of(const Disc& disc, double width, double height) {
    constexpr std::array<Point, 8> directions{{{1, 0},
                                               {-1, 0},
                                               {0, 1},
                                               {0, -1},
                                               {0.75, 0.75},
                                               {-0.75, 0.75},
                                               {0.75, -0.75},
                                               {-0.75, -0.75}}};
    const double r = disc.radius + distance;
    std::array<LabelBox, 8> seats;
    std::ranges::transform(directions, seats.begin(), [&](const Point& direction) {
        const double x = disc.at.x + direction.x * r;
        const double left = direction.x > 0 ? x : direction.x < 0 ? x - width : x - width / 2;
        const double middle = disc.at.y + direction.y * (r + height / 2);
        return LabelBox{left, middle - height / 2, left + width, middle + height / 2};
    });
    return seats;
}

}  // namespace

std::vector<LabelBox> label_places(const std::vector<Disc>& discs, const std::vector<Line>& lines,
                                   const std::vector<Label>& labels, double height) {
    std::vector<LabelBox> taken;
    for (const Disc& disc : discs)
        taken.push_back({disc.at.x - disc.radius, disc.at.y - disc.radius, disc.at.x + disc.radius,
                         disc.at.y + disc.radius});
    std::vector<LabelBox> places;
    for (const Label& label : labels) {
        LabelBox best;
        double least = infinity;
        for (const LabelBox& seat : seats_of(discs[label.disc], label.width, height)) {
            const double harm = harm_of(seat, taken, lines);
            if (harm >= least) continue;
            least = harm;
            best = seat;
        }
        taken.push_back(best);
        places.push_back(best);
    }
    return places;
}

LabelBox freest(const std::vector<LabelBox>& boxes, const std::vector<LabelBox>& taken) {
    return *std::ranges::min_element(boxes, {},
                                     [&](const LabelBox& box) { return harm_of(box, taken, {}); });
}

}  // namespace espalier::report
