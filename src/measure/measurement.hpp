#pragma once

#include "measure/channel.hpp"
#include "measure/eager_limit.hpp"
#include "measure/job_map.hpp"
#include "measure/measure.hpp"
#include "measure/method/findings.hpp"
#include "measure/method/latency_plan.hpp"
#include "measure/method/notes.hpp"
#include "measure/method/sessions.hpp"
#include "measure/method/shape.hpp"
#include "measure/method/sharing_plan.hpp"
#include "measure/method/train_port.hpp"
#include "measure/streams.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::measure {

/// One rank's part in a measurement. All ranks go through the same steps; rank 0 decides, keeps the
/// clock, and collects what is found.
class Measurement {
public:
    Measurement(MPI_Comm parent, const Options& options, const Progress& progress);

    network::Network run();
    /// What was found, on rank 0, after run(), and is here no longer.
    [[nodiscard]] Findings take_findings() { return std::move(findings_); }
    /// For a measurement that goes on, on rank 0, likewise; see Measured.
    [[nodiscard]] std::string take_notes() { return std::move(notes_); }

private:
    void find_hosts();
    bool recall();
    void measure_all_but_sharing();
    [[nodiscard]] Seconds taken() const;
    void write_notes(const SharingPlan& plan);
    void measure_computing();
    void take_steps(const std::string& stage, StepPlan* plan);
    void measure_latencies();
    void add_round_trips();
    void measure_cards();
    void announce_clusters();
    void send_trains();
    void survey_clusters();
    void find_what_hosts_share();
    void find_eager_threshold();
    std::optional<double> announce_shape();
    void survey_links();
    void find_sharing();
    [[nodiscard]] Matrix<double> round_trips_of_streams() const;
    [[nodiscard]] SharingPlan plan_sharing(const Matrix<double>& round_trips) const;
    [[nodiscard]] double end_of_work() const;
    network::Network share_network();

    /// Waits until nothing that rank 0 sent is under way any more, which would disturb what is
    /// measured next; `slowest_latency` is the latency of the slowest pair.
    void settle(double slowest_latency) const;
    void speak_by(const std::vector<std::vector<std::size_t>>& clusters);
    [[nodiscard]] std::string hand_out(std::vector<std::string> orders) const;
    [[nodiscard]] std::optional<std::vector<RoundWindows>> run_streams(
        const std::vector<StreamRound>& rounds);
    void tell(const std::string& stage);

    [[nodiscard]] bool is_conductor() const { return channel_.rank() == 0; }
    [[nodiscard]] double elapsed() const { return channel_.now() - began_; }
    [[nodiscard]] double slowest_latency() const;
    [[nodiscard]] std::optional<Pair> nearest_pair() const;

    Channel channel_;
    Options options_;
    Progress progress_;
    double budget_;  ///< seconds of all of it; on rank 0, as far as round trips are known
    double began_;
    JobMap job_;
    TrainPort trains_;  ///< of the rank that measures on behalf of its host
    std::unique_ptr<StreamPlayer> player_;
    double insides_until_ = 0;         ///< may be measured, on this rank's clock
    bool noisy_ = false;               ///< the clock
    bool floods_ = false;              ///< on rank 0, for lack of time for single streams
    bool disturbed_ = false;           ///< on rank 0, hosts by others that meet at the same time
    Shape shape_;                      ///< of costs inside clusters
    Findings findings_;                ///< on rank 0
    std::optional<Notes> earlier_;     ///< on rank 0
    std::vector<PlayedRound> played_;  ///< on rank 0, trains
    std::string notes_;
};

}  // namespace espalier::measure
