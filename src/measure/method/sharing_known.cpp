// What a SharingPlan knows by now.

#include "core/infinity.hpp"
#include "core/statistics.hpp"
#include "measure/method/evidence.hpp"
#include "measure/method/probe.hpp"
#include "measure/method/sharing_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace espalier::measure {

/// The bytes per second that one stream may get where the path carries so many.
double SharingPlan::within_ports(std::size_t from, std::size_t to, double carried) const {
    for (const std::size_t c : {from, to})
        if (const double port = surroundings_.alone(c, c); port > 0)
            carried = std::min(carried, port);
    return carried < infinity ? carried : 0;
}

/// What one stream may get from cluster to cluster by what was found that it shares; 0 if nothing.
double SharingPlan::of_shared(std::size_t from, std::size_t to) const {
    double carried = infinity;
    for (const Bottleneck& found : explained().bottlenecks)
        if (found.covers(from, to)) carried = std::min(carried, found.capacity);
    return carried < infinity ? within_ports(from, to, std::min(carried, train_limit(from, to)))
                              : 0;
}

/// What one stream gets from cluster to cluster, as far as it was seen; 0 if it was not.
double SharingPlan::pace(std::size_t from, std::size_t to) const {
    if (!floods_) return measured_alone_(from, to);
    const double carried = carried_(from, to);
    return carried > 0 ? within_ports(from, to, carried) : of_shared(from, to);
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

/// What the path of each site carries by what was found, or at least by what it was seen to carry.
/// A path that was never tried is presumed to be like the usual one of the others; infinity where
/// there is none.
std::vector<double> SharingPlan::least_of_paths(Bottleneck::Place place) const {
    const Evidence seen(surroundings_, evidence());
    std::vector<double> least;
    std::vector<double> tried;
    for (const Clusters& site : sites_) {
        const Bottleneck path = path_of(site, place);
        double& own = least.emplace_back(infinity);
        for (const Bottleneck& found : explained().bottlenecks)
            if (found.covers(path)) own = std::min(own, found.capacity);
        if (const double most = seen.most(path); own == infinity && most > 0) own = most;
        if (own < infinity) tried.push_back(own);
    }
    if (!tried.empty()) std::ranges::replace(least, infinity, median(tried));
    return least;
}

Matrix<double> SharingPlan::sure_paces() const {
    Matrix<double> paces = this->paces();
    if (!floods_) return paces;
    const std::vector<double> out = least_of_paths(Bottleneck::Place::out);
    const std::vector<double> in = least_of_paths(Bottleneck::Place::in);
    for (std::size_t from = 0; from < sites_.size(); ++from)
        for (std::size_t to = 0; to < sites_.size(); ++to) {
            if (from == to) continue;
            const double least = std::min(out[from], in[to]);
            for (const std::size_t i : sites_[from])
                for (const std::size_t j : sites_[to])
                    if (carried_(i, j) == 0) paces(i, j) = std::min(paces(i, j), least);
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

void SharingPlan::learn(const PlayedRound& round) {
    const auto& [planned, rates] = round;
    if (planned.kind == StreamKind::train) {
        learn_trains(round);
        return;
    }
    std::vector<RoundRates> windows;
    std::vector<double> totals;
    const std::size_t count = rates.front().size();
    for (std::size_t w = 0; w == 0 || w + 1 < count; ++w) {
        windows.push_back(window(planned, rates, w, std::min(w + 2, count)));
        double& total = totals.emplace_back(0);
        for (const StreamRate& stream : windows.back()) total += stream.rate;
    }
    const RoundRates mean = mean_of(windows, totals);
    const std::size_t last = count - 1;
    const std::size_t before = std::max<std::size_t>(last, 1) - 1;
    const RoundEnd end{window(planned, rates, last, count),
                       window(planned, rates, before, before + 1)};
    if (planned.kind == StreamKind::alone) learn_alone(mean, planned.one_way);
    if (planned.in_pairs) learn_carried(mean, end);
    if (floods_) learn_cards(mean);
    drop_refuted_trains(mean);
    rounds_.push_back(mean);
    ends_.push_back(end);
    if (planned.kind == StreamKind::flood) flooded_.push_back(unit_pairs(planned.ends));
}

/// Learns what the card of a host that is a cluster by itself carries, which nobody inside can
/// tell: the most that all its streams of a round got.
void SharingPlan::learn_cards(const RoundRates& round) {
    std::vector<double> out(surroundings_.clusters(), 0);
    std::vector<double> in(out);
    for (const StreamRate& stream : round) {
        out[stream.from_cluster] += stream.rate;
        in[stream.to_cluster] += stream.rate;
    }
    for (std::size_t c = 0; c < out.size(); ++c) {
        if (make_.hosts({c}) > 1) continue;
        double& card = surroundings_.alone(c, c);
        card = std::max({card, out[c], in[c]});
    }
    presume();
}

/// What streams got in all windows in which they got nearly as much as in the best: connections
/// that are still beginning say nothing of their paths.
RoundRates SharingPlan::mean_of(const std::vector<RoundRates>& windows,
                                const std::vector<double>& totals) {
    const double most = *std::ranges::max_element(totals);
    RoundRates mean = windows.front();
    for (StreamRate& stream : mean) stream.rate = 0;
    double counted = 0;
    for (std::size_t w = 0; w < windows.size(); ++w) {
        if (totals[w] < Evidence::full * most) continue;
        ++counted;
        for (std::size_t k = 0; k < mean.size(); ++k) mean[k].rate += windows[w][k].rate;
    }
    for (StreamRate& stream : mean) stream.rate /= counted;
    return mean;
}

/// What streams got in windows begin .. end - 1: as many as even out that receivers do not begin to
/// count at the same time, and that queues fill and drain.
RoundRates SharingPlan::window(const PlannedRound& planned, const RoundWindows& rates,
                               std::size_t begin, std::size_t end) {
    RoundRates found;
    for (std::size_t k = 0; k < planned.ends.size(); ++k) {
        const StreamEnds& ends = planned.ends[k];
        double rate = 0;
        for (std::size_t w = begin; w < end; ++w) rate += rates[k][w];
        found.push_back({ends.from, ends.to, ends.from_cluster, ends.to_cluster,
                         rate / static_cast<double>(end - begin)});
    }
    return found;
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

/// What all streams between two units get together.
Matrix<double> SharingPlan::between_units(const RoundRates& round) const {
    Matrix<double> between(carried_.rows(), carried_.columns(), 0);
    for (const StreamRate& stream : round)
        for (const std::size_t i : unit_of(stream.from_cluster, stream.to_cluster))
            for (const std::size_t j : unit_of(stream.to_cluster, stream.from_cluster))
                between(i, j) += stream.rate;
    return between;
}

/// Learns that, but of what was still rising.
void SharingPlan::learn_carried(const RoundRates& round, const RoundEnd& end) {
    const Matrix<double> between = between_units(round);
    const Matrix<double> last = between_units(end.last);
    const Matrix<double> before = between_units(end.before);
    for (std::size_t i = 0; i < between.rows(); ++i)
        for (std::size_t j = 0; j < between.columns(); ++j)
            if (!still_rises(before(i, j), last(i, j)))
                carried_(i, j) = std::max(carried_(i, j), between(i, j));
}

/// The path out of a site to all others, or the path in.
Bottleneck SharingPlan::path_of(const Clusters& site, Bottleneck::Place place) const {
    Clusters others;
    for (std::size_t c = 0; c < surroundings_.clusters(); ++c)
        if (!std::ranges::binary_search(site, c)) others.push_back(c);
    const bool out = place == Bottleneck::Place::out;
    return {out ? site : others, out ? others : site, false, place};
}

/// Drops what was concluded from the rounds before.
void SharingPlan::forget() {
    concluded_.reset();
    expected_.clear();
}

const SharingPlan::Concluded& SharingPlan::concluded() const {
    if (concluded_) return *concluded_;
    Concluded all{{}, rounds_, explain(surroundings_, rounds_), {}};
    std::ranges::copy_if(
        agreed_trains_, std::back_inserter(all.trains), [&](const StreamRate& train) {
            return std::ranges::none_of(all.explanation.bottlenecks, [&](const Bottleneck& found) {
                return gainsays(found, train);
            });
        });
    if (!all.trains.empty()) {
        for (const StreamRate& train : all.trains) all.rounds.push_back({train});
        all.explanation = explain(surroundings_, all.rounds);
    }
    all.confirmed = all.explanation.bottlenecks;
    add_lines(all.trains, all.explanation.bottlenecks);
    return concluded_.emplace(std::move(all));
}

bool SharingPlan::knows_all_shared() const {
    if (complete()) return true;
    const Evidence seen(surroundings_, evidence());
    for (std::size_t i = 0; i < surroundings_.clusters(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const bool is_stated = std::ranges::any_of(
                explained().bottlenecks,
                [&](const Bottleneck& found) { return found.covers(i, j) || found.covers(j, i); });
            const double alone = std::max(surroundings_.pace(i, j), surroundings_.pace(j, i));
            if (!is_stated && seen.most({{j}, {i}, true}) <= clearly_more * alone) return false;
        }
    return true;
}

std::vector<Bottleneck> SharingPlan::bottlenecks() const {
    std::vector<Bottleneck> found = explained().bottlenecks;
    if (!knows_all_shared()) {
        // What is not stated for want of time is presumed, so that it explains what was seen, too.
        Surroundings presuming = surroundings_;
        presuming.pairs_share_alone = true;
        found = explain(presuming, evidence()).bottlenecks;
        add_lines(concluded().trains, found);
    }
    if (floods_) add_other_ends(found);
    return found;
}

/// What two sites alone were seen to fill may be the path out of the one or the path in to the
/// other: where it is stated of one of them, it is presumed of the other.
void SharingPlan::add_other_ends(std::vector<Bottleneck>& found) const {
    const Evidence seen(surroundings_, evidence());
    const std::vector<Bottleneck> stated = found;
    for (const Bottleneck& path : stated) {
        if (path.both ||
            (path.place != Bottleneck::Place::out && path.place != Bottleneck::Place::in))
            continue;
        const auto pair = seen.sole_pair(path);
        if (!pair) continue;
        const auto presume = [&](std::size_t site, Bottleneck::Place place) {
            Bottleneck other = path_of(surroundings_.sites[site], place);
            other.capacity = other.apart = path.capacity;
            if (!told(found, other, 0)) found.push_back(std::move(other));
        };
        presume(pair->first, Bottleneck::Place::out);
        presume(pair->second, Bottleneck::Place::in);
    }
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
    for (std::size_t r = 0; r < rounds_.size(); ++r)
        for (std::size_t k = 0; k < rounds_[r].size(); ++k) {
            if (explained().unexplained[r][k] &&
                !still_rises(ends_[r].before[k].rate, ends_[r].last[k].rate))
                ++open;
            ++all;
        }
    if (open > 0)
        lines.push_back(
            fmt::format("{} of {} streams that ran at the same time were slower than "
                        "alone for a reason that was not found",
                        open, all));
    return lines;
}

}  // namespace espalier::measure
