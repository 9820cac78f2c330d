#include "measure/method/sharing_plan.hpp"

#include "core/infinity.hpp"
#include "measure/method/other_direction.hpp"
#include "measure/method/probe.hpp"
#include "measure/method/tournament.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace espalier::measure {

namespace {

/// Rounds in which one stream goes from each site to another, at most.
constexpr std::size_t most_alone = 6;
/// The number of times that streams which may get more are tried again.
constexpr std::size_t most_again = 4;
constexpr std::ptrdiff_t convincing_tries = 3;
/// Rates that agree to this are the same.
constexpr double same_rate = 0.9;
constexpr std::size_t most_answers = 40;
/// The number of rounds in which a capacity has to be full to be believed.
constexpr std::size_t convincing = 2;
/// Rates that differ by more than this factor are not the same.
constexpr double clearly_more = 1.2;

}  // namespace

SharingPlan::SharingPlan(Surroundings surroundings, Matrix<double> round_trips, double until,
                         StreamConditions conditions)
    : surroundings_(std::move(surroundings)),
      round_trips_(std::move(round_trips)),
      until_(until),
      make_(surroundings_.hosts),
      sites_(surroundings_.sites),
      measured_alone_(surroundings_.clusters(), surroundings_.clusters(), 0),
      out_(surroundings_.clusters(), 0),
      in_(surroundings_.clusters(), 0),
      conditions_(conditions) {
    surroundings_.presumed = measured_alone_;
    // Without noise a stream alone is soon measured, and may be slower than its ends for good.
    for (std::size_t i = 0; conditions_.noisy && i < surroundings_.clusters(); ++i)
        for (std::size_t j = 0; j < surroundings_.clusters(); ++j)
            if (i != j) surroundings_.presumed(i, j) = within_ports(i, j, infinity);
    for (const Clusters& site : surroundings_.sites) {
        if (site.size() < 2) continue;
        Units& inside = insides_.emplace_back();
        for (const std::size_t c : site) inside.push_back({c});
    }
    // Each next to its nearest, so that half a turn leads far away.
    for (std::size_t k = 1; k + 1 < sites_.size(); ++k) {
        const std::size_t last = sites_[k - 1].front();
        const auto place = sites_.begin() + static_cast<std::ptrdiff_t>(k);
        std::iter_swap(
            place, std::min_element(place, sites_.end(), [&](const Clusters& a, const Clusters& b) {
                return round_trips_(last, a.front()) < round_trips_(last, b.front());
            }));
    }
}

StreamRound SharingPlan::timed(const Planned& planned) const {
    if (!conditions_.noisy)
        return make_round(planned.ends, planned.kind, surroundings_.alone, round_trips_,
                          conditions_.eager);
    Matrix<double> paces = this->paces();
    // A bad beginning makes no slow path.
    for (const StreamEnds& ends : planned.ends) {
        double& pace = paces(ends.from_cluster, ends.to_cluster);
        pace = std::max(pace, of_ends(ends.from_cluster, ends.to_cluster));
    }
    return make_round(planned.ends, planned.kind, paces, round_trips_, conditions_.eager);
}

/// The k-th round of all sites is one.
void SharingPlan::plan_insides(const std::vector<std::vector<Ends>>& by_site, StreamKind kind) {
    std::vector<Planned> rounds;
    for (const auto& site : by_site)
        for (std::size_t k = 0; k < site.size(); ++k) {
            if (k == rounds.size()) rounds.push_back({{}, kind, false, {}});
            rounds[k].ends.insert(rounds[k].ends.end(), site[k].begin(), site[k].end());
        }
    planned_.insert(planned_.end(), rounds.begin(), rounds.end());
}

