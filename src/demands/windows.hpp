#pragma once

#include "demands/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::demands {

/// Of all messages of a problem, what is known about their starts and about who goes before whom
/// through the ports that they share: the state of an exact search. Ports serve one message at a
/// time. Copying it is how a search remembers where to come back to.
class Windows {
public:
    /// Everything is possible. O(M^2) memory for M messages. The problem must outlive it.
    explicit Windows(const Problem& problem);

    [[nodiscard]] std::size_t messages() const { return earliest_.size(); }
    /// No schedule that is left starts the message before; seconds.
    [[nodiscard]] double earliest(std::size_t message) const { return earliest_[message]; }
    /// Nor later.
    [[nodiscard]] double latest(std::size_t message) const { return latest_[message]; }

    /// Whether it is decided that the one is listed before the other, so that it goes first through
    /// a port that they share. What follows from several decisions is decided too: a list has no
    /// circles.
    [[nodiscard]] bool goes_first(std::size_t first, std::size_t second) const {
        return before_[first * messages() + second] != 0;
    }
    [[nodiscard]] bool undecided(std::size_t a, std::size_t b) const {
        return !goes_first(a, b) && !goes_first(b, a);
    }
    /// How much later than its earliest start `first` could start and still go before `second`.
    [[nodiscard]] double room(std::size_t first, std::size_t second, std::size_t port) const;

    [[nodiscard]] std::size_t ports() const { return users_.size(); }
    /// The messages that go through a port: nodes' sending ends, then their receiving ends.
    [[nodiscard]] const std::vector<std::size_t>& users(std::size_t port) const {
        return users_[port];
    }

    /// Rules out what contradicts this; what it means for others is found by propagate().
    void decide(std::size_t first, std::size_t second);
    void require_start_by(std::size_t message, double time);
    /// Deduces what it can; whether anything is still possible.
    [[nodiscard]] bool propagate();

private:
    /// What a message occupies of a port, relative to its start.
    [[nodiscard]] double shift(std::size_t message, std::size_t port) const {
        return port < nodes_ ? 0 : latency_[message];
    }
    void start_not_before(std::size_t message, double time);
    void mark(std::size_t message);
    [[nodiscard]] bool compare_pairs(std::size_t port);
    [[nodiscard]] bool find_edges(std::size_t port);

    std::size_t nodes_;
    std::vector<double> gap_;
    std::vector<double> latency_;
    std::vector<std::size_t> from_;
    std::vector<std::size_t> to_;
    std::vector<std::vector<std::size_t>> users_;  ///< by port
    double tolerance_ = 0;                         ///< of rounding, in seconds

    std::vector<double> earliest_;
    std::vector<double> latest_;
    std::vector<std::uint8_t> before_;  ///< by first * messages + second
    std::vector<std::uint8_t> dirty_;   ///< by port: something has changed
    bool possible_ = true;
};

}  // namespace espalier::demands
