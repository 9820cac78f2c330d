#include "sender/deadline_table.hpp"

#include <algorithm>

namespace espalier::sender {

namespace {

/// Sums of one term, then of two and so on, as long as they are not too many; and even steps.
std::vector<Ticks> times_to_know(const TickProblem& problem, Ticks longest,
                                 std::size_t most_points) {
    const std::size_t steps = most_points / 2;
    std::vector<Ticks> known{0};
    std::vector<Ticks> last{0};
    for (;;) {
        std::vector<Ticks> sums;
        for (const Ticks sum : last)
            for (const Ticks time : problem.time)
                if (time <= longest - sum) sums.push_back(sum + time);
        std::ranges::sort(sums);
        sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
        if (sums.empty() || known.size() + sums.size() > steps) break;
        known.insert(known.end(), sums.begin(), sums.end());
        last = std::move(sums);
    }
    const Ticks step = std::max<Ticks>(1, longest / static_cast<Ticks>(steps));
    for (Ticks at = step; at < longest; at += step) known.push_back(at);
    known.push_back(longest);
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return known;
}

}  // namespace

DeadlineTable::DeadlineTable(const TickProblem& problem, Ticks longest, std::size_t most_points)
    : classes_(problem.classes()),
      broadcast_(problem.is_broadcast()),
      opened_(static_cast<double>(problem.ports + (broadcast_ ? 0 : 1))),
      time_(problem.time),
      at_(times_to_know(problem, longest, most_points)) {
    while ((longest >> shift_) > static_cast<Ticks>(2 * most_points)) ++shift_;
    bucket_.resize(static_cast<std::size_t>(longest >> shift_) + 1);
    for (std::size_t b = 0, at = 0; b < bucket_.size(); ++b) {
        while (at_[at] < static_cast<Ticks>(b) << shift_) ++at;
        bucket_[b] = static_cast<std::uint32_t>(at);
    }
    after_.resize(at_.size() * classes_);
    for (std::size_t point = 0; point < at_.size(); ++point)
        for (std::size_t c = 0; c < classes_; ++c)
            after_[point * classes_ + c] =
                at_[point] > time_[c]
                    ? static_cast<std::uint32_t>(this->point(at_[point] - time_[c]))
                    : 0;
    slot_.resize(at_.size());
    choice_.resize(at_.size());
    if (broadcast_) sender_.resize(at_.size() * classes_);
}

std::size_t DeadlineTable::point(Ticks left) const {
    if (left <= 0) return 0;
    std::size_t point = bucket_[static_cast<std::size_t>(left >> shift_)];
    while (at_[point] < left) ++point;
    return point;
}

void DeadlineTable::evaluate(std::span<const double> price, std::span<const std::size_t> able,
                             std::size_t last) {
    slot_[0] = 0;
    for (std::size_t point = 1; point <= last; ++point) {
        const std::uint32_t* const next = after_.data() + point * classes_;
        double* const sender = broadcast_ ? sender_.data() + point * classes_ : nullptr;
        double best = 0;
        std::uint16_t choice = nobody;
        for (const std::size_t c : able) {
            const std::uint32_t then = next[c];
            double opened = 0;
            if (broadcast_) {
                opened = opened_ * slot_[then] + sender_[then * classes_ + c];
                sender[c] = opened;
            } else if (then == 0) {
                continue;
            } else {
                opened = opened_ * slot_[then];
            }
            if (const double worth = 1 - price[c] + opened; worth > best) {
                best = worth;
                choice = static_cast<std::uint16_t>(c);
            }
        }
        slot_[point] = best;
        choice_[point] = choice;
    }
}

double DeadlineTable::placed(std::size_t point, std::size_t c, double price) const {
    const std::uint32_t then = after(point, c);
    return 1 - price + (broadcast_ ? sender_[point * classes_ + c] : opened_ * slot_[then]);
}

double DeadlineTable::stream(Ticks left, std::size_t c) const {
    double worth = 0;
    for (; left > 0; left -= time_[c]) worth += slot_[point(left)];
    return worth;
}

void DeadlineTable::follow(std::size_t point, double count, std::span<double> used,
                           std::size_t& budget) const {
    if (point == 0 || budget == 0) return;
    const std::uint16_t c = choice_[point];
    if (c == nobody) return;
    --budget;
    used[c] += count;
    for (std::size_t then = after(point, c); then > 0; then = after(then, c)) {
        follow(then, count * opened_, used, budget);
        if (!broadcast_) break;
    }
}

void DeadlineTable::follow_stream(Ticks left, std::size_t c, double count, std::span<double> used,
                                  std::size_t& budget) const {
    for (; left > 0; left -= time_[c]) follow(point(left), count, used, budget);
}

}  // namespace espalier::sender
