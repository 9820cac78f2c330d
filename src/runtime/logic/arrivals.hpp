#pragma once

#include "core/units.hpp"
#include "runs/metrics.hpp"
#include "schedule/collective.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime {

/// Whether no rank leaves such a call before all have come to it: who was in it for the least time
/// came last.
[[nodiscard]] bool awaits_all(schedule::Kind kind);

/// A rank's time in a call, and which rank it is, as one number: the greatest over all ranks is
/// that of the rank that was in it for the least time. The time loses what is below 2^-32 of it.
[[nodiscard]] double as_least(Seconds elapsed, int rank);

/// How much later than the first rank the last one came, and which that was.
struct Arrival {
    Seconds late;
    int last = 0;
};

/// From the longest and the shortest time that a rank was in a call, and what the call is predicted
/// to take (0: not known): who was in it for longer than it takes once all are there waited for
/// others. It takes at most twice as long as the last one was in it, since what gathers and then
/// spreads lets nobody go before its first half is over. nullopt where no rank told a time.
[[nodiscard]] std::optional<Arrival> arrival(Seconds longest, double least, Seconds predicted);

/// What a process knows of who came last.
class Arrivals {
public:
    void add(const std::string& collective, std::size_t ranks, Seconds late,
             const std::string& host);
    [[nodiscard]] std::vector<runs::Lateness> lateness() const;
    /// What the first ranks waited for those of a host that came last.
    [[nodiscard]] const std::map<std::string, Seconds>& waited_for() const { return waited_for_; }

private:
    struct Told {
        std::uint64_t calls = 0;
        Seconds sum;
    };
    std::map<std::pair<std::string, std::size_t>, Told> told_;
    std::map<std::string, Seconds> waited_for_;
};

}  // namespace espalier::runtime
