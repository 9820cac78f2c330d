// What a SharingPlan asks where sites flood each other.

#include "measure/method/evidence.hpp"
#include "measure/method/filling.hpp"
#include "measure/method/sharing_plan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>

namespace espalier::measure {

namespace {

/// Nothing is more surprising than what carries this many times what it was seen to.
constexpr double most_surprising = 10;
/// Floods that together carry this part of what each carries alone are not in each other's way.
constexpr double undisturbed = 0.95;
/// The rounds that a path has for itself at most.
constexpr std::size_t most_asked = 2;

std::vector<std::size_t> joined(const Units& units) {
    std::vector<std::size_t> all;
    for (const auto& unit : units) all.insert(all.end(), unit.begin(), unit.end());
    std::ranges::sort(all);
    return all;
}

bool overlap(const Units& some, const Units& others) {
    const std::vector<std::size_t> all = joined(others);
    return std::ranges::any_of(joined(some), [&](std::size_t cluster) {
        return std::ranges::binary_search(all, cluster);
    });
}

}  // namespace

/// The paths that may carry clearly more, by what is known, than they were seen to: out of each of
/// the siblings and groups of them, in to them, and from one to another.
std::vector<SharingPlan::Question> SharingPlan::open_questions(const Units& siblings) const {
    std::optional<Evidence> seen;
    std::vector<Question> questions;
    const bool inside = siblings != sites_;
    const auto consider = [&](const Units& from, const Units& to) {
        Question question{from, to, {joined(from), joined(to), false}};
        // What one host has of its site is its card.
        if (inside &&
            std::min(make_.hosts(question.about.from), make_.hosts(question.about.to)) == 1)
            return false;
        const std::vector<ClusterPair> pairs = question.about.pairs();
        const auto asked = times_asked_.find(pairs);
        if (std::max(asked != times_asked_.end() ? asked->second : std::size_t{0},
                     times_played(from, to)) >= most_asked)
            return false;
        const auto [known, is_new] = expected_.try_emplace(pairs);
        if (is_new) {
            if (!seen) seen.emplace(surroundings_, evidence());
            known->second = {filling(surroundings_, concluded().confirmed, pairs),
                             seen->most(question.about)};
        }
        const double most = known->second.most;
        question.predicted = known->second.predicted;
        const double surprise =
            std::min(most > 0 ? question.predicted / most : most_surprising, most_surprising);
        if (surprise < clearly_more) return false;
        question.worth = std::log(surprise) * static_cast<double>(from.size() * to.size());
        questions.push_back(std::move(question));
        return true;
    };
    const auto others = [&](const Units& some) {
        Units rest;
        for (const Clusters& unit : siblings)
            if (std::ranges::find(some, unit) == some.end()) rest.push_back(unit);
        return rest;
    };
    Units open_out;
    Units open_in;
    for (const Clusters& unit : siblings) {
        if (consider({unit}, others({unit}))) open_out.push_back(unit);
        if (consider(others({unit}), {unit})) open_in.push_back(unit);
        for (const Clusters& other : siblings)
            if (unit != other && siblings.size() > 2) consider({unit}, {other});
    }
    // What they share is not to be told before it is known what each of both sides can carry.
    const auto any_of = [](const Units& some, const Units& open) {
        return std::ranges::any_of(
            some, [&](const auto& unit) { return std::ranges::find(open, unit) != open.end(); });
    };
    for (const Clusters& group : surroundings_.groups) {
        Units some;
        for (const Clusters& unit : siblings)
            if (std::ranges::binary_search(group, unit.front())) some.push_back(unit);
        if (some.empty() || some.size() == siblings.size()) continue;
        const Units rest = others(some);
        if (!any_of(some, open_out) && !any_of(rest, open_in)) consider(some, rest);
        if (!any_of(rest, open_out) && !any_of(some, open_in)) consider(rest, some);
    }
    return questions;
}

/// Whether the question can be asked in the same round: no cluster takes part in two of them, and
/// nothing that is known is in their way.
bool SharingPlan::fits(const std::vector<const Question*>& round, const Question& question) const {
    double apart = question.predicted;
    std::vector<ClusterPair> pairs = question.about.pairs();
    for (const Question* other : round) {
        for (const Units* some : {&question.from, &question.to})
            if (overlap(*some, other->from) || overlap(*some, other->to)) return false;
        apart += other->predicted;
        const auto more = other->about.pairs();
        pairs.insert(pairs.end(), more.begin(), more.end());
    }
    return filling(surroundings_, concluded().confirmed, pairs) >= undisturbed * apart;
}

/// Floods of the paths that are open, those first that most pairs of units cross and that were seen
/// to carry least of what they may. Each pair of clusters floods once at most: what comes of it may
/// answer other questions, too.
void SharingPlan::plan_questions() {
    std::vector<Question> questions = open_questions(sites_);
    for (const Units& units : insides_)
        std::ranges::move(open_questions(units), std::back_inserter(questions));
    std::ranges::stable_sort(questions, std::greater<>(), &Question::worth);
    std::set<ClusterPair> flooded;
    std::vector<std::vector<const Question*>> rounds;
    for (const Question& question : questions) {
        const std::vector<ClusterPair> pairs = question.about.pairs();
        // What is worth much less can wait for what comes of the others.
        if (question.worth < questions.front().worth / 2) break;
        if (std::ranges::any_of(pairs, [&](const auto& pair) { return flooded.contains(pair); }))
            continue;
        flooded.insert(pairs.begin(), pairs.end());
        ++times_asked_[pairs];
        const auto round = std::ranges::find_if(
            rounds, [&](const auto& others) { return fits(others, question); });
        if (round == rounds.end())
            rounds.push_back({&question});
        else
            round->push_back(&question);
    }
    for (const auto& round : rounds) {
        std::vector<std::pair<Units, Units>> floods;
        bool in_pairs = true;
        for (const Question* question : round) {
            floods.emplace_back(question->from, question->to);
            in_pairs = in_pairs && question->from.size() == 1 && question->to.size() == 1;
        }
        plan_flood(floods, in_pairs);
    }
}

}  // namespace espalier::measure
