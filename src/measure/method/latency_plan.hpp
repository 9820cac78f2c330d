#pragma once

#include "core/matrix.hpp"
#include "measure/method/alike.hpp"
#include "measure/method/sampling.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::measure {

/// Rounds first .. last - 1 of the tournament that each group of hosts plays by itself, `times`
/// times over; all groups play at the same time. If `at_once`, rounds do not wait for each other:
/// each two hosts ping each other so many times.
struct LatencyStep {
    std::vector<std::vector<std::size_t>> groups;
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t times = 1;
    bool at_once = false;

    /// Where a host's wait in a round stands among all of its waits in this step.
    [[nodiscard]] std::size_t place(std::size_t time, std::size_t round) const {
        return time * (last - first) + round - first;
    }
    [[nodiscard]] std::size_t waits() const { return times * (last - first); }
};

/// Decides, step by step, which latencies to measure. At first all pairs of hosts ping each other
/// at once, which takes a few of the greatest round trips and is good enough for far hosts. Then
/// hosts meet in pairs, undisturbed: all of them, again and again while noise suggests it, if that
/// takes a small part of the budget; otherwise those that are near each other, whose meetings take
/// no time, and to whom noise matters. What then seems to be several clusters may be one: two hosts
/// of each meet again, and hosts that are alike in any of these ways are one cluster. Where hosts
/// are too many to ping each other, a few rounds of meetings show how long one takes; if all pairs
/// do not fit into their share of the budget, hosts are sampled hierarchically.
class LatencyPlan {
public:
    /// `budget` in seconds is that of the whole measurement, of which latencies may take a part.
    LatencyPlan(std::size_t hosts, double budget, double tolerance);

    /// The next step when `elapsed` seconds of the budget are gone; nullopt when enough is known.
    [[nodiscard]] std::optional<LatencyStep> next(double elapsed);

    /// Records what a step found. `waits[h][step.place(t, r)]` is how long host h waited for the
    /// message of its opponent in round r, in seconds, if it had one. The two waits of a pair make
    /// a round trip; where it pinged, each of them is one.
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
    [[nodiscard]] std::optional<LatencyStep> next_of_doubtful(double seconds);
    [[nodiscard]] std::vector<std::size_t> everyone() const;
    [[nodiscard]] double round_trip(std::size_t i, std::size_t j) const;
    [[nodiscard]] Matrix<double> distances() const;
    [[nodiscard]] static double time_to_meet(const std::vector<std::size_t>& group,
                                             const Matrix<double>& distances);
    [[nodiscard]] bool time_to_meet_all() const;
    void record_pair(std::size_t i, std::size_t j, double wait_of_i, double wait_of_j, bool pinged);
    [[nodiscard]] std::vector<std::vector<std::size_t>> near_groups(double seconds) const;
    [[nodiscard]] double latest_ping() const;
    [[nodiscard]] std::vector<std::vector<std::size_t>> doubtful_groups() const;
    [[nodiscard]] std::optional<double> usual_spread(const Meetings& all_times) const;
    [[nodiscard]] bool is_settled(const std::vector<std::vector<std::size_t>>& groups) const;

    std::size_t hosts_;
    double budget_;
    double tolerance_;
    Meetings round_trips_;
    Meetings pings_;                ///< of pings at once
    std::optional<bool> all_meet_;  ///< whether there is time for it, as the pings say
    bool sampled_ = false;
    std::vector<std::vector<std::size_t>> near_;  ///< those that meet more often, once it is time
    std::vector<std::vector<std::size_t>> doubtful_;  ///< that met again
    Meetings again_;                                  ///< of these
    std::size_t near_passes_ = 0;
    std::size_t near_steps_ = 0;
    double near_took_ = 0;  ///< seconds
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
