#include "doctor/arrivals.hpp"

#include "core/statistics.hpp"

namespace espalier::doctor {

void Arrivals::add_large(const Large& large) {
    ++large_;
    if (trains_.empty() || trains_.back().number != large.train) {
        trains_.push_back({large.train, large.place, large.place, large.bytes, large.sent,
                           large.sent, large.when, large.when});
        return;
    }
    Train& last = trains_.back();
    // One that overtook others says nothing of the way's rate.
    if (large.place <= last.last) return;
    last.last = large.place;
    last.sent_last = large.sent;
    last.end = large.when;
}

std::optional<double> Arrivals::rate() const {
    constexpr double nanosecond = 1e-9;
    std::vector<double> rates;
    for (const Train& train : trains_)
        if (train.end - train.begin > 2 * (train.sent_last - train.sent_first))
            rates.push_back(static_cast<double>((train.last - train.first) * train.bytes) /
                            (static_cast<double>(train.end - train.begin) * nanosecond));
    return rates.empty() ? std::nullopt : std::optional(percentile(rates, 75));
}

std::optional<double> Arrivals::spread() const {
    constexpr std::size_t few = 8;
    constexpr double nanosecond = 1e-9;
    if (delays_.size() < few) return std::nullopt;
    return (percentile(delays_, 75) - percentile(delays_, 25)) * nanosecond;
}

}  // namespace espalier::doctor
