#include "sender/slot_fillings.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace espalier::sender {

namespace {

/// The steps for each filling after which the enumeration ends: if the tests leave hardly any
/// filling, many beginnings lead to none.
constexpr std::size_t steps_per_filling = 16;

}  // namespace

void SlotFillings::begin(std::uint64_t slots, std::span<const Class> classes) {
    slots_ = slots;
    classes_.assign(classes.begin(), classes.end());
    later_.assign(classes_.size() + 1, 0);
    for (std::size_t c = classes_.size(); c-- > 0;) later_[c] = later_[c + 1] + classes_[c].most;
    assert(later_[0] >= slots);
    tests_ = 0;
    slack_.clear();
    loss_.clear();
    least_loss_.clear();
}

void SlotFillings::add_test(std::int64_t slack, std::span<const std::int64_t> loss) {
    assert(loss.size() == classes_.size());
    ++tests_;
    slack_.push_back(slack);
    loss_.insert(loss_.end(), loss.begin(), loss.end());
    const std::size_t first = least_loss_.size();
    least_loss_.resize(first + loss.size());
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t c = loss.size(); c-- > 0;) {
        least = std::min(least, loss[c]);
        least_loss_[first + c] = least;
    }
}

/// The number of the slots that earlier classes left which class `c` may take, judged by the least
/// that later classes lose; perhaps one more, as rounding might have taken it away.
SlotFillings::Range SlotFillings::range(std::size_t c, std::uint64_t slots) const {
    const std::size_t k = classes_.size();
    const std::uint64_t later = later_[c + 1];
    auto low = static_cast<double>(slots > later ? slots - later : 0);
    auto high = static_cast<double>(std::min(slots, classes_[c].most));
    for (std::size_t test = 0; c + 1 < k && test < tests_; ++test) {
        const std::int64_t others = least_loss_[test * k + c + 1];
        const Wide rest = rest_[test * k + c] - static_cast<Wide>(others) * slots;
        const std::int64_t extra = loss_[test * k + c] - others;
        if (extra == 0 && rest < 0) return {1, 0};
        const double most = static_cast<double>(rest) / static_cast<double>(extra);
        const double off = 1e-9 + 1e-14 * std::abs(most);
        if (extra > 0) high = std::min(high, std::floor(most + off));
        if (extra < 0) low = std::max(low, std::ceil(most - off));
    }
    if (low > high) return {1, 0};
    return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

void SlotFillings::keep() {
    const std::size_t k = classes_.size();
    std::int64_t slack = std::numeric_limits<std::int64_t>::max();
    for (std::size_t test = 0; test < tests_; ++test) {
        const Wide rest =
            rest_[test * k + k - 1] - static_cast<Wide>(loss_[test * k + k - 1]) * count_[k - 1];
        if (rest < 0) return;
        slack = std::min(slack, static_cast<std::int64_t>(rest));
    }
    fillings_.push_back({slack, counts_.size()});
    counts_.insert(counts_.end(), count_.begin(), count_.end());
}

void SlotFillings::give(std::size_t c, std::uint64_t count, std::uint64_t slots) {
    const std::size_t k = classes_.size();
    count_[c] = count;
    if (c + 1 == k) {
        keep();
        return;
    }
    for (std::size_t test = 0; test < tests_; ++test) {
        // Within the range, so at most the slack.
        const Wide lost = static_cast<Wide>(loss_[test * k + c]) * count;
        const Wide rest = rest_[test * k + c] - lost;
        if (rest < 0) return;
        rest_[test * k + c + 1] = static_cast<std::int64_t>(rest);
    }
    share(c + 1, slots - count);
}

bool SlotFillings::enough() {
    if (fillings_.size() < budget_ && steps_left_ > 0) return false;
    complete_ = false;
    return true;
}

void SlotFillings::share(std::size_t c, std::uint64_t slots) {
    if (enough()) return;
    --steps_left_;
    const Range range = this->range(c, slots);
    if (range.empty()) return;
    if (c + 1 == classes_.size()) return give(c, slots, slots);
    const auto least = static_cast<double>(range.low);
    const auto most = static_cast<double>(range.high);
    const double target = std::clamp(classes_[c].target, least, most);
    const auto floor = static_cast<std::uint64_t>(target);
    Range near = range;
    if (radius_ < range.high - range.low) {
        const auto ceiling = static_cast<std::uint64_t>(std::ceil(target));
        near.low = std::max(range.low, ceiling > radius_ ? ceiling - radius_ : 0);
        near.high = std::min(range.high, floor + radius_);
        if (near.low != range.low || near.high != range.high) complete_ = false;
    }
    // From the target outwards; below it are so many, and the next above is `up`.
    std::uint64_t below = floor + 1 - near.low;
    for (std::uint64_t up = floor + 1; below > 0 || up <= near.high;) {
        if (enough()) return;
        const std::uint64_t down = near.low + below - 1;
        if (below > 0 && (up > near.high ||
                          target - static_cast<double>(down) <= static_cast<double>(up) - target)) {
            give(c, down, slots);
            --below;
        } else {
            give(c, up++, slots);
        }
    }
}

bool SlotFillings::list(std::size_t budget) {
    const std::size_t k = classes_.size();
    budget_ = budget;
    rest_.assign(tests_ * k, 0);
    for (std::size_t test = 0; test < tests_; ++test) rest_[test * k] = slack_[test];
    count_.assign(k, 0);
    for (radius_ = 1;; radius_ *= 4) {
        fillings_.clear();
        counts_.clear();
        complete_ = true;
        steps_left_ = steps_per_filling * budget;
        share(0, slots_);
        if (complete_ || fillings_.size() >= budget / 2 || steps_left_ == 0) return complete_;
    }
}

}  // namespace espalier::sender
