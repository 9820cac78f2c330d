#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace espalier::measure {

/// Ways to measure round trips, each disturbed less than the one before where hosts share
/// processors.
enum class Way : std::uint8_t {
    at_once,    ///< each two hosts of a group ping each other, rounds do not wait for each other
    in_rounds,  ///< groups play at the same time, each round by round
    among_few,  ///< at once, but only a few hosts
    in_turn,    ///< groups are pairs; one after the other pings while all others are quiet
};
inline constexpr std::array all_ways{Way::at_once, Way::in_rounds, Way::among_few, Way::in_turn};

/// Rounds first .. last - 1 of the tournament that each group of hosts plays by itself, `times`
/// times over.
struct LatencyStep {
    std::vector<std::vector<std::size_t>> groups;
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t times = 1;
    Way way = Way::in_rounds;
    std::uint64_t bytes = 0;  ///< of each message that is timed; at once and among few, eight
    bool by_clocks = false;   ///< at once or among few: hosts tell when their messages left, too

    /// Two hosts that meet in a round; in turn, each pair has a round of its own.
    struct Meeting {
        std::size_t a = 0;
        std::size_t b = 0;
        std::size_t round = 0;
    };
    void for_each_meeting(const std::function<void(const Meeting&)>& take) const;
    /// Where a host's wait in a round stands among all of its waits in this step.
    [[nodiscard]] std::size_t place(std::size_t time, std::size_t round) const {
        return time * (last - first) + round - first;
    }
    [[nodiscard]] std::size_t waits() const { return times * (last - first); }
};

/// What a host timed in a step, in seconds.
struct Timed {
    /// How long it waited for the message of its opponent in round r, if it had one:
    /// `waits[step.place(t, r)]`.
    std::vector<float> waits;
    /// The least time that a message of that opponent was under way, by the clocks of both:
    /// `passages[r - step.first]`. Only of a step by clocks.
    std::vector<double> passages;
};

/// The same meetings in turn, those of a host one after the other, as long as its turn lasts.
[[nodiscard]] LatencyStep in_turn(const LatencyStep& step);

/// How long it takes in turn, beside its round trips, until a host, which dozes, has heard that it
/// is asked, in seconds.
constexpr double waking_s = 0.6e-3;

/// Round trips of a pair that differ by less than this part tell nothing new.
constexpr double nothing_new = 0.01;

/// Calls `take(a, b, seconds)` with each round trip that a step found. The two waits of a pair make
/// one; where both pinged, each of them is one, and in turn the wait of the first.
void for_each_round_trip(const LatencyStep& step, const std::vector<Timed>& timed,
                         const std::function<void(std::size_t, std::size_t, double)>& take);

/// Calls `take(a, b, there, back)` with the least times of messages of each pair that were timed by
/// both clocks, in seconds.
void for_each_passages(const LatencyStep& step, const std::vector<Timed>& timed,
                       const std::function<void(std::size_t, std::size_t, double, double)>& take);

/// Decides, step by step, who meets whom.
class StepPlan {
public:
    virtual ~StepPlan() = default;
    /// The next step when `elapsed` seconds of the budget are gone; nullopt when enough is known.
    [[nodiscard]] virtual std::optional<LatencyStep> next(double elapsed) = 0;
    /// Records what a step found, as for_each_round_trip() has it.
    virtual void record(const LatencyStep& step, const std::vector<Timed>& timed,
                        double elapsed) = 0;
};

/// The rounds after which each two of every group have met.
[[nodiscard]] std::size_t rounds_of(const std::vector<std::vector<std::size_t>>& groups);

}  // namespace espalier::measure
