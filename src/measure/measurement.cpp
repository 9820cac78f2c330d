#include "measure/measurement.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/table.hpp"
#include "core/wire.hpp"
#include "measure/company.hpp"
#include "measure/computing.hpp"
#include "measure/eager.hpp"
#include "measure/link_surveys.hpp"
#include "measure/method/follow_streams.hpp"
#include "measure/method/kernel_windows.hpp"
#include "measure/method/orders.hpp"
#include "measure/method/probe.hpp"
#include "measure/method/sessions.hpp"
#include "measure/method/sites.hpp"
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

/// The part of the budget that computing may take, and the most seconds.
constexpr double computing_share = 0.1;
constexpr double longest_computing = 1;  // seconds
/// The part of the budget that the insides of clusters may take, all at the same time, and the most
/// seconds: a budget is large because sites are far apart, which insides do not mind.
constexpr double inside_share = 0.1;
constexpr double longest_inside = 0.5;
/// Of these on a noisy clock, where they are no shape for what is between clusters.
constexpr double noisy_inside_share = 0.5;
/// About the part of the budget that all hosts sending at once may take.
constexpr double company_share = 0.02;
/// The most that finding the eager threshold may take of the budget.
constexpr double eager_share = 0.05;
/// The part of the budget that is kept for the last messages, and the latencies that these take.
constexpr double end_share = 0.02;
constexpr double end_latencies = 4;
/// How long all ranks are quiet before costs are measured, in latencies of the slowest pair: two
/// messages of rank 0 may follow each other.
constexpr double settling_latencies = 2.2;

/// To a writer, or from a reader.
void pass_station(auto& wire, auto&& station) {
    wire(station.addresses, station.port, station.password);
}

