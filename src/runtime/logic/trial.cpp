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
    round_.seconds[way] = elapsed.value;
    round_.bytes[way] = bytes;
    const bool complete = turn_ == Way::native;
    turn_ = complete ? Way::planned : Way::native;
    return complete;
}

void Trial::agree(const Round& slowest) {
    assert(!decided_ && turn_ == Way::planned);
    for (std::size_t way = 0; way < 2; ++way) {
        const double pace = slowest.seconds[way] / std::max(slowest.bytes[way], 1.0);
        if (rounds_ > 0 && best_[way] <= pace) continue;
        best_[way] = pace;
        best_seconds_[way] = slowest.seconds[way];
    }
    ++rounds_;
    const auto [least, most] = std::minmax(best_[0], best_[1]);
    if (rounds_ == most_rounds || (rounds_ > 1 && most >= clear * least)) decide();
}

void Trial::decide() {
    decided_ = true;
    choice_ = best_[0] < best_[1] * (1 - margin) ? Way::planned : Way::native;
}

std::string Trial::finding() const {
    if (!tries_) return "";
    if (!decided_) return "on trial";
    return fmt::format("measured: planned {}, MPI's own {}",
                       format_seconds(Seconds(best_seconds_[0])),
                       format_seconds(Seconds(best_seconds_[1])));
}

}  // namespace espalier::runtime
