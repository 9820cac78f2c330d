#include "measure/method/alike.hpp"

#include "core/statistics.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace espalier::measure {

namespace {

/// One of so many meetings is taken to be undisturbed.
constexpr std::size_t one_in = 10;
/// By how many usual disturbances the best of many meetings may be off.
constexpr double chance = 2;

double undisturbed(std::vector<double> times) {
    const auto place = times.begin() + static_cast<std::ptrdiff_t>(times.size() / one_in);
    std::ranges::nth_element(times, place);
    return *place;
}

/// How much longer a meeting in these groups usually takes than the best meeting of the same two,
/// in seconds one way.
double disturbance(const std::vector<std::vector<std::size_t>>& groups, const Meetings& meetings) {
    std::vector<double> extra;
    for (const auto& group : groups)
        for (std::size_t a = 0; a < group.size(); ++a)
            for (std::size_t b = a + 1; b < group.size(); ++b) {
                const auto& times = meetings(group[a], group[b]);
                if (times.empty()) continue;
                extra.push_back((median(times) - minimum(times)) / 2);
            }
    return extra.empty() ? 0 : median(extra);
}

}  // namespace

std::vector<std::vector<std::size_t>> alike(const std::vector<std::size_t>& hosts,
                                            const std::vector<std::vector<std::size_t>>& groups,
                                            const LatencyMatrix& latencies,
                                            const Meetings& meetings, double tolerance) {
    const double blur = chance * disturbance(groups, meetings);
    std::vector<std::optional<std::size_t>> place_of(latencies.size());
    for (std::size_t place = 0; place < hosts.size(); ++place) place_of[hosts[place]] = place;
    LatencyMatrix best(hosts.size());
    LatencyMatrix good = best;
    for (const std::size_t host : hosts)
        for (const auto& [other, latency] : latencies.from(host)) {
            if (!latency || !place_of[other]) continue;
            const auto& times = meetings(host, other);
            const std::size_t a = *place_of[host];
            const std::size_t b = *place_of[other];
            best.at(a, b) = (times.empty() ? *latency : minimum(times) / 2) + blur;
            good.at(a, b) = (times.empty() ? *latency : undisturbed(times) / 2) + blur;
        }
    auto found = joined(partition_hosts(best, tolerance), partition_hosts(good, tolerance));
    for (auto& group : found)
        for (std::size_t& host : group) host = hosts[host];
    return found;
}

std::vector<std::vector<std::size_t>> joined(const std::vector<std::vector<std::size_t>>& a,
                                             std::vector<std::vector<std::size_t>> b) {
    for (const auto& group : a) {
        // All groups of b that it touches become the first of them.
        const auto touches = [&](const auto& other) {
            return std::ranges::any_of(
                other, [&](std::size_t x) { return std::ranges::find(group, x) != group.end(); });
        };
        const auto first = std::ranges::find_if(b, touches);
        for (auto other = std::next(first); other != b.end();) {
            if (!touches(*other)) {
                ++other;
                continue;
            }
            first->insert(first->end(), other->begin(), other->end());
            other = b.erase(other);
        }
        std::ranges::sort(*first);
    }
    std::ranges::sort(b);
    return b;
}

}  // namespace espalier::measure
