#pragma once

#include "doctor/facts.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::doctor {

/// What arrived of the datagrams of one other host on one network. Times are in nanoseconds.
class Arrivals {
public:
    /// A small datagram, so late by the two hosts' clocks, which need not agree.
    void add_small(std::int64_t delay) { delays_.push_back(static_cast<double>(delay)); }
    /// A datagram of a train, which is as large as the others of it.
    struct Large {
        unsigned train = 0;
        unsigned place = 0;
        std::size_t bytes = 0;
        std::int64_t sent = 0;  ///< by the sender's clock
        std::int64_t when = 0;
    };
    void add_large(const Large& large);

    [[nodiscard]] std::uint64_t small() const { return delays_.size(); }
    [[nodiscard]] std::uint64_t large() const { return large_; }
    /// The rate at which trains arrived, bytes a second. Of several, one that three quarters were
    /// no faster than: a train is slowed down by whatever else goes on. One that was not sent much
    /// faster than it arrived says nothing.
    [[nodiscard]] std::optional<double> rate() const;
    /// The width of the range of the middle half of the delays, in seconds; of a few none.
    [[nodiscard]] std::optional<double> spread() const;

private:
    struct Train {
        unsigned number = 0;
        unsigned first = 0;
        unsigned last = 0;
        std::size_t bytes = 0;
        std::int64_t sent_first = 0;
        std::int64_t sent_last = 0;
        std::int64_t begin = 0;
        std::int64_t end = 0;
    };

    std::vector<double> delays_;
    std::vector<Train> trains_;
    std::uint64_t large_ = 0;
};

}  // namespace espalier::doctor
