#include "measure/link_surveys.hpp"

#include "measure/both_ways.hpp"
#include "measure/method/survey.hpp"
#include "measure/remote_link.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace espalier::measure {

namespace {

/// The part of a cluster's time that its survey may take; the rest is for traffic in both
/// directions.
constexpr double inside_survey_share = 0.85;
/// The part of that rest that the traffic may take.
constexpr double both_ways_share = 0.8;
constexpr std::size_t inside_refinements = 80;
constexpr std::size_t between_refinements = 24;

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

std::vector<Task> inside_tasks(const JobMap& job) {
    std::vector<Task> tasks;
    for (std::size_t c = 0; c < job.clusters.size(); ++c) {
        const auto& hosts = job.clusters[c];
        const auto shared = std::find_if(hosts.begin(), hosts.end(), [&](std::size_t host) {
            return job.ranks_of_host[host].size() > 1;
        });
        const double share = shared == hosts.end() ? 1 : 0.6;
        if (hosts.size() > 1)
            tasks.push_back({LinkKind::inside, c, c, job.coordinator(c), job.first_rank(hosts[1]),
                             job.round_trips(c, c), share});
        if (shared != hosts.end()) {
            const auto& ranks = job.ranks_of_host[*shared];
            tasks.push_back({LinkKind::within_node, c, c, ranks[0], ranks[1], 0, 1});
        }
    }
    return tasks;
}

std::vector<Task> between_tasks(const JobMap& job, const std::vector<Session>& sessions) {
    std::vector<Task> tasks;
    for (const Session& session : sessions)
        tasks.push_back({LinkKind::between, session.from, session.to, job.coordinator(session.from),
                         job.coordinator(session.to), job.round_trips(session.from, session.to),
                         session.weight / session.tail});
    return tasks;
}

LinkCosts drive_survey(const Channel& channel, const Task& task, const Shape& shape,
                       double deadline) {
    SurveyOptions options;
    options.sizes = default_sizes();
    options.shape = shape;
    if (!shape.known())
        options.refinements =
            task.kind == LinkKind::between ? between_refinements : inside_refinements;
    options.round_trip = task.round_trip;
    options.at_any_rate = task.kind == LinkKind::inside;
    const double share =
        task.kind == LinkKind::inside ? task.share * inside_survey_share : task.share;
    options.deadline = channel.now() + share * (deadline - channel.now());
    RemoteLink link(channel, task.server, task.round_trip);
    return survey(link, options);
}

/// A survey, after which its server is free again, and inside a cluster traffic both ways.
LinkCosts drive(const Channel& channel, const Task& task, const Shape& shape, double deadline) {
    LinkCosts costs = drive_survey(channel, task, shape, deadline);
    if (task.kind != LinkKind::inside) return costs;

    // Nodes of a cluster pass messages on among each other: what counts is their pace then.
    const double slower = slowdown_both_ways(channel, task.server, costs,
                                             both_ways_share * (deadline - channel.now()));
    costs.stretch *= slower;
    for (CostPoint& point : costs.points) {
        point.gap *= slower;
        point.gap_noise *= slower;
    }
    return costs;
}

/// Goes through the tasks that this rank has a part in.
std::vector<SurveyRecord> carry_out(const Channel& channel, const std::vector<Task>& tasks,
                                    const Shape& shape, double deadline,
                                    const std::function<void()>& progress) {
    std::vector<SurveyRecord> own;
    std::vector<MPI_Request> begun;
    for (const Task& task : tasks)
        begun.push_back(task.driver == channel.rank() ? expect_service(channel, task.server)
                                                      : MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const Task& task = tasks[i];
        if (task.server == channel.rank()) {
            serve(channel, task.driver);
            if (task.kind == LinkKind::inside) answer_both_ways(channel, task.driver);
        }
        if (task.driver != channel.rank()) continue;
        channel.wait_idly(begun[i]);
        own.push_back({task.kind, task.from, task.to, drive(channel, task, shape, deadline)});
        progress();
    }
    std::vector<SurveyRecord> all;
    for (const std::string& bytes : channel.gather(pack(own)))
        for (SurveyRecord& record : unpack_records(bytes)) all.push_back(std::move(record));
    return all;
}

}  // namespace

std::vector<SurveyRecord> survey_clusters(const Channel& channel, const JobMap& job,
                                          double deadline) {
    return carry_out(channel, inside_tasks(job), Shape(), deadline, [] {});
}

std::vector<SurveyRecord> survey_links(const Channel& channel, const JobMap& job,
                                       const std::vector<Session>& sessions, const Shape& shape,
                                       double deadline, const std::function<void()>& progress) {
    return carry_out(channel, between_tasks(job, sessions), shape, deadline, progress);
}

}  // namespace espalier::measure