void SharingPlan::plan_stage(double elapsed) {
    const std::size_t sites = sites_.size();
    const auto plan = [&](Ends ends) {
        planned_.push_back({std::move(ends), StreamKind::beside_others, false, {}});
    };
    const auto inside = [&](const auto& make, StreamKind kind = StreamKind::beside_others) {
        std::vector<std::vector<Ends>> by_site;
        for (const Units& units : insides_) by_site.push_back(make(units));
        plan_insides(by_site, kind);
    };
    switch (stage_) {
        case Stage::flood:
            plan_floods();
            break;
        case Stage::alone:
            for (std::size_t shift = 1; shift < std::min(sites, most_alone + 1); ++shift)
                planned_.push_back(
                    {make_.singles(sites_, shift), StreamKind::alone, false, all_paths(shift)});
            break;
        case Stage::again:
            plan_again();
            if (!planned_.empty()) return;
            break;
        case Stage::across:
            if (sites > 1) plan(make_.across(sites_, sites / 2));
            break;
        case Stage::hubs: {
            const Planned one{
                make_.across(sites_, sites / 2), StreamKind::beside_others, false, {}};
            const bool each_by_itself =
                slower_ * duration(timed(one)) * static_cast<double>(sites + 1) < until_ - elapsed;
            for (Ends& ends : make_.hubs(sites_, !each_by_itself)) plan(std::move(ends));
            break;
        }
        case Stage::both_ways:
            if (sites > 1) plan(make_.both_ways(sites_));
            break;
        case Stage::one_way:
            if (sites > 1)
                planned_.push_back({make_.one_way(sites_, 0, false), StreamKind::alone, true, {}});
            break;
        case Stage::all_one_way:
            for (std::size_t round = 0; directions_share_ && round < tournament_rounds(sites);
                 ++round)
                for (const bool back : {false, true})
                    if (round > 0 || back)
                        planned_.push_back(
                            {make_.one_way(sites_, round, back), StreamKind::alone, true, {}});
            break;
        case Stage::insides_alone:
            inside(
                [&](const Units& units) {
                    std::vector<Ends> rounds;
                    for (std::size_t s = 1; s < std::min(units.size(), most_alone + 1); ++s)
                        rounds.push_back(make_.singles(units, s));
                    return rounds;
                },
                StreamKind::alone);
            break;
        case Stage::insides_across:
            inside([&](const Units& units) {
                return std::vector<Ends>{make_.across(units, units.size() / 2)};
            });
            break;
        case Stage::insides_hubs:
            inside([&](const Units& units) { return make_.hubs(units, true); });
            break;
        case Stage::answers:
            plan_answer();
            return;
        case Stage::done:
            return;
    }
    stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
}

std::vector<SharingPlan::Path> SharingPlan::all_paths(std::size_t shift) const {
    std::vector<Path> paths;
    for (std::size_t site = 0; site < sites_.size(); ++site) paths.emplace_back(site, shift);
    return paths;
}

/// Single streams once more where they may get more; in each round one from each site, and to each.
void SharingPlan::plan_again() {
    if (!conditions_.noisy || again_++ == most_again) return;
    std::vector<Path> open;
    for (const auto& [path, rates] : tries_)
        if (!is_settled(path)) open.push_back(path);
    while (!open.empty()) {
        Planned round{{}, StreamKind::alone, false, {}};
        std::map<std::size_t, std::size_t> sources;
        std::set<std::size_t> sinks;
        std::vector<Path> later;
        for (const Path& path : open) {
            const auto& [site, shift] = path;
            const std::size_t sink = (site + shift) % sites_.size();
            // What goes the other way delays the acknowledgements.
            const auto back = sources.find(sink);
            const bool meets = back != sources.end() && back->second == site;
            if (sources.contains(site) || sinks.contains(sink) || meets) {
                later.push_back(path);
                continue;
            }
            sources.emplace(site, sink);
            sinks.insert(sink);
            round.ends.push_back(make_.singles(sites_, shift, again_)[site]);
            round.paths.push_back(path);
        }
        planned_.push_back(std::move(round));
        open = std::move(later);
    }
}

