#pragma once

#include "measure/method/fit.hpp"
#include "measure/method/probe.hpp"
#include "measure/method/shape.hpp"
#include "measure/method/volley.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace espalier::measure {

/// The times that probes of one direction of a link took, the costs that follow from them (see
/// survey()), and the times that further probes are expected to take. Times in seconds.
class LinkSamples {
public:
    /// Begins without a sample. `shape` is what is known of other links; it must outlive this.
    LinkSamples(const Shape& shape, double round_trip) : shape_(shape), round_trip_(round_trip) {}

    /// A burst of these is as long as any.
    static constexpr std::uint64_t longest_burst = 64;
    /// The size of a message, in bytes, of which a burst holds only a few before anything is known.
    static constexpr std::uint64_t first_bulk = 32768;

    /// Adds the answers to a volley, except those of sizes that disturbed each other, which are
    /// returned, increasing; they are only hints.
    std::vector<std::uint64_t> add(std::span<const Probe> volley,
                                   std::span<const ProbeLink::Answer> answers);
    /// Takes the round trip, and the clock's noise, from the single messages of a size, if there
    /// are any.
    void learn_round_trip(std::uint64_t bytes);
    /// Takes how far any time may be off from samples that were repeated.
    void learn_noise() { relative_noise_ = spread(); }

    [[nodiscard]] double one_way() const { return round_trip_ / 2; }
    [[nodiscard]] double round_trip() const { return round_trip_; }
    /// Whether waiting for each answer costs more than keeping probes apart.
    [[nodiscard]] bool long_haul() const { return round_trip_ > long_round_trip_s; }
    [[nodiscard]] bool noisy() const;
    /// Whether there are both single messages and bursts of a size; and all sizes with both.
    [[nodiscard]] bool measured(std::uint64_t bytes) const;
    [[nodiscard]] std::vector<std::uint64_t> sizes() const;
    /// The costs at each size that are plausible. A burst that took no longer than its first
    /// message was lucky, and is left out.
    [[nodiscard]] std::vector<CostPoint> points() const;
    /// The median over sizes of how far repeated samples are apart, relative.
    [[nodiscard]] double spread() const;
    /// The seconds that it takes to measure a size once more.
    [[nodiscard]] double takes(std::uint64_t bytes) const;
    /// Whether costs at a size in the middle are off the straight line between those at two others,
    /// all of which were measured.
    [[nodiscard]] bool bends(std::uint64_t low, std::uint64_t middle, std::uint64_t high) const;

    [[nodiscard]] Expectation expect(std::uint64_t bytes, std::uint64_t count) const;
    /// The number of messages that a burst needs to show what one of them adds.
    [[nodiscard]] std::uint64_t burst_of(std::uint64_t bytes) const;

private:
    struct OfSize {
        std::uint64_t burst = 0;  ///< messages in each burst
        std::vector<double> single;
        std::vector<double> bursts;

        [[nodiscard]] bool complete() const { return !single.empty() && !bursts.empty(); }
        [[nodiscard]] double gap() const;
    };

    [[nodiscard]] CostPoint point(std::uint64_t bytes, const OfSize& samples) const;
    [[nodiscard]] double gap_guess(std::uint64_t bytes) const;
    [[nodiscard]] double latency_guess(std::uint64_t bytes) const;

    const Shape& shape_;
    double round_trip_;
    double noise_ = 0;           ///< of a round trip, seconds
    double relative_noise_ = 0;  ///< of any time measured
    std::map<std::uint64_t, OfSize> samples_;
    std::map<std::uint64_t, CostPoint> hints_;  ///< from probes that were disturbed
};

}  // namespace espalier::measure