std::string date_and_time() {
    // Not the clock of C, which a simulator replaces.
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace

Measurement::Measurement(MPI_Comm parent, const Options& options, const Progress& progress)
    : channel_(parent, options.watch, options.is_own),
      options_(options),
      progress_(progress),
      budget_(options.budget.value),
      began_(channel_.now()) {
    findings_.symmetric = options.symmetric;
}

network::Network Measurement::run() {
    find_hosts();
    if (options_.compute) measure_computing();
    const bool goes_on = recall();
    if (goes_on) {
        add_round_trips();
        announce_clusters();
    } else {
        measure_all_but_sharing();
    }
    find_sharing();
    return share_network();
}

void Measurement::measure_all_but_sharing() {
    measure_latencies();
    add_round_trips();
    announce_clusters();
    send_trains();
    measure_cards();
    announce_clusters();
    survey_clusters();
    find_what_hosts_share();
    find_eager_threshold();
    survey_links();
}

void Measurement::tell(const std::string& stage) {
    if (!is_conductor() || !progress_) return;
    const std::size_t clusters = findings_.clusters.size();
    const std::string known = clusters == 0
                                  ? ""
                                  : fmt::format(" ({} of {})", counted(clusters, "cluster"),
                                                counted(findings_.hosts.size(), "host"));
    progress_(stage + known, elapsed() / budget_);
}

void Measurement::find_hosts() {
    tell("hosts");
    std::string name = options_.host;
    if (name.empty()) name = processor_name();
    WireWriter own;
    own(name);
    pass_station(own, Channel::looks_wait ? TrainStation() : trains_.station());
    const std::vector<std::string> all = channel_.gather(own.bytes());

    WireWriter to;
    if (is_conductor()) {
        std::vector<std::string> names;
        std::vector<TrainStation> stations;
        for (const std::string& bytes : all) {
            WireReader from(bytes);
            names.push_back(from.take<std::string>());
            pass_station(from, stations.emplace_back());
        }
        findings_.hosts = group_by_host(names);
        std::vector<std::size_t> host_of_rank(names.size());
        for (std::size_t host = 0; host < findings_.hosts.size(); ++host)
            for (const std::size_t rank : findings_.hosts[host].ranks) host_of_rank[rank] = host;
        to(host_of_rank);
        for (const Host& host : findings_.hosts) pass_station(to, stations[host.ranks.front()]);
    }
    const std::string told = channel_.broadcast(to.bytes());
    WireReader from(told);
    job_.host_of_rank = from.take<std::vector<std::size_t>>();
    job_.ranks_of_host.resize(std::ranges::max(job_.host_of_rank) + 1);
    for (std::size_t rank = 0; rank < job_.host_of_rank.size(); ++rank)
        job_.ranks_of_host[job_.host_of_rank[rank]].push_back(static_cast<int>(rank));
    const std::size_t host = job_.host_of_rank[static_cast<std::size_t>(channel_.rank())];
    std::vector<TrainStation> stations(job_.ranks_of_host.size());
    for (TrainStation& station : stations) pass_station(from, station);
    trains_.know(std::move(stations), host);
    if (job_.first_rank(host) != channel_.rank()) trains_.close();
    player_ = make_stream_player(channel_, job_, trains_);
}

void Measurement::measure_computing() {
    tell("computing");
    const double seconds = std::min(computing_share * options_.budget.value, longest_computing);
    findings_.cycle_times = time_computing(channel_, job_.ranks_of_host, options_.kernel, seconds);
    findings_.kernel = kernel_name(options_.kernel);
}

/// The clusters, and the round trips between their hosts, the longest of all where a pair
/// was not measured, and inside them, as far as known; and until when their insides may be
/// measured.
void Measurement::announce_clusters() {
    WireWriter to;
    if (is_conductor()) {
        const double left = budget_ - elapsed();
        const double most =
            (noisy_ ? noisy_inside_share : 1) * std::min(inside_share * budget_, longest_inside);
        to(findings_.clusters.size() == 1 ? 0.9 * left : std::min(most, left / 2));
        to(noisy_, findings_.clusters);
        for (const auto& a : findings_.clusters)
            for (const auto& b : findings_.clusters) {
                const auto latency = usual_latency(findings_.latencies, a, b, noisy_);
                to(2 * latency.value_or(&a == &b ? 0 : slowest_latency()));
            }
    }
    const std::string told = channel_.broadcast(to.bytes());
    WireReader from(told);
    insides_until_ = channel_.now() + from.take<double>();
    noisy_ = from.take<bool>();
    job_.clusters = from.take<std::vector<std::vector<std::size_t>>>();
    job_.round_trips = Matrix<double>(job_.clusters.size(), job_.clusters.size());
    for (std::size_t i = 0; i < job_.clusters.size(); ++i)
        for (std::size_t j = 0; j < job_.clusters.size(); ++j)
            job_.round_trips(i, j) = from.take<double>();
    speak_by(job_.clusters);
}

/// Tells all ranks how costs depend on size inside the cluster that was measured in most detail.
/// Returns the time until which the links between clusters may be measured; nullopt where single
/// streams need more than is left, since floods take all of it then, and on a noisy clock, where
/// bursts are as fast as their connections happen to be warmed up.
std::optional<double> Measurement::announce_shape() {
    WireWriter to;
    if (is_conductor()) {
        const double left =
            end_of_work() - elapsed() - plan_sharing(job_.round_trips).time_for_singles();
        floods_ = left < 0;
        to(noisy_ ? 0 : left, slowest_latency(), detailed_shape(findings_.surveys));
    }
    const std::string told = channel_.broadcast(to.bytes());
    WireReader from(told);
    const auto left = from.take<double>();
    const double deadline = channel_.now() + left;
    const auto slowest = from.take<double>();
    shape_ = Shape(from.take<std::vector<CostPoint>>());
    if (left <= 0) return std::nullopt;
    settle(slowest);
    return deadline;
}

/// Adds the round trips that the budget has besides, now that they are known.
void Measurement::add_round_trips() { budget_ += options_.round_trips * 2 * slowest_latency(); }

double Measurement::end_of_work() const {
    return (1 - end_share) * budget_ - end_latencies * slowest_latency();
}

void Measurement::settle(double slowest_latency) const {
    channel_.pause_until(channel_.now() + settling_latencies * slowest_latency);
}

double Measurement::slowest_latency() const {
    double slowest = 0;
    for (std::size_t i = 0; i < findings_.latencies.size(); ++i)
        for (const auto& [j, latency] : findings_.latencies.from(i))
            slowest = std::max(slowest, latency);
    return slowest;
}

/// What narrow paths carry, which trains tell soon, is worth more than what is inside clusters.
void Measurement::send_trains() {
    if (!noisy_ || job_.clusters.size() < 2) return;
    tell("between sites");
    std::vector<StreamRound> rounds;
    std::optional<SharingPlan> plan;
    if (is_conductor()) {
        plan.emplace(plan_sharing(job_.round_trips));
        rounds = plan->next(elapsed());
        if (!rounds.empty() && !rounds.front().trains)
            rounds.clear();  // there is no time, or one site
    }
    const auto found = run_streams(rounds);
    player_->finish();
    if (!plan || !found) return;
    plan->record(*found, elapsed());
    played_ = plan->played();
}

void Measurement::survey_clusters() {
    tell("inside clusters");
    double longest = 0;
    for (std::size_t i = 0; i < job_.clusters.size(); ++i)
        for (std::size_t j = 0; j < job_.clusters.size(); ++j)
            longest = std::max(longest, job_.round_trips(i, j));
    if (!noisy_) settle(longest / 2);
    findings_.surveys = measure::survey_clusters(channel_, job_, insides_until_);
    for (SurveyRecord& record : findings_.surveys)
        if (const auto latency = usual_latency(findings_.latencies, job_.clusters[record.from],
                                               job_.clusters[record.from], noisy_);
            latency && record.kind == LinkKind::inside)
            believe_meetings(record.costs, *latency);
    // One clock serves all: a few samples of one link may agree by chance.
    for (const SurveyRecord& record : findings_.surveys) noisy_ = noisy_ || record.costs.noisy;
}

void Measurement::find_what_hosts_share() {
    tell("all hosts at once");
    std::vector<std::vector<int>> groups;
    double slowest = 0;
    for (std::size_t c = 0; c < job_.clusters.size(); ++c) {
        auto& group = groups.emplace_back();
        for (const std::size_t host : job_.clusters[c]) group.push_back(job_.first_rank(host));
        slowest = std::max(slowest, job_.round_trips(c, c));
    }
    findings_.message_time =
        Seconds(time_in_company(channel_, groups, slowest, company_share * options_.budget.value));
}

/// The nearest coordinators, or, where there is one cluster, two of its hosts.
std::optional<Pair> Measurement::nearest_pair() const {
    std::optional<Pair> nearest;
    for (std::size_t i = 0; i < job_.clusters.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!nearest || job_.round_trips(j, i) < nearest->round_trip)
                nearest = Pair{job_.coordinator(j), job_.coordinator(i), job_.round_trips(j, i)};
    if (job_.clusters.size() == 1 && job_.clusters.front().size() > 1)
        return Pair{job_.coordinator(0), job_.first_rank(job_.clusters.front()[1]),
                    job_.round_trips(0, 0)};
    return nearest;
}

/// Finds the eager threshold between the nearest pair of hosts, since it is the same on all paths.
void Measurement::find_eager_threshold() {
    if constexpr (!messages_wait) return;
    const std::optional<Pair> pair = nearest_pair();
    if (!pair) return;
    tell("which messages wait");
    findings_.eager = find_eager_limit(channel_, *pair, eager_share * options_.budget.value);
}

void Measurement::survey_links() {
    const std::vector<Session> sessions = plan_sessions(job_.round_trips, options_.symmetric);
    if (sessions.empty()) return;
    tell("between clusters");
    const std::optional<double> deadline = announce_shape();
    if (!deadline) return;
    const auto found = measure::survey_links(channel_, job_, sessions, shape_, *deadline,
                                             [&] { tell("between clusters"); });
    findings_.surveys.insert(findings_.surveys.end(), found.begin(), found.end());
}

/// The round trips of long messages: on simulators their latency may be many times that of short
/// ones, on all links alike.
Matrix<double> Measurement::round_trips_of_streams() const {
    Matrix<double> round_trips = job_.round_trips;
    if (noisy_) return round_trips;
    double longer = 1;
    for (const SurveyRecord& record : findings_.surveys) {
        if (record.kind == LinkKind::within_node || record.costs.points.empty()) continue;
        const double there = record.costs.points.back().latency;
        longer = std::max(longer, 0.5 + there / job_.round_trips(record.from, record.to));
    }
    for (std::size_t i = 0; i < round_trips.rows(); ++i)
        for (std::size_t j = 0; j < round_trips.columns(); ++j) round_trips(i, j) *= longer;
    return round_trips;
}

/// What is known by now, given to the plan that decides which hosts send at the same time. Rank 0
/// only.
SharingPlan Measurement::plan_sharing(const Matrix<double>& round_trips) const {
    const std::size_t clusters = job_.clusters.size();
    Matrix<double> one_way(clusters, clusters, 0);
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j)
            if (i != j) one_way(i, j) = job_.round_trips(i, j) / 2;
    Surroundings known;
    known.hosts = findings_.clusters;
    known.sites = guess_sites(one_way);
    known.alone = stream_rates(findings_.surveys, clusters, options_.symmetric);
    return {std::move(known),
            round_trips,
            end_of_work(),
            {noisy_, findings_.eager.value_or(eager_bytes)}};
}

