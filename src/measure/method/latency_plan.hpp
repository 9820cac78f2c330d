#pragma once

#include "measure/method/sampling.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::measure {

/// Rounds first .. last - 1 of the tournament that each group of hosts plays by itself; all groups
/// play at the same time.
struct LatencyStep {
    std::vector<std::vector<std::size_t>> groups;
    std::size_t first = 0;
    std::size_t last = 0;
};

/// Decides, step by step, which latencies to measure. A few rounds show how long one takes. If all
/// pairs fit into their share of the budget, all are measured, again and again while time and noise
/// suggest it, those of near hosts more often, because their meetings take no time and noise
/// matters to them; otherwise hosts are sampled hierarchically.
class LatencyPlan {
public:
    /// `budget` in seconds is that of the whole measurement, of which latencies may take a part.
    LatencyPlan(std::size_t hosts, double budget, double tolerance);

    /// The next step when `elapsed` seconds of the budget are gone; nullopt when enough is known.
    [[nodiscard]] std::optional<LatencyStep> next(double elapsed);

    /// Records what a step found. `waits[h][k]` is how long host h waited for the message of its
    /// opponent in round first + k, in seconds, if it had one. The two waits of a pair make a round
    /// trip.
    void record(const LatencyStep& step, const std::vector<std::vector<double>>& waits,
                double elapsed);

    /// The latency of each pair in one direction, seconds: half the least round trip.
    [[nodiscard]] LatencyMatrix latencies() const;
    [[nodiscard]] std::vector<std::vector<std::size_t>> clusters() const;
    [[nodiscard]] std::vector<std::string> warnings() const;
    /// Whether the same meeting takes another time each time.
    [[nodiscard]] bool noisy() const;

private:
    [[nodiscard]] std::size_t rounds_left(double elapsed) const;
    [[nodiscard]] double control_time() const;
    [[nodiscard]] std::optional<LatencyStep> next_of_all(double elapsed);
    [[nodiscard]] std::optional<LatencyStep> next_of_sample(double elapsed);
    [[nodiscard]] bool worth_another_pass(double elapsed) const;
    [[nodiscard]] std::optional<LatencyStep> next_of_near(double elapsed);
    [[nodiscard]] double disturbance() const;
    [[nodiscard]] bool is_settled(const std::vector<std::vector<std::size_t>>& groups) const;

    std::size_t hosts_;
    double budget_;
    double tolerance_;
    Matrix<std::vector<double>> round_trips_;
    bool sampled_ = false;
    std::vector<std::vector<std::size_t>> near_;  ///< hosts of each site, once that is the stage
    std::size_t near_passes_ = 0;
    std::size_t level_ = 0;
    std::size_t checks_ = 0;
    std::size_t next_round_ = 0;
    std::size_t passes_ = 0;
    double step_began_ = 0;
    double pass_began_ = 0;
    double pass_took_ = 0;
    double round_takes_ = 0;
};

}  // namespace espalier::measure
