#include "measure/method/sharing_plan.hpp"

#include "core/infinity.hpp"
#include "measure/method/tournament.hpp"

#include <algorithm>
#include <array>

namespace espalier::measure {

namespace {

/// Rounds in which one stream goes from each site to another, at most.
constexpr std::size_t most_alone = 6;
/// The number of times that streams which may get more are tried again.
constexpr std::size_t most_again = 4;
constexpr std::size_t most_answers = 40;

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
            plan_floods(elapsed);
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

/// Where there is no time for single streams and hubs: all sites to all others. Then, in each two
/// rounds, the sites that have a bit of their number set send to those that have not, and these to
/// them.
void SharingPlan::plan_floods(double elapsed) {
    const std::size_t sites = sites_.size();
    if (!conditions_.noisy || sites < 2) return;
    const Planned single{make_.singles(sites_, 1), StreamKind::alone, false, {}};
    const auto rounds = static_cast<double>(std::min(sites - 1, most_alone) + sites + 1);
    if (slower_ * duration(timed(single)) * rounds < until_ - elapsed) return;
    planned_.push_back({make_.flood(sites_, sites_), StreamKind::flood, false, {}});
    for (std::size_t bit = 1; bit < sites; bit *= 2) {
        Units with;
        Units without;
        for (std::size_t site = 0; site < sites; ++site)
            ((site & bit) != 0 ? with : without).push_back(sites_[site]);
        for (Ends& ends : std::array{make_.flood(without, with), make_.flood(with, without)})
            planned_.push_back({std::move(ends), StreamKind::flood, false, {}});
    }
}

/// A round for what is still open: a capacity that was full only once may have been so by chance;
/// a site of which nothing was found may not have been asked for enough; pairs of sites may not
/// have met with several hosts each.
void SharingPlan::plan_answer() {
    const std::vector<Bottleneck> known = explained().bottlenecks;
    const auto ask = [&](const Bottleneck& bottleneck) {
        if (!asked_.insert(bottleneck.pairs()).second) return false;
        planned_.push_back({make_.fill(bottleneck), StreamKind::beside_others, false, {}});
        return true;
    };
    const auto find = [&] {
        for (const Bottleneck& found : known)
            if (found.rounds < convincing && ask(found)) return;
        for (const Clusters& site : sites_)
            for (const auto place : {Bottleneck::Place::out, Bottleneck::Place::in})
                if (const Bottleneck path = path_of(site, place);
                    make_.hosts(site) > 1 && sites_.size() > 2 && !told(known, path, 0) &&
                    ask(path))
                    return;
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
    if (current_.kind == StreamKind::alone ||
        (conditions_.noisy && current_.kind == StreamKind::beside_others))
        learn_alone(found, current_.one_way);
    learn_carried(found);
    rounds_.push_back(std::move(found));
}

}  // namespace espalier::measure
