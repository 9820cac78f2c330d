#include "ring/sharing_bound.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace espalier::ring {

PathOutline outline(const Problem& problem, Host from, Host to, const Path& path) {
    PathOutline known{{}, problem.delay(from, to, path), problem.width(path)};
    for (const LinkId link : path)
        if (problem.platform.link(link).shared) known.shared.push_back(link);
    std::ranges::sort(known.shared);
    known.shared.erase(std::unique(known.shared.begin(), known.shared.end()), known.shared.end());
    return known;
}

PathOutline either(const PathOutline& one, const PathOutline& other) {
    PathOutline both{{}, std::min(one.delay, other.delay), std::max(one.width, other.width)};
    std::ranges::set_intersection(one.shared, other.shared, std::back_inserter(both.shared));
    return both;
}

SharingBound::SharingBound(const Problem& problem)
    : problem_(problem), loads_(problem.platform.links()) {}

double SharingBound::cost(std::span<const Message> messages) {
    const auto bandwidth = [&](LinkId link) { return problem_.platform.link(link).bandwidth; };
    for (const Message& message : messages) {
        const double root = std::sqrt(message.weight);
        for (const LinkId link : message.path->shared) loads_[link].roots += root;
    }
    double delays = 0;
    double inverses = 0;  // of bandwidths, weighted
    for (const Message& message : messages) {
        const PathOutline& path = *message.path;
        delays += message.weight * path.delay;
        const double alone = message.weight / path.width;
        double pressure = 0;
        LinkId pressed = 0;
        for (const LinkId link : path.shared) {
            if (loads_[link].roots <= pressure * bandwidth(link)) continue;
            pressure = loads_[link].roots / bandwidth(link);
            pressed = link;
        }
        const double root = std::sqrt(message.weight);
        if (root * pressure <= alone) {
            inverses += alone;
        } else {
            loads_[pressed].charged += root;
            loads_[pressed].alone += alone;
        }
    }
    for (const Message& message : messages) {
        for (const LinkId link : message.path->shared) {
            Load& load = loads_[link];
            inverses += std::max(load.charged * load.charged / bandwidth(link), load.alone);
            load = {};
        }
    }
    return delays + problem_.exchange * inverses;
}

}  // namespace espalier::ring
