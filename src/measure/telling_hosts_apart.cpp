// Which hosts are alike: by latencies, and by cards.

#include "core/wire.hpp"
#include "measure/measurement.hpp"
#include "measure/method/cards.hpp"
#include "measure/method/latency_plan.hpp"
#include "measure/method/orders.hpp"
#include "measure/pings.hpp"
#include "measure/streams.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::measure {

namespace {

/// The part of what is left of the budget that a look at all cards may take.
constexpr double cards_share = 0.25;

}  // namespace

/// To the first rank of each host the order that pack() made for it on rank 0, to others the last.
std::string Measurement::hand_out(std::vector<std::string> orders) const {
    std::vector<std::string> by_rank;
    for (std::size_t rank = 0; !orders.empty() && rank < job_.host_of_rank.size(); ++rank) {
        const std::size_t host = job_.host_of_rank[rank];
        const bool measures = job_.first_rank(host) == static_cast<int>(rank);
        by_rank.push_back(measures ? std::move(orders[host]) : orders.back());
    }
    return channel_.scatter(std::move(by_rank));
}

/// Runs these rounds, which rank 0 knows. Returns on rank 0 what was found; nullopt, everywhere, if
/// there are none.
std::optional<std::vector<RoundWindows>> Measurement::run_streams(
    const std::vector<StreamRound>& rounds) {
    std::vector<std::string> orders;
    if (is_conductor()) orders = pack(rounds, job_.ranks_of_host.size());
    std::vector<StreamRound> own = unpack_rounds(hand_out(std::move(orders)));
    if (own.empty()) return std::nullopt;
    const std::vector<std::string> told = channel_.gather(player_->play(std::move(own)));
    return is_conductor() ? read_rounds(job_, rounds, told) : std::vector<RoundWindows>();
}

/// Takes the steps of a plan, which only rank 0 has; the others have none.
void Measurement::take_steps(const std::string& stage, StepPlan* plan) {
    for (;;) {
        tell(stage);
        std::optional<LatencyStep> step;
        std::vector<std::string> orders;
        if (plan) {
            step = plan->next(elapsed());
            orders = pack(step, job_.ranks_of_host.size());
        }
        const std::optional<LatencyPart> own = unpack_part(hand_out(std::move(orders)));
        if (!own) return;
        const Timed played = play(channel_, job_, *own);
        WireWriter to;
        to(played.waits, played.passages);
        std::vector<std::string> found = channel_.gather(to.bytes());
        if (!plan) continue;
        std::vector<Timed> timed;
        for (const auto& ranks : job_.ranks_of_host) {
            const std::string bytes = std::move(found[static_cast<std::size_t>(ranks.front())]);
            WireReader from(bytes);
            Timed& own_times = timed.emplace_back();
            from(own_times.waits, own_times.passages);
        }
        plan->record(*step, timed, elapsed());
    }
}

void Measurement::measure_latencies() {
    std::optional<LatencyPlan> plan;
    if (is_conductor())
        plan.emplace(job_.ranks_of_host.size(), options_.budget.value, options_.tolerance);
    take_steps("latencies", plan ? &*plan : nullptr);
    if (plan) {
        findings_.clusters = plan->found().clusters();
        findings_.latencies = plan->found().latencies();
        findings_.warnings = plan->warnings();
        noisy_ = plan->found().noisy();
        if (!options_.symmetric)
            findings_.asymmetry = find_asymmetry(plan->found().passages(), findings_.latencies,
                                                 findings_.clusters, noisy_);
        disturbed_ = plan->disturbed();
    }
}

/// From now on what rank 0 tells all crosses the way to each cluster of hosts once, and so does
/// what it is told. Those of a cluster hear it at nearly the same time.
void Measurement::speak_by(const std::vector<std::vector<std::size_t>>& clusters) {
    std::vector<std::vector<int>> groups;
    for (const auto& cluster : clusters) {
        auto& group = groups.emplace_back();
        for (const std::size_t host : cluster)
            group.insert(group.end(), job_.ranks_of_host[host].begin(),
                         job_.ranks_of_host[host].end());
    }
    channel_.speak_by(groups);
}

/// Tells hosts apart that latencies don't.
void Measurement::measure_cards() {
    std::optional<CardPlan> plan;
    const double until = elapsed() + cards_share * (options_.budget.value - elapsed());
    if (is_conductor()) plan.emplace(findings_.clusters, findings_.latencies, disturbed_, until);
    take_steps("cards", plan ? &*plan : nullptr);
    if (plan) findings_.clusters = plan->clusters();
}

}  // namespace espalier::measure
