#include "report/ring_style.hpp"

#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace espalier::report {

namespace {

constexpr double least_band = 4;
constexpr double widest_band = 12;

}  // namespace

std::string colour_of_use(double part) {
    struct Stop {
        double part;
        std::array<double, 3> rgb;
    };
    constexpr std::array<Stop, 4> stops{
        {{0, {253, 243, 208}}, {0.4, {248, 205, 116}}, {0.8, {236, 140, 60}}, {1, {222, 80, 42}}}};
    if (part <= 0) return std::string(palette::rule);
    const double at = std::min(part, 1.0);
    std::size_t next = 1;
    while (next + 1 < stops.size() && stops.at(next).part < at) ++next;
    const Stop& from = stops.at(next - 1);
    const Stop& to = stops.at(next);
    const double mix = (at - from.part) / (to.part - from.part);
    const auto channel = [&](std::size_t i) {
        return static_cast<int>(
            std::lround(from.rgb.at(i) + mix * (to.rgb.at(i) - from.rgb.at(i))));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

LinkBands::LinkBands(const std::vector<network::LinksNetwork::Link>& links) {
    for (const network::LinksNetwork::Link& link : links) {
        narrowest_ = std::min(narrowest_, link.bandwidth.value);
        widest_ = std::max(widest_, link.bandwidth.value);
    }
}

double LinkBands::width_of(double bandwidth) const {
    if (widest_ <= narrowest_ * 1.001) return (least_band + widest_band) / 2;
    const double part = std::log(bandwidth / narrowest_) / std::log(widest_ / narrowest_);
    return least_band + part * (widest_band - least_band);
}

}  // namespace espalier::report
