#pragma once

#include "core/matrix.hpp"
#include "measure/channel.hpp"
#include "measure/eager_limit.hpp"
#include "measure/measure.hpp"
#include "measure/method/findings.hpp"
#include "measure/method/latency_plan.hpp"
#include "measure/method/sessions.hpp"
#include "measure/method/shape.hpp"
#include "measure/method/sharing_plan.hpp"
#include "measure/method/survey_record.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::measure {

/// One rank's part in a measurement. All ranks go through the same steps; rank 0 decides, keeps the
/// clock, and collects what is found.
class Measurement {
public:
    Measurement(MPI_Comm parent, const Options& options, Progress* progress);

    network::Network run();
    /// On rank 0, after run().
    [[nodiscard]] const Findings& findings() const { return findings_; }

private:
    void find_hosts();
    void measure_computing();
    void measure_latencies();
    std::vector<double> play(const LatencyStep& step) const;
    double announce_clusters();
    void survey_clusters(double deadline);
    void find_what_hosts_share();
    void find_what_waits();
    double announce_shape();
    void survey_links(double deadline);
    void find_sharing();
    [[nodiscard]] SharingPlan plan_sharing() const;
    [[nodiscard]] double time_for_sharing() const;
    [[nodiscard]] std::vector<Session> sessions() const;
    [[nodiscard]] std::optional<double> latency_inside(std::size_t cluster) const;
    [[nodiscard]] double end_of_work() const;
    network::Network share_network();

    /// One direction of a link, to be measured by `driver` with the help of `server`.
    struct Task {
        LinkKind kind = LinkKind::between;
        std::size_t from = 0;
        std::size_t to = 0;
        int driver = 0;
        int server = 0;
        double round_trip = 0;  ///< as far as known
        double share = 1;       ///< of the time from its beginning to the common deadline
    };
    [[nodiscard]] std::vector<Task> inside_tasks() const;
    [[nodiscard]] std::vector<Task> between_tasks() const;
    /// Goes through the tasks that this rank has a part in.
    void carry_out(const std::vector<Task>& tasks, double deadline);
    [[nodiscard]] LinkCosts drive(const Task& task, double deadline);

    /// Waits until nothing that rank 0 sent is under way any more, which would disturb what is
    /// measured next; `slowest_way` is the latency of the slowest pair.
    void settle(double slowest_way) const;
    void collect_surveys();
    void tell(const std::string& stage);

    [[nodiscard]] bool is_conductor() const { return channel_.rank() == 0; }
    [[nodiscard]] double elapsed() const { return channel_.now() - began_; }
    [[nodiscard]] int speaker(std::size_t host) const;
    [[nodiscard]] int coordinator(std::size_t cluster) const;
    [[nodiscard]] double slowest_way() const;
    [[nodiscard]] std::optional<Pair> nearest_pair() const;

    Channel channel_;
    Options options_;
    Progress* progress_;
    double began_;
    std::vector<std::size_t> host_of_rank_;
    std::vector<std::vector<int>> ranks_of_host_;
    std::vector<std::vector<std::size_t>> clusters_;
    Matrix<double> round_trips_;         ///< between coordinators, or inside; seconds
    bool noisy_ = false;                 ///< the clock
    Shape shape_;                        ///< of costs inside clusters
    std::vector<SurveyRecord> records_;  ///< found by this rank, not collected yet
    Findings findings_;                  ///< on rank 0
};

}  // namespace espalier::measure
