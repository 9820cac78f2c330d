// What a SharingPlan knows by now.

#include "core/infinity.hpp"
#include "measure/method/other_direction.hpp"
#include "measure/method/probe.hpp"
#include "measure/method/sharing_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::measure {

namespace {

constexpr std::ptrdiff_t convincing_tries = 3;
/// Rates that agree to this are the same.
constexpr double same_rate = 0.9;

}  // namespace

/// Whether the best of its streams was as fast as any, or others as fast as that.
bool SharingPlan::is_settled(const Path& path) const {
    double fastest = 0;
    for (const auto& [any, rates] : tries_)
        fastest = std::max(fastest, *std::max_element(rates.begin(), rates.end()));
    const auto tries = tries_.find(path);
    if (tries == tries_.end()) return false;
    const auto& rates = tries->second;
    const double best = *std::max_element(rates.begin(), rates.end());
    const auto like_best = std::count_if(rates.begin(), rates.end(),
                                         [&](double rate) { return rate >= same_rate * best; });
    return best >= same_rate * fastest || like_best >= convincing_tries;
}

/// The bytes per second that one stream may get where the path carries so many.
double SharingPlan::within_ports(std::size_t from, std::size_t to, double carried) const {
    for (const std::size_t c : {from, to})
        if (const double port = surroundings_.alone(c, c); port > 0)
            carried = std::min(carried, port);
    return carried < infinity ? carried : 0;
}

/// What one stream may get from cluster to cluster by what was seen at its ends; 0 if nothing was.
double SharingPlan::of_ends(std::size_t from, std::size_t to) const {
    return within_ports(from, to, std::min(out_[from], in_[to]));
}

/// What one stream gets from cluster to cluster, as far as it was seen; 0 if it was not. On a noisy
/// clock it may have begun badly where no other one agrees.
double SharingPlan::pace(std::size_t from, std::size_t to) const {
    const double alone = measured_alone_(from, to);
    if (!conditions_.noisy || (alone > 0 && is_settled(path_between(from, to)))) return alone;
    return std::max(alone, of_ends(from, to));
}

/// Which of the sites the cluster belongs to.
std::size_t SharingPlan::site_of(std::size_t cluster) const {
    const auto site = std::ranges::find_if(sites_, [&](const Clusters& clusters) {
        return std::ranges::binary_search(clusters, cluster);
    });
    return static_cast<std::size_t>(site - sites_.begin());
}

SharingPlan::Path SharingPlan::path_between(std::size_t from, std::size_t to) const {
    return {site_of(from), (site_of(to) + sites_.size() - site_of(from)) % sites_.size()};
}

Matrix<double> SharingPlan::paces() const {
    Matrix<double> paces(measured_alone_.rows(), measured_alone_.columns(), 0);
    for (std::size_t i = 0; i < paces.rows(); ++i)
        for (std::size_t j = 0; j < paces.columns(); ++j) {
            if (i == j) continue;
            const double known = pace(i, j);
            paces(i, j) = known > 0 ? known : surroundings_.presumed(i, j);
        }
    return paces;
}

/// Whether a capacity that was found holds for all of `bottleneck`, and, if `most` is positive, is
/// no more than that.
bool SharingPlan::told(const std::vector<Bottleneck>& known, const Bottleneck& bottleneck,
                       double most) {
    return std::ranges::any_of(known, [&](const Bottleneck& found) {
        return (most <= 0 || found.capacity <= most) && found.covers(bottleneck);
    });
}

/// The site of a cluster, or the cluster alone if the other one is of that site, too.
const SharingPlan::Clusters& SharingPlan::unit_of(std::size_t cluster, std::size_t other) const {
    const Clusters& site = sites_[site_of(cluster)];
    if (site_of(other) != site_of(cluster)) return site;
    for (const Units& units : insides_)
        for (const Clusters& unit : units)
            if (std::ranges::binary_search(unit, cluster)) return unit;
    return site;
}