/// Whether the best of its streams was as fast as any, or others as fast as that.
bool SharingPlan::is_settled(const Path& path) const {
    double fastest = 0;
    for (const auto& [any, rates] : tries_)
        fastest = std::max(fastest, *std::max_element(rates.begin(), rates.end()));
    const auto& rates = tries_.at(path);
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

/// What one stream gets from cluster to cluster, as far as it was seen, alone or beside others.
double SharingPlan::pace(std::size_t from, std::size_t to) const {
    if (measured_alone_(from, to) > 0) return measured_alone_(from, to);
    return of_ends(from, to);
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

/// All sites to all others. Then, in each two rounds, the sites that have a bit of their number set
/// send to those that have not, and these to them.
void SharingPlan::plan_floods() {
    if (!conditions_.noisy) return;
    planned_.push_back({make_.flood(sites_, sites_), StreamKind::flood, false, {}});
    for (std::size_t bit = 1; bit < sites_.size(); bit *= 2) {
        Units with;
        Units without;
        for (std::size_t site = 0; site < sites_.size(); ++site)
            ((site & bit) != 0 ? with : without).push_back(sites_[site]);
        for (Ends& ends : std::array{make_.flood(without, with), make_.flood(with, without)})
            planned_.push_back({std::move(ends), StreamKind::flood, false, {}});
    }
}

/// A round for what is still open: a capacity that was full only once may have been so by chance;
/// a site of which nothing was found may not have been asked for enough; pairs of sites may not
/// have met with several hosts each.
void SharingPlan::plan_answer() {
    const Explanation known = explain(surroundings_, rounds_);
    const auto ask = [&](const Bottleneck& bottleneck) {
        if (!asked_.insert(bottleneck.pairs()).second) return false;
        planned_.push_back({make_.fill(bottleneck), StreamKind::beside_others, false, {}});
        return true;
    };
    const auto find = [&] {
        for (const Bottleneck& found : known.bottlenecks)
            if (found.rounds < convincing && ask(found)) return;
        for (const Clusters& site : sites_) {
            Clusters others;
            for (std::size_t c = 0; c < surroundings_.clusters(); ++c)
                if (!std::binary_search(site.begin(), site.end(), c)) others.push_back(c);
            for (const Bottleneck& bottleneck :
                 {Bottleneck{site, others, false}, Bottleneck{others, site, false}})
                if (make_.hosts(site) > 1 && sites_.size() > 2 && !told(known, bottleneck, 0) &&
                    ask(bottleneck))
                    return;
        }
        for (const Clusters& from : sites_)
            for (const Clusters& to : sites_) {
                if (&from == &to || make_.hosts(from) < 2 || make_.hosts(to) < 2) continue;
                const double alone = surroundings_.alone(from.front(), to.front());
                const Bottleneck bottleneck{from, to, false};
                if (!told(known, bottleneck, clearly_more * alone) && ask(bottleneck)) return;
            }
    };
    if (answered_++ < most_answers) find();
    if (planned_.empty()) stage_ = Stage::done;
}

/// Whether a capacity that was found holds for all of `bottleneck`, and, if `most` is positive, is
/// no more than that.
bool SharingPlan::told(const Explanation& known, const Bottleneck& bottleneck, double most) {
    const auto pairs = bottleneck.pairs();
    return std::any_of(known.bottlenecks.begin(), known.bottlenecks.end(),
                       [&](const Bottleneck& found) {
                           return (most <= 0 || found.capacity <= most) &&
                                  std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
                                      return found.covers(pair.first, pair.second);
                                  });
                       });
}

std::optional<StreamRound> SharingPlan::next(double elapsed) {
    for (;;) {
        while (planned_.empty() && stage_ != Stage::done) plan_stage(elapsed);
        if (planned_.empty()) return std::nullopt;
        current_ = std::move(planned_.front());
        planned_.pop_front();
        StreamRound round = timed(current_);
        const double spare = (until_ - elapsed) / slower_ - duration(round);
        if (spare >= 0) {
            // Connections get faster for a long time, which what no other round can use gives them.
            if (current_.kind == StreamKind::flood && spare < duration(round)) {
                round.warm_up += spare / 2;
                round.span += spare / 2;
            }
            began_ = elapsed;
            takes_ = duration(round);
            return round;
        }
        ++left_out_;
    }
}

/// The site of a cluster, or the cluster alone if the other one is of that site, too.
const SharingPlan::Clusters& SharingPlan::unit_of(std::size_t cluster, std::size_t other) const {
    const auto has = [](std::size_t c) {
        return
            [c](const Clusters& unit) { return std::binary_search(unit.begin(), unit.end(), c); };
    };
    const auto site = std::find_if(sites_.begin(), sites_.end(), has(cluster));
    if (!has(other)(*site)) return *site;
    for (const Units& units : insides_)
        if (const auto unit = std::find_if(units.begin(), units.end(), has(cluster));
            unit != units.end())
            return *unit;
    return *site;
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

void SharingPlan::record(const std::vector<double>& rates, double elapsed) {
    RoundRates found;
    for (std::size_t k = 0; k < current_.ends.size(); ++k) {
        const StreamEnds& ends = current_.ends[k];
        found.push_back({ends.from, ends.to, ends.from_cluster, ends.to_cluster, rates[k]});
    }
    slower_ = std::max(1.05, (elapsed - began_) / takes_);
    for (std::size_t k = 0; k < current_.paths.size(); ++k)
        tries_[current_.paths[k]].push_back(rates[k]);
    // Beside others, a stream is no faster than alone.
    if (current_.kind == StreamKind::alone) learn_alone(found, current_.one_way);
    learn_carried(found);
    rounds_.push_back(std::move(found));
}

std::vector<Bottleneck> SharingPlan::bottlenecks() const {
    std::vector<Bottleneck> found = explain(surroundings_, rounds_).bottlenecks;
    const auto doubtful = std::stable_partition(
        found.begin(), found.end(), [](const Bottleneck& b) { return b.rounds >= convincing; });
    const std::vector<Bottleneck> rest(doubtful, found.end());
    found.erase(doubtful, found.end());
    if (left_out_ == 0) return found;
    found = with_other_directions(surroundings_, rounds_, std::move(found), rest);
    // What a stream got by chance is no bound on what its path carries.
    return conditions_.noisy ? found : with_pairs(surroundings_, rounds_, std::move(found));
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
    for (const auto& round : explain(surroundings_, rounds_).unexplained) {
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
