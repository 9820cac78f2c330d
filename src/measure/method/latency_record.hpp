#pragma once

#include "core/matrix.hpp"
#include "core/sparse_pairs.hpp"
#include "measure/method/alike.hpp"
#include "measure/method/asymmetry.hpp"
#include "measure/method/latency_step.hpp"
#include "measure/method/round_trips.hpp"
#include "measure/method/sampling.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::measure {

/// The round trips that hosts found, and what they say.
class LatencyRecord {
public:
    /// `tolerance` is that of clusters.
    LatencyRecord(std::size_t hosts, double tolerance);

    void add(Way way, std::size_t a, std::size_t b, double round_trip) {
        of_way_[static_cast<std::size_t>(way)].add(a, b, round_trip);
    }

    void add(std::size_t a, std::size_t b, const Passages& passages) {
        passages_.at(a, b) = a < b ? passages : Passages{passages.back, passages.there};
    }
    [[nodiscard]] const SparsePairs<Passages>& passages() const { return passages_; }

    [[nodiscard]] std::size_t hosts() const { return hosts_; }
    [[nodiscard]] double tolerance() const { return tolerance_; }
    [[nodiscard]] const RoundTrips& of(Way way) const {
        return of_way_[static_cast<std::size_t>(way)];
    }
    /// Whether the pair pinged in turn, or among few.
    [[nodiscard]] bool undisturbed(std::size_t a, std::size_t b) const;
    /// The least round trip of the pair so far, in seconds; 0 if there was none.
    [[nodiscard]] double round_trip(std::size_t a, std::size_t b) const;
    [[nodiscard]] double longest_round_trip() const;
    /// The round trips of all pairs, by way of others where that is shorter, since what disturbed
    /// one of them did not disturb all; infinity where no way is known.
    [[nodiscard]] Matrix<double> distances() const;

    /// Whether most pairs of each group met more than once, and took the same time again.
    [[nodiscard]] bool is_settled(const std::vector<std::vector<std::size_t>>& groups) const;
    /// How much longer a round trip usually is than the least of its pair, seconds; 0 where none
    /// was measured this way.
    [[nodiscard]] double usually_held_up(Way way) const;
    /// Whether the same meeting takes another time each time.
    [[nodiscard]] bool noisy() const;
    [[nodiscard]] std::vector<std::vector<std::size_t>> clusters() const;
    /// The latency of each pair in one direction, seconds: half the least round trip. Pairs that
    /// had no turn are as far from each other as those of the same clusters that had one.
    [[nodiscard]] LatencyMatrix latencies() const;

private:
    /// How much longer a way to measure takes than the one that is disturbed least, and by how much
    /// that differs, in seconds one way.
    struct Bias {
        double usual = 0;
        double noise = 0;
    };

    [[nodiscard]] Bias bias(Way way, Way best) const;
    [[nodiscard]] Estimates estimates() const;
    [[nodiscard]] std::optional<double> usual_spread(const RoundTrips& round_trips) const;

    std::size_t hosts_;
    double tolerance_;
    std::vector<RoundTrips> of_way_;
    SparsePairs<Passages> passages_;  ///< of pairs that met at the same time
};

}  // namespace espalier::measure
