#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::measure {

/// On paths with a longer round trip than this, waiting for each answer takes most of the time.
constexpr double long_round_trip_s = 4e-3;

/// `count` messages of `bytes`, one right after the other, which the other side answers with one
/// small message when it has them all.
struct Probe {
    std::uint64_t bytes = 1;
    std::uint64_t count = 1;
    /// Seconds from the start of this probe to that of the next one, which does not wait for the
    /// answer. The last one of a volley has no need of it.
    double pause = 0;
};

/// The two ends of a link as the method of measuring sees them: MPI, or a model in a test.
class ProbeLink {
public:
    virtual ~ProbeLink() = default;
    /// The clock that the answers are timed on, in seconds.
    [[nodiscard]] virtual double now() = 0;
    struct Answer {
        double started = 0;  ///< when the first message was given to the link
        double elapsed = 0;  ///< from then until the answer was there
    };
    /// Sends a volley of probes and returns when all of them are answered.
    virtual std::vector<Answer> fire(std::span<const Probe> volley) = 0;
};

}  // namespace espalier::measure
