// What a SharingPlan knows by now.

#include "core/infinity.hpp"
#include "measure/method/other_direction.hpp"
#include "measure/method/probe.hpp"
#include "measure/method/sharing_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::measure {

namespace {

/// Rates that agree to this are the same.
constexpr double same_rate = 0.9;

double most_of(const std::vector<double>& rates) {
    return rates.empty() ? 0 : *std::ranges::max_element(rates);
}

}  // namespace

/// The bytes per second that one stream may get where the path carries so many.
double SharingPlan::within_ports(std::size_t from, std::size_t to, double carried) const {
    for (const std::size_t c : {from, to})
        if (const double port = surroundings_.alone(c, c); port > 0)
            carried = std::min(carried, port);
    return carried < infinity ? carried : 0;
}

/// What the path of the cluster's site carries by the explanation of the rounds; infinity if that
/// has no need of it.
double SharingPlan::full(std::size_t cluster, Bottleneck::Place place) const {
    const Bottleneck path = path_of(sites_[site_of(cluster)], place);
    double least = infinity;
    for (const Bottleneck& found : explained().bottlenecks)
        if (found.covers(path)) least = std::min(least, found.capacity);
    return least;
}

/// The same; or what it carried most, where that was as much whoever was at the other end, or
/// nothing else tells why it was no more.
double SharingPlan::limit(std::size_t cluster, Bottleneck::Place place) const {
    const std::size_t site = site_of(cluster);
    const auto [known, is_new] = limits_.try_emplace({site, place}, infinity);
    if (!is_new) return known->second;
    known->second = full(cluster, place);
    if (known->second < infinity) return known->second;
    const auto& seen = (place == Bottleneck::Place::out ? out_ : in_)[cluster];
    const double most = most_of(seen);
    const auto like_most =
        std::ranges::count_if(seen, [&](double rate) { return rate >= same_rate * most; });
    if (like_most >= std::ptrdiff_t{convincing} || may_be_full(path_of(sites_[site], place)))
        known->second = most;
    return known->second;
}

/// What one stream may get from cluster to cluster by what was seen at its ends; 0 if nothing was.
double SharingPlan::of_ends(std::size_t from, std::size_t to) const {
    double carried = infinity;
    if (site_of(from) != site_of(to))
        carried = std::min(limit(from, Bottleneck::Place::out), limit(to, Bottleneck::Place::in));
    // An end that was not full may carry more than was seen.
    if (carried == infinity) carried = std::min(most_of(out_[from]), most_of(in_[to]));
    return within_ports(from, to, carried);
}

/// What one stream gets from cluster to cluster, as far as it was seen; 0 if it was not.
double SharingPlan::pace(std::size_t from, std::size_t to) const {
    if (!conditions_.noisy) return measured_alone_(from, to);
    const double carried = carried_(from, to);
    return std::max(measured_alone_(from, to),
                    carried > 0 ? within_ports(from, to, carried) : of_ends(from, to));
}

/// Which of the sites the cluster belongs to.
std::size_t SharingPlan::site_of(std::size_t cluster) const {
    const auto site = std::ranges::find_if(sites_, [&](const Clusters& clusters) {
        return std::ranges::binary_search(clusters, cluster);
    });
    return static_cast<std::size_t>(site - sites_.begin());
}

Matrix<double> SharingPlan::paces() const {
    Matrix<double> paces(measured_alone_.rows(), measured_alone_.columns(), 0);
    for (std::size_t i = 0; i < paces.rows(); ++i)
        for (std::size_t j = 0; j < paces.columns(); ++j) {
            if (i == j) continue;
            const double known = pace(i, j);
            paces(i, j) = known > 0 ? known : surroundings_.pace(i, j);
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

/// Learns what all streams from a unit, to one, and between two get together.
void SharingPlan::learn_carried(const RoundRates& round, bool in_pairs) {
    std::vector<double> out(out_.size(), 0);
    std::vector<double> in(in_.size(), 0);
    Matrix<double> between(out_.size(), out_.size(), 0);
    for (const StreamRate& stream : round) {
        const Clusters& from = unit_of(stream.from_cluster, stream.to_cluster);
        const Clusters& to = unit_of(stream.to_cluster, stream.from_cluster);
        for (const std::size_t i : from) out[i] += stream.rate;
        for (const std::size_t j : to) in[j] += stream.rate;
        for (const std::size_t i : from)
            for (const std::size_t j : to) between(i, j) += stream.rate;
    }
    for (std::size_t c = 0; c < out.size(); ++c) {
        if (out[c] > 0) out_[c].push_back(out[c]);
        if (in[c] > 0) in_[c].push_back(in[c]);
        for (std::size_t j = 0; in_pairs && j < in.size(); ++j)
            carried_(c, j) = std::max(carried_(c, j), between(c, j));
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

/// Whether something that was not found held streams back on the path when it carried most.
bool SharingPlan::may_be_full(const Bottleneck& path) const {
    std::vector<double> carried(rounds_.size(), 0);
    for (std::size_t r = 0; r < rounds_.size(); ++r)
        for (const StreamRate& stream : rounds_[r])
            if (path.covers(stream.from_cluster, stream.to_cluster)) carried[r] += stream.rate;
    const double most = most_of(carried);
    for (std::size_t r = 0; r < rounds_.size(); ++r)
        for (std::size_t k = 0; carried[r] >= same_rate * most && k < rounds_[r].size(); ++k)
            if (explained().unexplained[r][k] &&
                path.covers(rounds_[r][k].from_cluster, rounds_[r][k].to_cluster))
                return true;
    return false;
}

/// Adds that a site's path of which nothing else is known carries no more than it was seen to, if
/// its hosts could send or receive more and nothing else says why they did not.
void SharingPlan::presume_paths(std::vector<Bottleneck>& found) const {
    for (const Clusters& site : sites_)
        for (const auto place : {Bottleneck::Place::out, Bottleneck::Place::in}) {
            Bottleneck path = path_of(site, place);
            if (told(found, path, 0)) continue;
            double ports = 0;
            for (const std::size_t c : site)
                ports +=
                    surroundings_.alone(c, c) * static_cast<double>(surroundings_.hosts[c].size());
            path.capacity = path.apart = limit(site.front(), place);
            if (path.capacity > 0 && path.capacity < same_rate * ports)
                found.push_back(std::move(path));
        }
}

/// Whether rounds were left out that tell slow streams from narrow paths.
bool SharingPlan::in_haste() const { return conditions_.noisy && left_out_ > 0; }

/// Drops what was concluded from the rounds before.
void SharingPlan::forget() {
    explained_.reset();
    limits_.clear();
}

const Explanation& SharingPlan::explained() const {
    if (!explained_) explained_ = explain(surroundings_, rounds_, in_haste());
    return *explained_;
}

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
                        left_out_, left_out_ + played_.size()));
    std::size_t open = 0;
    std::size_t all = 0;
    for (const auto& round : explained().unexplained) {
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
