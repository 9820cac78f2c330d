#include "measure/method/sharing_plan.hpp"

#include "core/infinity.hpp"
#include "measure/method/evidence.hpp"
#include "measure/method/filling.hpp"
#include "measure/method/splits.hpp"
#include "measure/method/tournament.hpp"

#include <algorithm>
#include <iterator>

namespace espalier::measure {

namespace {

constexpr std::size_t most_answers = 40;
/// Rounds in which one stream goes from each of the units to another.
std::size_t rounds_alone(std::size_t units) {
    constexpr std::size_t most = 6;
    return std::min(units - 1, most);
}

}  // namespace

SharingPlan::SharingPlan(Surroundings surroundings, Matrix<double> round_trips, double until,
                         StreamConditions conditions)
    : surroundings_(std::move(surroundings)),
      round_trips_(std::move(round_trips)),
      until_(until),
      make_(surroundings_.hosts),
      sites_(surroundings_.sites),
      measured_alone_(surroundings_.clusters(), surroundings_.clusters(), 0),
      carried_(measured_alone_),
      conditions_(conditions) {
    surroundings_.round_trips = round_trips_;
    for (const Clusters& site : surroundings_.sites) {
        if (site.size() < 2) continue;
        Units& inside = insides_.emplace_back();
        for (const std::size_t c : site) inside.push_back({c});
    }
    Matrix<double> distances(sites_.size(), sites_.size(), 0);
    for (std::size_t a = 0; a < sites_.size(); ++a)
        for (std::size_t b = 0; b < sites_.size(); ++b)
            if (a != b) distances(a, b) = round_trips_(sites_[a].front(), sites_[b].front());
    for (const std::vector<std::size_t>& side : splits_of_tree(distances)) {
        Clusters& group = surroundings_.groups.emplace_back();
        for (const std::size_t site : side)
            group.insert(group.end(), sites_[site].begin(), sites_[site].end());
        std::ranges::sort(group);
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
    if (conditions_.noisy) flood();
}

double SharingPlan::time_for_singles() const {
    const std::size_t sites = sites_.size();
    const StreamRound one = timed({make_.across(sites_, sites / 2)});
    const auto rounds = static_cast<double>(rounds_alone(sites) + sites + 1);
    const double orders = 3;  // a stage each
    return slower_ * (rounds * until_next(one) +
                      orders * (duration(one) - until_next(one) + time_to_order(one)));
}

void SharingPlan::flood() {
    floods_ = true;
    stage_ = conditions_.noisy ? Stage::trains : Stage::halves;
    presume();
}

/// What a stream gets alone is not measured where sites flood each other: as much as trains did, or
/// cards do.
void SharingPlan::presume() {
    surroundings_.presumed = measured_alone_;
    for (std::size_t i = 0; i < surroundings_.clusters(); ++i)
        for (std::size_t j = 0; j < surroundings_.clusters(); ++j)
            if (i != j) surroundings_.presumed(i, j) = within_ports(i, j, train_limit(i, j));
}

StreamRound SharingPlan::timed(const PlannedRound& planned) const {
    return make_round(planned.ends, planned.kind, floods_ ? paces() : surroundings_.alone,
                      round_trips_, conditions_);
}

/// The k-th round of all sites is one.
void SharingPlan::plan_insides(const std::vector<std::vector<Ends>>& by_site, StreamKind kind) {
    std::vector<PlannedRound> rounds;
    for (const auto& site : by_site)
        for (std::size_t k = 0; k < site.size(); ++k) {
            if (k == rounds.size()) rounds.push_back({{}, kind});
            rounds[k].ends.insert(rounds[k].ends.end(), site[k].begin(), site[k].end());
        }
    planned_.insert(planned_.end(), rounds.begin(), rounds.end());
}

void SharingPlan::plan_stage() {
    const std::size_t sites = sites_.size();
    const auto plan = [&](Ends ends) { planned_.push_back({std::move(ends)}); };
    const auto inside = [&](const auto& make, StreamKind kind = StreamKind::beside_others) {
        std::vector<std::vector<Ends>> by_site;
        for (const Units& units : insides_) by_site.push_back(make(units));
        plan_insides(by_site, kind);
    };
    switch (stage_) {
        case Stage::trains:
            plan_trains();
            break;
        case Stage::halves:
            plan_halves({sites_});
            break;
        case Stage::inside_halves:
            plan_halves(insides_);
            break;
        case Stage::questions:
            plan_questions();
            if (!planned_.empty()) return;
            break;
        case Stage::alone:
            for (std::size_t shift = 1; shift <= rounds_alone(sites); ++shift)
                planned_.push_back({make_.singles(sites_, shift), StreamKind::alone});
            break;
        case Stage::across:
            if (sites > 1) plan(make_.across(sites_, sites / 2));
            break;
        case Stage::hubs:
            for (Ends& ends : make_.hubs(sites_)) plan(std::move(ends));
            break;
        case Stage::both_ways:
            if (sites > 1) plan(make_.both_ways(sites_));
            break;
        case Stage::one_way:
            if (sites > 1)
                planned_.push_back({make_.one_way(sites_, 0, false), StreamKind::alone, true});
            break;
        case Stage::all_one_way:
            for (std::size_t round = 0; directions_share_ && round < tournament_rounds(sites);
                 ++round)
                for (const bool back : {false, true})
                    if (round > 0 || back)
                        planned_.push_back(
                            {make_.one_way(sites_, round, back), StreamKind::alone, true});
            break;
        case Stage::insides_alone:
            inside(
                [&](const Units& units) {
                    std::vector<Ends> rounds;
                    for (std::size_t s = 1; s <= rounds_alone(units.size()); ++s)
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
            inside([&](const Units& units) { return make_.hubs(units); });
            break;
        case Stage::answers:
            plan_answer();
            return;
        case Stage::done:
            return;
    }
    // Trains and questions say themselves how often they are to be sent or asked.
    if (stage_ != Stage::trains && stage_ != Stage::questions)
        std::erase_if(planned_, [&](const PlannedRound& planned) { return is_recalled(planned); });
    begin_next_stage();
}

/// The next stage that has a meaning on this clock: floods, or single streams.
void SharingPlan::begin_next_stage() {
    const auto skipped = [&] {
        const bool floods = stage_ <= Stage::questions;
        const bool singles = !floods && stage_ != Stage::both_ways && stage_ < Stage::answers;
        return floods_ ? singles : floods;
    };
    do stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
    while (skipped());
}

/// Floods from all of the first to all of the second, unless there are none.
void SharingPlan::plan_flood(const std::vector<std::pair<Units, Units>>& floods, bool in_pairs) {
    const Matrix<double> paces = this->paces();
    Matrix<double> wanted(paces.rows(), paces.columns());
    for (std::size_t i = 0; i < paces.rows(); ++i)
        for (std::size_t j = 0; j < paces.columns(); ++j)
            wanted(i, j) = connections_to_fill(paces(i, j), round_trips_(i, j));
    Ends all;
    for (const auto& [from, to] : floods) {
        const Ends ends = make_.flood(from, to, wanted);
        all.insert(all.end(), ends.begin(), ends.end());
    }
    if (!all.empty()) planned_.push_back({std::move(all), StreamKind::flood, false, in_pairs});
}

/// One train from each site to each other one where no two have agreed yet, those of one site far
/// apart; then again between other hosts, every second of them first, and so on: those that meet on
/// their ways don't again.
void SharingPlan::plan_trains() {
    for (std::size_t turn = 0; turn < most_trains; ++turn) {
        Ends all;
        for (std::size_t shift = 1; shift < sites_.size(); ++shift)
            std::ranges::copy_if(
                make_.singles(sites_, shift, turn), std::back_inserter(all),
                [&](const StreamEnds& ends) {
                    const auto before =
                        trains_.find({site_of(ends.from_cluster), site_of(ends.to_cluster)});
                    return before == trains_.end() ||
                           (before->second.size() < 2 * most_trains && agreed(before->second) == 0);
                });
        for (std::size_t first = 0; first <= turn; ++first)
            for (std::size_t k = first; k < all.size(); k += turn + 1)
                planned_.push_back({{all[k]}, StreamKind::train});
    }
}

/// Half of the siblings to the other half and back, in as many ways as set each two apart; those of
/// all parents at the same time.
void SharingPlan::plan_halves(const std::vector<Units>& siblings) {
    // Of three, each faces the two others once, so that both are seen to share its path.
    const auto number = [](const Units& units, std::size_t unit) {
        return units.size() == 3 ? 1U << unit : unit;
    };
    std::size_t highest = 0;
    for (const Units& units : siblings)
        highest = std::max(highest, number(units, units.size() - 1));
    for (std::size_t bit = 1; bit <= highest; bit *= 2) {
        std::vector<std::pair<Units, Units>> there;
        std::vector<std::pair<Units, Units>> back;
        for (const Units& units : siblings) {
            Units with;
            Units without;
            for (std::size_t unit = 0; unit < units.size(); ++unit)
                ((number(units, unit) & bit) != 0 ? with : without).push_back(units[unit]);
            there.emplace_back(without, with);
            back.emplace_back(std::move(with), std::move(without));
        }
        plan_flood(there, false);
        plan_flood(back, false);
    }
}

/// A round for what is still open: a capacity that was full only once may have been so by chance;
/// a site of which nothing was found may not have been asked for enough; pairs of sites may not
/// have met with several hosts each.
void SharingPlan::plan_answer() {
    const std::vector<Bottleneck>& known = explained().bottlenecks;
    const auto ask = [&](const Bottleneck& bottleneck) {
        if (!asked_.insert(bottleneck.pairs()).second) return false;
        PlannedRound planned{make_.fill(bottleneck),
                             floods_ ? StreamKind::flood : StreamKind::beside_others};
        if (is_recalled(planned)) return false;
        planned_.push_back(std::move(planned));
        return true;
    };
    const auto find = [&] {
        for (const Bottleneck& found : known)
            if (found.rounds < convincing && ask(found)) return;
        if (floods_) return;  // questions asked for the rest
        for (const Clusters& site : sites_)
            for (const auto place : {Bottleneck::Place::out, Bottleneck::Place::in})
                if (const Bottleneck path = path_of(site, place);
                    make_.hosts(site) > 1 && sites_.size() > 2 && !told(known, path, 0) &&
                    ask(path))
                    return;
        // What clusters of a site share is told from what each of them has by what one has alone.
        const Evidence seen(surroundings_, evidence());
        for (const Clusters& site : sites_)
            for (const std::size_t cluster : site)
                for (const auto place : {Bottleneck::Place::out, Bottleneck::Place::in}) {
                    Bottleneck path = path_of(site, place);
                    (place == Bottleneck::Place::out ? path.from : path.to) = {cluster};
                    if (site.size() > 1 && make_.hosts({cluster}) > 1 &&
                        filling(surroundings_, known, path.pairs()) >
                            clearly_more * seen.most(path) &&
                        ask(path))
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

std::vector<StreamRound> SharingPlan::next(double elapsed) {
    std::vector<StreamRound> rounds;
    current_.clear();
    double begins = 0;
    const double left = (until_ - elapsed) / slower_;
    const auto fits = [&](const StreamRound& round) {
        return begins + duration(round) + time_to_order(round) <= left;
    };
    while (rounds.empty()) {
        while (planned_.empty() && stage_ != Stage::done) plan_stage();
        if (planned_.empty()) return {};
        while (!planned_.empty()) {
            StreamRound round = timed(planned_.front());
            if (!fits(round)) {
                if (!rounds.empty()) break;
                ++left_out_;
                planned_.pop_front();
                continue;
            }
            round.begins = begins;
            begins += round.trains ? trains_apart(sites_.size()) : until_next(round);
            current_.push_back(std::move(planned_.front()));
            planned_.pop_front();
            rounds.push_back(std::move(round));
        }
    }
    takes_ = rounds.back().begins + duration(rounds.back()) + time_to_order(rounds.back());
    began_ = elapsed;
    return rounds;
}

void SharingPlan::record(const std::vector<RoundWindows>& rates, double elapsed) {
    slower_ = std::max(1.05, (elapsed - began_) / takes_);
    forget();
    for (std::size_t r = 0; r < current_.size(); ++r) {
        played_.push_back({std::move(current_[r]), rates[r]});
        learn(played_.back());
    }
}

void SharingPlan::recall(const std::vector<PlayedRound>& rounds) {
    for (const PlayedRound& round : rounds) {
        played_.push_back(round);
        learn(round);
        recalled_.emplace_back(round.planned.kind, unit_pairs(round.planned.ends));
    }
    forget();
}

/// Which sites two clusters are of; or, inside a site, they themselves, whose numbers follow.
std::pair<std::size_t, std::size_t> SharingPlan::unit_pair(std::size_t from, std::size_t to) const {
    const std::pair sites(site_of(from), site_of(to));
    return sites.first == sites.second ? std::pair(sites_.size() + from, sites_.size() + to)
                                       : sites;
}

SharingPlan::UnitPairs SharingPlan::unit_pairs(const std::vector<StreamEnds>& ends) const {
    UnitPairs pairs;
    for (const StreamEnds& stream : ends)
        pairs.insert(unit_pair(stream.from_cluster, stream.to_cluster));
    return pairs;
}

bool SharingPlan::is_recalled(const PlannedRound& planned) const {
    return std::ranges::find(recalled_, std::pair(planned.kind, unit_pairs(planned.ends))) !=
           recalled_.end();
}

/// In how many rounds all of the first flooded all of the second, and none of them did anything
/// else.
std::size_t SharingPlan::times_played(const Units& from, const Units& to) const {
    UnitPairs asked;
    std::set<std::size_t> units;
    for (const Clusters& a : from)
        for (const Clusters& b : to) {
            const auto pair = unit_pair(a.front(), b.front());
            asked.insert(pair);
            units.insert({pair.first, pair.second});
        }
    return static_cast<std::size_t>(std::ranges::count_if(flooded_, [&](const UnitPairs& pairs) {
        std::size_t met = 0;
        for (const auto& pair : pairs) {
            if (!units.contains(pair.first) && !units.contains(pair.second)) continue;
            if (!asked.contains(pair)) return false;
            ++met;
        }
        return met == asked.size();
    }));
}

}  // namespace espalier::measure