/// Learns what single streams get. The rate of one stream stands for all clusters of the two sites,
/// as far as their hosts' ports allow; those are known from inside the clusters.
void SharingPlan::learn_alone(const RoundRates& round, bool one_way) {
    for (const StreamRate& stream : round)
        for (const std::size_t i : unit_of(stream.from_cluster, stream.to_cluster))
            for (const std::size_t j : unit_of(stream.to_cluster, stream.from_cluster)) {
                double& known = measured_alone_(i, j);
                const double rate = within_ports(i, j, stream.rate);
                if (one_way && known > 0 && rate > clearly_more * known) directions_share_ = true;
                known = std::max(known, rate);
                surroundings_.alone(i, j) = known;
            }
}

/// Learns what all streams from a unit, and to one, get together.
void SharingPlan::learn_carried(const RoundRates& round) {
    std::vector<double> out(out_.size(), 0);
    std::vector<double> in(in_.size(), 0);
    for (const StreamRate& stream : round) {
        if (round_trips_(stream.from_cluster, stream.to_cluster) <= long_round_trip_s) continue;
        for (const std::size_t i : unit_of(stream.from_cluster, stream.to_cluster))
            out[i] += stream.rate;
        for (const std::size_t j : unit_of(stream.to_cluster, stream.from_cluster))
            in[j] += stream.rate;
    }
    for (std::size_t c = 0; c < out.size(); ++c) {
        out_[c] = std::max(out_[c], out[c]);
        in_[c] = std::max(in_[c], in[c]);
    }
}

/// The path out of a site to all others, or the path in.
Bottleneck SharingPlan::path_of(const Clusters& site, Bottleneck::Place place) const {
    Clusters others;
    for (std::size_t c = 0; c < surroundings_.clusters(); ++c)
        if (!std::ranges::binary_search(site, c)) others.push_back(c);
    const bool out = place == Bottleneck::Place::out;
    return {out ? site : others, out ? others : site, false, place};
}

/// Adds that a site's path of which nothing else is known carries no more than it was seen to, if
/// its hosts could send or receive more.
void SharingPlan::presume_paths(std::vector<Bottleneck>& found) const {
    for (const Clusters& site : sites_)
        for (const auto place : {Bottleneck::Place::out, Bottleneck::Place::in}) {
            Bottleneck path = path_of(site, place);
            if (told(found, path, 0)) continue;
            double ports = 0;
            for (const std::size_t c : site)
                ports +=
                    surroundings_.alone(c, c) * static_cast<double>(surroundings_.hosts[c].size());
            const auto& seen = place == Bottleneck::Place::out ? out_ : in_;
            path.capacity = path.apart = seen[site.front()];
            if (path.capacity > 0 && path.capacity < same_rate * ports)
                found.push_back(std::move(path));
        }
}

/// Whether rounds were left out that tell slow streams from narrow paths.
bool SharingPlan::in_haste() const { return conditions_.noisy && left_out_ > 0; }

Explanation SharingPlan::explained() const { return explain(surroundings_, rounds_, in_haste()); }

std::vector<Bottleneck> SharingPlan::bottlenecks() const {
    std::vector<Bottleneck> found = explained().bottlenecks;
    const auto doubtful = std::stable_partition(
        found.begin(), found.end(), [](const Bottleneck& b) { return b.rounds >= convincing; });
    const std::vector<Bottleneck> rest(doubtful, found.end());
    found.erase(doubtful, found.end());
    if (in_haste()) presume_paths(found);
    if (left_out_ == 0 || in_haste()) return found;
    return with_pairs(surroundings_, rounds_,
                      with_other_directions(surroundings_, rounds_, std::move(found), rest));
}

std::vector<std::string> SharingPlan::warnings() const {
    std::vector<std::string> lines;
    if (left_out_ > 0)
        lines.push_back(
            fmt::format("the budget left no time for {} of the {} rounds that tell "
                        "what links share",
                        left_out_, left_out_ + rounds_.size()));
    std::size_t open = 0;
    std::size_t all = 0;
    for (const Explanation known = explained(); const auto& round : known.unexplained) {
        all += round.size();
        open += static_cast<std::size_t>(std::count(round.begin(), round.end(), true));
    }
    if (open > 0)
        lines.push_back(
            fmt::format("{} of {} streams that ran at the same time were slower than "
                        "alone for a reason that was not found",
                        open, all));
    return lines;
}

}  // namespace espalier::measure
