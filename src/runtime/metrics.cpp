#include "runs/metrics.hpp"
#include "core/environment.hpp"
#include "runtime/flavour.hpp"
#include "runtime/host_name.hpp"
#include "runtime/logic/report_files.hpp"
#include "runtime/process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

// What a process tells of a run while it goes on.

namespace espalier::runtime {

namespace {

/// A message as long as those for which people look at links.
constexpr Bytes long_message{1U << 20U};

/// The link between clusters that have `hosts` over which a long message takes longest.
std::optional<runs::Live::Link> slowest_link(const network::GridView& view,
                                             const std::vector<std::string>& hosts) {
    std::vector<char> is_used(view.leaves().size(), 0);
    for (const std::string& host : hosts)
        if (const auto place = view.find(host)) is_used[place->leaf] = 1;
    std::optional<runs::Live::Link> slowest;
    for (std::size_t from = 0; from < is_used.size(); ++from) {
        for (std::size_t to = 0; to < is_used.size(); ++to) {
            const network::PLogP* const link = from != to && is_used[from] != 0 && is_used[to] != 0
                                                   ? view.link(from, to)
                                                   : nullptr;
            if (link == nullptr) continue;
            const Seconds time = link->delivery(long_message);
            if (slowest && time <= slowest->time) continue;
            slowest = {view.leaves()[from].cluster->name, view.leaves()[to].cluster->name,
                       long_message, time};
        }
    }
    return slowest;
}

}  // namespace

bool Process::tells_metrics() const {
    if (settings_.metrics.empty()) return false;
    if (world_rank_ == 0) return true;
    // Where nothing tells one job from another, ranks can't say to which they belong.
    if (!common_job(environment)) return false;
    const std::vector<std::string> hosts = this->hosts();
    const auto first = std::ranges::find(hosts, host_);
    return first != hosts.end() && first - hosts.begin() == world_rank_;
}

void Process::begin_metrics() {
    records_ = true;
    // MPI's clock is for the program's threads.
    metrics_began_ = std::chrono::steady_clock::now();
    const long process = ::getpid();
    job_ = common_job(environment).value_or(fmt::format("{}.{}", host_, process));
    if (world_rank_ == 0)
        if (const auto network = this->network())
            slowest_link_ = slowest_link(network->view(), hosts());
    const std::string name = metrics_name(program_name(), job_, host_, process);
    metrics_ = std::make_unique<MetricsFile>(
        std::filesystem::path(settings_.metrics) / name,
        Flavour::paced ? Seconds(0) : runs::metrics_period,
        [this](bool ended) { return metrics(ended); },
        [this](const std::string& line) { log_.warn(line); });
}

std::string Process::metrics(bool ended) {
    const std::chrono::duration<double> now = Process::now().time_since_epoch();
    const std::chrono::duration<double> since_begin =
        std::chrono::steady_clock::now() - metrics_began_;
    runs::Live live{.job = job_,
                    .host = host_,
                    .rank = static_cast<std::uint64_t>(world_rank_),
                    .process = ::getpid(),
                    .written = now.count(),
                    .ended = ended,
                    .slowest_link = slowest_link_};
    {
        const std::scoped_lock lock(mutex_);
        live.run = report_.so_far(heading(start_took_ + Seconds(since_begin.count())));
        live.lateness = arrivals_.lateness();
        live.waited_for = arrivals_.waited_for();
    }
    return runs::metrics(live);
}

void Process::record_arrival(const std::string& collective, std::size_t ranks, Seconds late,
                             int last) {
    const std::vector<std::string> all = hosts();
    const auto rank = static_cast<std::size_t>(last);
    const std::scoped_lock lock(mutex_);
    arrivals_.add(collective, ranks, late, rank < all.size() ? all[rank] : "");
}

}  // namespace espalier::runtime
