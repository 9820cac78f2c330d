#include "measure/measurement.hpp"

#include "core/error.hpp"
#include "measure/both_ways.hpp"
#include "measure/company.hpp"
#include "measure/computing.hpp"
#include "measure/eager.hpp"
#include "measure/method/follow_streams.hpp"
#include "measure/method/orders.hpp"
#include "measure/method/packer.hpp"
#include "measure/method/sessions.hpp"
#include "measure/method/sites.hpp"
#include "measure/method/statistics.hpp"
#include "measure/method/survey.hpp"
#include "measure/method/tournament.hpp"
#include "measure/names.hpp"
#include "measure/remote_link.hpp"
#include "measure/streams.hpp"
#include "network/json.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace espalier::measure {

namespace {

/// What computing may take of the budget, and at most.
constexpr double computing_share = 0.1;
constexpr double longest_computing = 1;  // seconds
/// What the insides of clusters may take of the budget, all at a time.
constexpr double inside_share = 0.15;
/// What all hosts at once may take of it, about.
constexpr double company_share = 0.02;
/// What may be spent on finding out which messages wait for an answer, at most.
constexpr double eager_share = 0.05;
/// What is kept for finding out what links share, at least and at most; and what links between
/// clusters can do with, of the time that they are expected to want.
constexpr double least_sharing_share = 0.1;
constexpr double most_sharing_share = 0.4;
constexpr double links_need = 0.55;
/// What is kept for the last messages, beside the latencies of these.
constexpr double end_share = 0.02;
constexpr double end_latencies = 6;
/// How long everybody is quiet before costs are measured, in latencies of the slowest pair: two
/// messages of rank 0 may follow each other.
constexpr double settling_ways = 2.2;
/// What of a cluster's time its survey may take; the rest is for traffic both ways.
constexpr double inside_survey_share = 0.85;
/// How much of the rest that traffic may take.
constexpr double both_ways_share = 0.8;
constexpr std::size_t inside_refinements = 80;
constexpr std::size_t between_refinements = 24;

std::string date_and_time() {
    // Not the clock of C, which a simulator replaces.
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

void slow_down(LinkCosts& costs, double factor) {
    costs.stretch *= factor;
    for (CostPoint& point : costs.points) {
        point.gap *= factor;
        point.gap_noise *= factor;
    }
}

}  // namespace

Measurement::Measurement(MPI_Comm parent, const Options& options, Progress* progress)
    : channel_(parent), options_(options), progress_(progress), began_(channel_.now()) {
    findings_.symmetric = options.symmetric;
}

network::Network Measurement::run() {
    find_hosts();
    if (options_.compute) measure_computing();
    measure_latencies();
    survey_clusters(announce_clusters());
    find_what_hosts_share();
    find_what_waits();
    survey_links(announce_shape());
    find_sharing();
    return share_network();
}

void Measurement::tell(const std::string& stage) {
    if (is_conductor() && progress_ != nullptr)
        progress_->report(stage, elapsed() / options_.budget.value);
}

int Measurement::speaker(std::size_t host) const { return ranks_of_host_[host].front(); }

int Measurement::coordinator(std::size_t cluster) const {
    return speaker(clusters_[cluster].front());
}

void Measurement::find_hosts() {
    tell("hosts");
    std::string name = options_.host;
    if (name.empty()) name = processor_name();
    const std::vector<std::string> names = channel_.gather(name);

    Packer packer;
    if (is_conductor()) {
        findings_.hosts = group_by_host(names);
        std::vector<std::size_t> host_of_rank(names.size());
        for (std::size_t host = 0; host < findings_.hosts.size(); ++host)
            for (const std::size_t rank : findings_.hosts[host].ranks) host_of_rank[rank] = host;
        packer.put_all(host_of_rank);
    }
    const std::string told = channel_.broadcast(packer.bytes());
    host_of_rank_ = Unpacker(told).take_all<std::size_t>();
    ranks_of_host_.resize(*std::max_element(host_of_rank_.begin(), host_of_rank_.end()) + 1);
    for (std::size_t rank = 0; rank < host_of_rank_.size(); ++rank)
        ranks_of_host_[host_of_rank_[rank]].push_back(static_cast<int>(rank));
}

void Measurement::measure_computing() {
    tell("computing");
    const double seconds = std::min(computing_share * options_.budget.value, longest_computing);
    findings_.cycle_times = time_computing(channel_, ranks_of_host_, options_.kernel, seconds);
    findings_.kernel = kernel_name(options_.kernel);
}

void Measurement::measure_latencies() {
    LatencyPlan plan(ranks_of_host_.size(), options_.budget.value, options_.tolerance);
    for (;;) {
        tell("latencies");
        std::string order;
        if (is_conductor()) order = pack(plan.next(elapsed()));
        const std::optional<LatencyStep> step = unpack_step(channel_.broadcast(order));
        if (!step) break;
        Packer packer;
        packer.put_all(play(*step));
        const std::vector<std::string> found = channel_.gather(packer.bytes());
        if (!is_conductor()) continue;
        std::vector<std::vector<double>> waits;
        for (const auto& ranks : ranks_of_host_)
            waits.push_back(
                Unpacker(found[static_cast<std::size_t>(ranks.front())]).take_all<double>());
        plan.record(*step, waits, elapsed());
    }
    if (!is_conductor()) return;
    findings_.latencies = plan.latencies();
    findings_.clusters = plan.clusters();
    findings_.warnings = plan.warnings();
    noisy_ = plan.noisy();
}

/// This rank's waits in each round of a step; those of rounds in which it rests mean nothing.
std::vector<double> Measurement::play(const LatencyStep& step) const {
    const std::size_t host = host_of_rank_[static_cast<std::size_t>(channel_.rank())];
    std::vector<double> waits(step.last - step.first, 0);
    if (speaker(host) != channel_.rank()) return waits;
    for (const auto& group : step.groups) {
        const auto seat = std::find(group.begin(), group.end(), host);
        if (seat == group.end()) continue;
        const auto player = static_cast<std::size_t>(seat - group.begin());
        const std::size_t end = std::min(step.last, tournament_rounds(group.size()));
        for (std::size_t round = step.first; round < end; ++round)
            if (const auto other = opponent(group.size(), round, player))
                waits[round - step.first] = meet(channel_, speaker(group[*other]));
    }
    return waits;
}

/// The clusters, and the round trips between their coordinators, the longest of all where a pair
/// was not measured, and inside them, as far as known. Returns until when the insides of clusters
/// may be measured.
double Measurement::announce_clusters() {
    tell("inside clusters");
    Packer packer;
    if (is_conductor()) {
        const double left = options_.budget.value - elapsed();
        const double most = inside_share * options_.budget.value;
        packer.put(findings_.clusters.size() == 1 ? 0.9 * left : std::min(most, left / 2));
        packer.put(slowest_way());
        packer.put(findings_.clusters.size());
        for (const auto& cluster : findings_.clusters) packer.put_all(cluster);
        for (const auto& a : findings_.clusters)
            for (const auto& b : findings_.clusters) {
                const auto& latency = findings_.latencies(a.front(), b.front());
                packer.put(2 * latency.value_or(slowest_way()));
            }
        for (const auto& cluster : findings_.clusters) {
            const std::size_t second = cluster[cluster.size() > 1 ? 1 : 0];
            packer.put(2 * findings_.latencies(cluster[0], second).value_or(0));
        }
    }
    const std::string told = channel_.broadcast(packer.bytes());
    Unpacker unpacker(told);
    const double deadline = channel_.now() + unpacker.take<double>();
    const auto slowest = unpacker.take<double>();
    clusters_.resize(unpacker.take<std::size_t>());
    for (auto& cluster : clusters_) cluster = unpacker.take_all<std::size_t>();
    round_trips_ = Matrix<double>(clusters_.size(), clusters_.size());
    for (std::size_t i = 0; i < clusters_.size(); ++i)
        for (std::size_t j = 0; j < clusters_.size(); ++j)
            round_trips_(i, j) = unpacker.take<double>();
    for (std::size_t i = 0; i < clusters_.size(); ++i) round_trips_(i, i) = unpacker.take<double>();
    settle(slowest);
    return deadline;
}

/// What the costs inside the cluster that was measured in most detail look like. Returns until when
/// the links between clusters may be measured.
double Measurement::announce_shape() {
    tell("between clusters");
    Packer packer;
    if (is_conductor()) {
        // One clock serves all: a few samples of one link may agree by chance.
        for (const SurveyRecord& record : findings_.surveys) noisy_ = noisy_ || record.costs.noisy;
        packer.put(noisy_);
        packer.put(end_of_work() - time_for_sharing() - elapsed());
        packer.put(slowest_way());
        packer.put_all(detailed_shape(findings_.surveys));
    }
    const std::string told = channel_.broadcast(packer.bytes());
    Unpacker unpacker(told);
    noisy_ = unpacker.take<bool>();
    const double deadline = channel_.now() + unpacker.take<double>();
    const auto slowest = unpacker.take<double>();
    shape_ = Shape(unpacker.take_all<CostPoint>());
    settle(slowest);
    return deadline;
}

/// Of what is left now.
double Measurement::time_for_sharing() const {
    if (clusters_.size() < 2) return 0;
    double needed = 0;
    for (const Session& session : sessions()) needed = std::max(needed, links_need * session.tail);
    const double budget = options_.budget.value;
    const double most = noisy_ ? budget : most_sharing_share * budget;
    return std::clamp(end_of_work() - elapsed() - needed, least_sharing_share * budget, most);
}

/// On a noisy clock bursts tell nothing about a long way: each comes as its connection happens to
/// be warmed up, and so few fit in. Streams alone do.
std::vector<Session> Measurement::sessions() const {
    return noisy_ ? plan_sessions(round_trips_, options_.symmetric, long_round_trip_s)
                  : plan_sessions(round_trips_, options_.symmetric);
}

double Measurement::end_of_work() const {
    return (1 - end_share) * options_.budget.value - end_latencies * slowest_way();
}

void Measurement::settle(double slowest_way) const {
    channel_.pause_until(channel_.now() + settling_ways * slowest_way);
}

double Measurement::slowest_way() const {
    double slowest = 0;
    for (std::size_t i = 0; i < findings_.latencies.rows(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            slowest = std::max(slowest, findings_.latencies(i, j).value_or(0));
    return slowest;
}

/// In each cluster between its first two hosts, then between two ranks of one host.
std::vector<Measurement::Task> Measurement::inside_tasks() const {
    std::vector<Task> tasks;
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
        const auto& hosts = clusters_[c];
        const auto shared = std::find_if(hosts.begin(), hosts.end(), [&](std::size_t host) {
            return ranks_of_host_[host].size() > 1;
        });
        const double share = shared == hosts.end() ? 1 : 0.6;
        if (hosts.size() > 1)
            tasks.push_back({LinkKind::inside, c, c, coordinator(c), speaker(hosts[1]),
                             round_trips_(c, c), share});
        if (shared != hosts.end()) {
            const auto& ranks = ranks_of_host_[*shared];
            tasks.push_back({LinkKind::within_node, c, c, ranks[0], ranks[1], 0, 1});
        }
    }
    return tasks;
}

std::vector<Measurement::Task> Measurement::between_tasks() const {
    std::vector<Task> tasks;
    for (const Session& session : sessions())
        tasks.push_back({LinkKind::between, session.from, session.to, coordinator(session.from),
                         coordinator(session.to), round_trips_(session.from, session.to),
                         session.weight / session.tail});
    return tasks;
}

void Measurement::carry_out(const std::vector<Task>& tasks, double deadline) {
    std::vector<MPI_Request> begun;
    for (const Task& task : tasks)
        begun.push_back(task.driver == channel_.rank() ? expect_service(channel_, task.server)
                                                       : MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const Task& task = tasks[i];
        if (task.server == channel_.rank()) {
            serve(channel_, task.driver);
            if (task.kind == LinkKind::inside) answer_both_ways(channel_, task.driver);
        }
        if (task.driver != channel_.rank()) continue;
        channel_.wait_idly(begun[i]);
        LinkCosts costs = drive(task, deadline);
        // Nodes of a cluster pass messages on among each other: what counts is their pace then.
        if (task.kind == LinkKind::inside)
            slow_down(costs, slowdown_both_ways(channel_, task.server, costs,
                                                both_ways_share * (deadline - channel_.now())));
        records_.push_back({task.kind, task.from, task.to, std::move(costs)});
        if (task.kind == LinkKind::between) tell("between clusters");
    }
}

LinkCosts Measurement::drive(const Task& task, double deadline) {
    SurveyOptions options;
    options.sizes = default_sizes();
    options.shape = shape_;
    if (!shape_.known())
        options.refinements =
            task.kind == LinkKind::between ? between_refinements : inside_refinements;
    options.round_trip = task.round_trip;
    options.at_any_rate = task.kind == LinkKind::inside;
    const double share =
        task.kind == LinkKind::inside ? task.share * inside_survey_share : task.share;
    options.deadline = channel_.now() + share * (deadline - channel_.now());
    RemoteLink link(channel_, task.server, task.round_trip);
    return survey(link, options);
}

void Measurement::collect_surveys() {
    const std::vector<std::string> found = channel_.gather(pack(records_));
    records_.clear();
    for (const std::string& bytes : found)
        for (SurveyRecord& record : unpack_records(bytes))
            findings_.surveys.push_back(std::move(record));
}

/// What nearness costs inside a cluster: the middle of its hosts' latencies.
std::optional<double> Measurement::latency_inside(std::size_t cluster) const {
    const auto& hosts = clusters_[cluster];
    std::vector<double> known;
    for (const std::size_t a : hosts)
        for (const std::size_t b : hosts)
            if (const auto& latency = findings_.latencies(a, b); a < b && latency)
                known.push_back(*latency);
    if (known.empty()) return std::nullopt;
    return median(known);
}

void Measurement::survey_clusters(double deadline) {
    carry_out(inside_tasks(), deadline);
    collect_surveys();
    for (SurveyRecord& record : findings_.surveys)
        if (const auto latency = latency_inside(record.from);
            latency && record.kind == LinkKind::inside)
            believe_meetings(record.costs, *latency);
}

void Measurement::find_what_hosts_share() {
    tell("all hosts at once");
    std::vector<std::vector<int>> groups;
    double slowest = 0;
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
        auto& group = groups.emplace_back();
        for (const std::size_t host : clusters_[c]) group.push_back(speaker(host));
        slowest = std::max(slowest, round_trips_(c, c));
    }
    findings_.message_time =
        Seconds(time_in_company(channel_, groups, slowest, company_share * options_.budget.value));
}

/// The nearest coordinators, or, where there is one cluster, two of its hosts.
std::optional<Pair> Measurement::nearest_pair() const {
    std::optional<Pair> nearest;
    for (std::size_t i = 0; i < clusters_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!nearest || round_trips_(j, i) < nearest->round_trip)
                nearest = Pair{coordinator(j), coordinator(i), round_trips_(j, i)};
    if (clusters_.size() == 1 && clusters_.front().size() > 1)
        return Pair{coordinator(0), speaker(clusters_.front()[1]), round_trips_(0, 0)};
    return nearest;
}

/// From which length on messages wait for an answer, in which all long ways are alike.
void Measurement::find_what_waits() {
    if constexpr (!messages_wait) return;
    const std::optional<Pair> pair = nearest_pair();
    if (!pair) return;
    tell("which messages wait");
    findings_.eager = find_eager_limit(channel_, *pair, eager_share * options_.budget.value);
}

void Measurement::survey_links(double deadline) {
    carry_out(between_tasks(), deadline);
    collect_surveys();
}

/// On rank 0: what is known by now, for who decides what to send at the same time.
SharingPlan Measurement::plan_sharing() const {
    const std::size_t clusters = clusters_.size();
    Matrix<double> one_way(clusters, clusters, 0);
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j)
            if (i != j) one_way(i, j) = round_trips_(i, j) / 2;
    Surroundings known;
    known.hosts = findings_.clusters;
    known.sites = guess_sites(one_way);
    known.alone = stream_rates(findings_.surveys, clusters, options_.symmetric);
    return {std::move(known),
            round_trips_,
            end_of_work(),
            {noisy_, findings_.eager.value_or(eager_bytes)}};
}

