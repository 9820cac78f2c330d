#include "measure/method/cards.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace espalier::measure {

namespace {

/// Cards that differ by less than this factor are alike.
constexpr double clearly_faster = 1.5;
constexpr std::size_t least_hosts = 4;
/// Exchanges of two hosts, the best of which counts; partners of a host in the first try.
constexpr std::size_t exchanges = 2;
constexpr std::size_t partners = 2;
/// Tries beside as many as the number of hosts has binary digits: the first, which is made again
/// with longer messages.
constexpr std::size_t first_tries = 3;
/// Faster partners that show that a host is slow: one more than are met in the first try, in which
/// something may have held it up.
constexpr std::size_t witnesses = partners + 1;
/// The bytes of a message at first, by how many times they grow, and the most.
constexpr std::uint64_t first_bytes = 16U << 10U;
constexpr std::uint64_t longer = 8;
constexpr std::uint64_t most_bytes = 2U << 20U;
/// A message that takes less says more of the machine than of its card, in seconds.
constexpr double clear_s = 0.1e-3;
/// What a card is taken for until one is known, in bytes per second.
constexpr double some_card = 12.5e6;
/// Of what is known of latencies, messages take at least this part more, whatever noise says.
constexpr double least_part = 0.1;

/// In such an order that in the first rounds of a tournament most hosts meet some near themselves
/// in the order of names, whose cards tend to be like theirs: of hosts that meet only slow ones
/// nothing can be said.
std::vector<std::size_t> near_ones_first(const std::vector<std::size_t>& cluster) {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < cluster.size(); k += 2) order.push_back(cluster[k]);
    for (std::size_t k = cluster.size() / 2 * 2; k > 0; k -= 2) order.push_back(cluster[k - 1]);
    return order;
}

}  // namespace

CardPlan::CardPlan(std::vector<std::vector<std::size_t>> clusters, LatencyMatrix latencies,
                   bool in_turn, double until)
    : by_latency_(std::move(clusters)),
      latencies_(std::move(latencies)),
      in_turn_(in_turn),
      until_(until),
      bytes_(first_bytes),
      rates_(latencies_.size()) {}

/// Of its best exchange; 0 if there was none.
double CardPlan::rate(std::size_t host) const {
    double best = 0;
    for (const auto& [other, rate] : rates_[host]) best = std::max(best, rate);
    return best;
}

/// Whether even the fastest card's messages were too short.
bool CardPlan::says_nothing_of_cards() const {
    double fastest = 0;
    for (std::size_t host = 0; host < rates_.size(); ++host)
        fastest = std::max(fastest, rate(host));
    return static_cast<double>(bytes_) < clear_s * fastest && bytes_ < most_bytes;
}

/// Partners of a host that are clearly faster than it.
std::size_t CardPlan::faster_partners(std::size_t host) const {
    return static_cast<std::size_t>(std::ranges::count_if(rates_[host], [&](const auto& partner) {
        return rate(partner.first) > clearly_faster * rate(host);
    }));
}

/// Those that may be slow with those that are not, first those that met the fewest of these. Where
/// pairs have no turns, nobody is in two.
std::vector<std::vector<std::size_t>> CardPlan::pairs_to_try() const {
    std::vector<std::vector<std::size_t>> pairs;
    for (const auto& cluster : by_latency_) {
        const auto groups = split(cluster);
        std::vector<std::size_t> fast = groups.front();
        std::vector<std::pair<std::size_t, std::size_t>> slow;
        for (std::size_t g = 1; g < groups.size(); ++g)
            for (const std::size_t host : groups[g]) slow.emplace_back(faster_partners(host), host);
        std::ranges::sort(slow);
        for (const auto& [met, host] : slow) {
            std::size_t missing = met < witnesses ? witnesses - met : 0;
            if (!in_turn_) missing = std::min<std::size_t>(missing, 1);
            for (std::size_t k = 0; missing > 0 && k < fast.size();) {
                const std::size_t other = fast[k];
                if (rates_[host].contains(other)) {
                    ++k;
                    continue;
                }
                pairs.push_back({other, host});
                --missing;
                // Each has its turn.
                fast.erase(fast.begin() + static_cast<std::ptrdiff_t>(k));
                if (in_turn_) fast.push_back(other);
            }
        }
    }
    return pairs;
}

std::optional<LatencyStep> CardPlan::next(double elapsed) {
    const std::size_t most_tries =
        first_tries + static_cast<std::size_t>(std::bit_width(rates_.size()));
    if (tries_ == most_tries) return std::nullopt;
    const bool all = tries_ == 0 || says_nothing_of_cards();
    LatencyStep step{{}, 0, all ? partners : 1, exchanges};
    if (all) {
        for (const auto& cluster : by_latency_)
            if (cluster.size() >= least_hosts) step.groups.push_back(near_ones_first(cluster));
    } else {
        step.groups = pairs_to_try();
    }
    if (step.groups.empty()) return std::nullopt;
    // What holds a host up now and then matters less to longer messages.
    step.bytes = tries_ == 0 ? bytes_ : std::min(longer * bytes_, most_bytes);
    if (in_turn_) step = in_turn(step);
    if (!all && elapsed + seconds_of(step) > until_) step.bytes = bytes_;
    if (elapsed + seconds_of(step) > until_) return std::nullopt;
    // Shorter messages said less.
    if (all && std::exchange(bytes_, step.bytes) < step.bytes)
        for (auto& exchanged : rates_) exchanged.clear();
    return step;
}

/// What the step takes at most, if the slowest card is that of the slowest host by now.
double CardPlan::seconds_of(const LatencyStep& step) const {
    double slowest = tries_ == 0 ? some_card : infinity;
    for (std::size_t host = 0; host < rates_.size(); ++host)
        if (rate(host) > 0) slowest = std::min(slowest, rate(host));
    const double takes = 2 * static_cast<double>(exchanges * step.bytes) / slowest;
    return in_turn_ ? static_cast<double>(step.groups.size()) * (waking_s + takes)
                    : static_cast<double>(step.last) * takes;
}

void CardPlan::record(const LatencyStep& step, const std::vector<Timed>& timed,
                      double /*elapsed*/) {
    ++tries_;
    for_each_round_trip(step, timed, [&](std::size_t a, std::size_t b, double round_trip) {
        const double latency = latencies_(a, b).value_or(0);
        const double takes = std::max(round_trip / 2 - latency, least_part * latency);
        for (const auto& [host, other] : {std::pair(a, b), std::pair(b, a)}) {
            double& rate = rates_[host][other];
            rate = std::max(rate, static_cast<double>(step.bytes) / takes);
        }
    });
}

/// A cluster's hosts whose cards are alike, the fastest first.
std::vector<std::vector<std::size_t>> CardPlan::split(std::vector<std::size_t> cluster) const {
    std::ranges::stable_sort(cluster,
                             [&](std::size_t a, std::size_t b) { return rate(a) > rate(b); });
    std::vector<std::vector<std::size_t>> alike;
    for (std::size_t k = 0; k < cluster.size(); ++k) {
        if (k == 0 || rate(cluster[k - 1]) > clearly_faster * rate(cluster[k]))
            alike.emplace_back();
        alike.back().push_back(cluster[k]);
    }
    for (auto& group : alike) std::ranges::sort(group);
    return alike;
}

std::vector<std::vector<std::size_t>> CardPlan::clusters() const {
    std::vector<std::vector<std::size_t>> found;
    for (const auto& cluster : by_latency_)
        for (auto& group : split(cluster)) found.push_back(std::move(group));
    std::ranges::sort(found);
    return found;
}

}  // namespace espalier::measure