void Measurement::find_sharing() {
    if (job_.clusters.size() < 2) return;
    std::optional<SharingPlan> plan;
    if (is_conductor()) plan.emplace(plan_sharing(round_trips_of_streams()));
    if (plan && floods_) plan->flood();
    // Cards may have told hosts apart since then.
    for (PlayedRound& round : played_)
        for (StreamEnds& ends : round.planned.ends) {
            ends.from_cluster = job_.cluster_of(ends.from);
            ends.to_cluster = job_.cluster_of(ends.to);
        }
    if (plan) plan->recall(earlier_ ? earlier_->rounds : played_);
    for (;;) {
        tell("what links share");
        std::vector<StreamRound> rounds;
        if (plan) rounds = plan->next(elapsed());
        const auto found = run_streams(rounds);
        if (!found) break;
        if (plan) plan->record(*found, elapsed());
    }
    player_->finish();
    if (!plan) return;
    write_notes(*plan);
    follow_streams(findings_, job_.round_trips, plan->sure_paces(), noisy_);
    findings_.bottlenecks = plan->bottlenecks();
    findings_.sharing_known = plan->knows_all_shared();
    for (std::string& warning : plan->warnings()) findings_.warnings.push_back(std::move(warning));
}

network::Network Measurement::share_network() {
    // A network begins with a brace; anything else says why there is none. Nobody is to wait for it
    // in vain.
    std::string text;
    if (is_conductor()) {
        findings_.ranks = static_cast<std::size_t>(channel_.size());
        findings_.tolerance = options_.tolerance;
        findings_.budget = Seconds(budget_);
        findings_.noisy = noisy_;
        findings_.windows_restart = windows_restart();
        findings_.taken = taken();
        findings_.at = date_and_time();
        findings_.mpi = library_name();
        try {
            text = network::to_json(to_network(findings_)).dump();
        } catch (const std::exception& error) {
            text = error.what();
        }
    }
    text = channel_.broadcast(text);
    if (!text.starts_with('{')) throw InputError("measured network", "", text);
    return network::parse_network(text, "measured network");
}

}  // namespace espalier::measure