void Measurement::find_sharing() {
    if (clusters_.size() < 2) return;
    std::optional<SharingPlan> plan;
    if (is_conductor()) plan.emplace(plan_sharing());
    for (;;) {
        tell("what links share");
        std::string order;
        if (plan) order = pack(plan->next(elapsed()));
        const std::optional<StreamRound> round = unpack_round(channel_.broadcast(order));
        if (!round) break;
        std::vector<RankStream> streams;
        for (const Stream& stream : round->streams)
            streams.push_back({speaker(stream.ends.from), speaker(stream.ends.to), stream.bytes,
                               stream.at_first, stream.window});
        Packer packer;
        packer.put_all(
            run_streams(channel_, streams, {round->warm_up, round->span, round->settle}));
        const std::vector<std::string> found = channel_.gather(packer.bytes());
        if (!plan) continue;
        std::vector<double> rates(streams.size());
        for (std::size_t k = 0; k < streams.size(); ++k) {
            const std::string& bytes = found[static_cast<std::size_t>(streams[k].to)];
            rates[k] = Unpacker(bytes).take_all<double>()[k];
        }
        plan->record(rates, elapsed());
    }
    if (!plan) return;
    follow_streams(findings_, round_trips_, plan->paces(), noisy_);
    findings_.bottlenecks = plan->bottlenecks();
    std::vector<std::string> warnings = plan->warnings();
    findings_.sharing_known = warnings.empty();
    for (std::string& warning : warnings) findings_.warnings.push_back(std::move(warning));
}

network::Network Measurement::share_network() {
    // A network begins with a brace; anything else says why there is none. Nobody is to wait for it
    // in vain.
    std::string text;
    if (is_conductor()) {
        findings_.ranks = static_cast<std::size_t>(channel_.size());
        findings_.tolerance = options_.tolerance;
        findings_.budget = options_.budget;
        findings_.noisy = noisy_;
        findings_.taken = Seconds(elapsed());
        findings_.at = date_and_time();
        findings_.mpi = library_name();
        try {
            text = network::to_json(to_network(findings_)).dump();
        } catch (const std::exception& error) {
            text = error.what();
        }
    }
    std::vector<int> leaders(host_of_rank_.size());
    for (std::size_t c = 0; c < clusters_.size(); ++c)
        for (const std::size_t host : clusters_[c])
            for (const int rank : ranks_of_host_[host])
                leaders[static_cast<std::size_t>(rank)] = coordinator(c);
    text = channel_.broadcast(text, leaders);
    if (is_conductor() && progress_ != nullptr) progress_->done();
    if (!text.starts_with('{')) throw InputError("measured network", "", text);
    return network::parse_network(text, "measured network");
}

}  // namespace espalier::measure
