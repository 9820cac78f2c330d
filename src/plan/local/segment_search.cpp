#include "plan/local/segment_search.hpp"

#include <algorithm>
#include <cassert>
#include <map>

namespace espalier::plan::local {

namespace {

/// An objective that remembers what it was asked, and the best answer so far.
class Climber {
public:
    Climber(SegmentLimits limits, const SegmentObjective& objective, std::size_t start)
        : greatest_(limits.greatest()), objective_(&objective) {
        best_.segments = std::clamp<std::size_t>(start, 1, greatest_);
        best_.time = time(best_.segments);
    }

    [[nodiscard]] const SegmentChoice& best() const { return best_; }

    /// Moves there if it is better; says whether it moved.
    bool move_to(std::size_t segments) {
        segments = std::clamp<std::size_t>(segments, 1, greatest_);
        const Seconds there = time(segments);
        if (!(there < best_.time)) return false;
        best_ = {segments, there};
        return true;
    }

private:
    Seconds time(std::size_t segments) {
        const auto known = times_.find(segments);
        if (known != times_.end()) return known->second;
        return times_.emplace(segments, (*objective_)(segments)).first->second;
    }

    std::size_t greatest_;
    const SegmentObjective* objective_;
    std::map<std::size_t, Seconds> times_;
    SegmentChoice best_;
};

}  // namespace

std::size_t SegmentLimits::greatest() const {
    assert(most >= 1);
    return std::clamp<std::size_t>(bytes.value, 1, most);
}

SegmentChoice best_segments_full(SegmentLimits limits, const SegmentObjective& objective) {
    const std::size_t greatest = limits.greatest();
    SegmentChoice best{1, objective(1)};
    // Compared with half of it, so that doubling can't overflow.
    for (std::size_t segments = 1; segments <= greatest / 2;) {
        segments *= 2;
        const Seconds time = objective(segments);
        if (time < best.time) best = {segments, time};
    }
    return best;
}

SegmentChoice best_segments_hill_climbing(SegmentLimits limits, const SegmentObjective& objective,
                                          std::size_t start) {
    Climber climber(limits, objective, start);
    const auto segments = [&climber] { return climber.best().segments; };
    while (segments() <= limits.greatest() / 2 && climber.move_to(segments() * 2)) {
    }
    while (segments() > 1 && climber.move_to(segments() / 2)) {
    }
    for (std::size_t step = segments() / 2; step > 0; step /= 2) {
        const std::size_t from = segments();
        if (!climber.move_to(from - std::min(from - 1, step)))
            climber.move_to(from + std::min(limits.greatest() - from, step));
    }
    return climber.best();
}

}  // namespace espalier::plan::local
