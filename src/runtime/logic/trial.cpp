#include "runtime/logic/trial.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace espalier::runtime {

Trial Trial::without(Way only) {
    Trial trial;
    trial.decided_ = true;
    trial.tries_ = false;
    trial.choice_ = only;
    return trial;
}

bool Trial::add(Seconds elapsed, double bytes) {
    if (decided_) return false;
    const auto way = static_cast<std::size_t>(turn_);
    // No clock tells of less than that, and ratios need some time.
    round_.seconds[way] = std::max(elapsed.value, 1e-9);
    round_.bytes[way] = bytes;
    const bool complete = turn_ == Way::native;
    turn_ = complete ? Way::planned : Way::native;
    return complete;
}

void Trial::agree(const Round& slowest) {
    assert(!decided_ && turn_ == Way::planned);
    ++agreements_;
    const auto [less, more] = std::minmax(slowest.bytes[0], slowest.bytes[1]);
    if (more <= same_size * less) rounds_.push_back(slowest);
    std::ranges::stable_sort(rounds_, {}, &Round::ratio);
    decided_ = is_clear() || rounds_.size() == rounds_that_count || agreements_ == most_rounds;
    if (decided_ && !rounds_.empty() && rounds_[rounds_.size() / 2].ratio() < 1 - margin)
        choice_ = Way::planned;
}

bool Trial::is_clear() const {
    return rounds_.size() > 1 &&
           (rounds_.front().ratio() >= clear || rounds_.back().ratio() <= 1 / clear);
}

std::string Trial::finding() const {
    if (!tries_) return "";
    if (!decided_) return "on trial";
    if (rounds_.empty()) return "sizes differ too much to compare";
    const Round& middle = rounds_[rounds_.size() / 2];
    return fmt::format("measured: planned {}, MPI's own {}",
                       format_seconds(Seconds(middle.seconds[0])),
                       format_seconds(Seconds(middle.seconds[1])));
}

}  // namespace espalier::runtime
