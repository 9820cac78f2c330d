#pragma once

#include "measure/method/latency_step.hpp"
#include "measure/method/sampling.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace espalier::measure {

/// Tells hosts apart that latencies don't: those of a cluster of four or more exchange long
/// messages, each with a few others, those next to it first; whose messages all are slow has a slow
/// card. A host that seems slow tries again with fast ones, and longer messages where there is time
/// for them: its first partners may be slow, too, or something held it up.
class CardPlan : public StepPlan {
public:
    /// Clusters by latency; `latencies` in seconds one way. Where messages of many hosts at a time
    /// disturb each other, pairs exchange theirs `in_turn`. The last step ends when `until`
    /// seconds of the budget are gone.
    CardPlan(std::vector<std::vector<std::size_t>> clusters, LatencyMatrix latencies, bool in_turn,
             double until);

    [[nodiscard]] std::optional<LatencyStep> next(double elapsed) override;
    void record(const LatencyStep& step, const std::vector<Timed>& timed, double elapsed) override;

    /// The clusters, hosts whose cards are clearly slower apart from the others of theirs.
    [[nodiscard]] std::vector<std::vector<std::size_t>> clusters() const;

private:
    [[nodiscard]] double rate(std::size_t host) const;
    [[nodiscard]] bool says_nothing_of_cards() const;
    [[nodiscard]] double seconds_of(const LatencyStep& step) const;
    [[nodiscard]] std::size_t faster_partners(std::size_t host) const;
    [[nodiscard]] std::vector<std::vector<std::size_t>> pairs_to_try() const;
    [[nodiscard]] std::vector<std::vector<std::size_t>> split(
        std::vector<std::size_t> cluster) const;

    std::vector<std::vector<std::size_t>> by_latency_;
    LatencyMatrix latencies_;
    bool in_turn_;
    double until_;
    std::size_t tries_ = 0;
    std::uint64_t bytes_;
    /// The bytes per second of each host's exchanges with others, of so many bytes.
    std::vector<std::map<std::size_t, double>> rates_;
};

}  // namespace espalier::measure
