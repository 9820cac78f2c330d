#pragma once

#include "core/matrix.hpp"
#include "measure/method/latency_record.hpp"
#include "measure/method/latency_step.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace espalier::measure {

/// Decides, step by step, which latencies to measure. Up to 64 hosts ping each other at once, which
/// takes a few of the greatest round trips and is good enough for far hosts. Then those that are
/// near each other, whose meetings take no time and to whom noise matters, meet in pairs. Where the
/// same meeting takes another time each time, hosts may share processors, which many meetings at a
/// time keep busy: one host of each cluster then pings those of the others, and pairs ping in turn,
/// while all others are quiet. More hosts meet in rounds from the beginning, a few of which show
/// how long one takes; if all pairs do not fit into their share of the budget, hosts are sampled
/// hierarchically.
class LatencyPlan : public StepPlan {
public:
    /// `budget` in seconds is that of the whole measurement, of which latencies may take a part.
    LatencyPlan(std::size_t hosts, double budget, double tolerance);

    [[nodiscard]] std::optional<LatencyStep> next(double elapsed) override;
    void record(const LatencyStep& step, const std::vector<Timed>& timed, double elapsed) override;

    [[nodiscard]] const LatencyRecord& found() const { return found_; }
    /// Whether those that are near disturb each other when they meet at the same time.
    [[nodiscard]] bool disturbed() const;
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    using Groups = std::vector<std::vector<std::size_t>>;

    [[nodiscard]] std::size_t rounds_left(double elapsed) const;
    [[nodiscard]] std::optional<LatencyStep> next_of_all(double elapsed);
    [[nodiscard]] std::optional<LatencyStep> next_of_sample(double elapsed);
    [[nodiscard]] std::optional<LatencyStep> next_of_near();
    [[nodiscard]] std::optional<LatencyStep> next_undisturbed();
    [[nodiscard]] std::optional<LatencyStep> next_among_few(double seconds);
    [[nodiscard]] std::optional<LatencyStep> next_in_turn(double seconds);
    [[nodiscard]] double seconds_for_near() const;
    [[nodiscard]] bool worth_another_pass(double elapsed) const;
    [[nodiscard]] std::vector<std::size_t> everyone() const;
    [[nodiscard]] Groups near_groups(const std::vector<std::size_t>& hosts, double seconds,
                                     const std::function<double(std::size_t)>& round_trips) const;
    [[nodiscard]] Groups pairs_by_worth() const;

    std::size_t hosts_;
    double budget_;
    LatencyRecord found_;
    bool sampled_ = false;
    Groups near_;  ///< those that meet more often, once it is time
    std::size_t near_steps_ = 0;
    double near_took_ = 0;  ///< seconds, of near hosts' steps
    std::size_t undisturbed_steps_ = 0;
    std::size_t clusters_pinged_ = 0;  ///< when the last few pinged
    Groups clusters_before_;           ///< the last turns
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
