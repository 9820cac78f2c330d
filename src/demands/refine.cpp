#include "demands/refine.hpp"

#include "core/error.hpp"
#include "core/meter.hpp"
#include "demands/objective.hpp"
#include "plan/exchange/bound.hpp"
#include "plan/exchange/scheduler.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace espalier::demands {

namespace {

/// Relative to the bound: what is so near needs no better.
constexpr double near_enough = 1e-3;
/// In a schedule along the old one, what was first in that is preferred to what was last as if its
/// receiver had so many times the bound more work left.
constexpr double loyalty = 3;
/// At which pace to schedule anew, see exchange::Preferences, and along the old schedule.
struct Try {
    double pace = 0;
    bool along_old = false;
};
constexpr Try tries[] = {{0.95, false}, {0.97, true}, {0.93, false}, {0.9, false}};

/// The old order and then, in the order of their senders, messages that it does not have.
Order completed(const Problem& problem, Order order) {
    std::vector<bool> delivered(problem.messages.size(), false);
    for (const Hop& hop : order)
        if (hop.to == problem.messages[hop.message].to) delivered[hop.message] = true;
    for (std::size_t m = 0; m < delivered.size(); ++m)
        if (!delivered[m]) order.push_back(direct(problem, m));
    return order;
}

/// By message, in seconds: the earlier its place in the order, the more.
std::vector<double> merits_of_place(const Problem& problem, const Order& order, double bound) {
    std::vector<double> merits(problem.messages.size(), 0);
    const double step = loyalty * bound / static_cast<double>(order.size());
    for (std::size_t place = 0; place < order.size(); ++place)
        merits[order[place].message] = -step * static_cast<double>(place);
    return merits;
}

/// An old schedule's node, as the problem has it.
using Node = std::optional<std::size_t>;
/// From where to where a transfer of the old schedule took a message.
struct OldHop {
    std::size_t message = 0;
    Node from;
    Node to;
};

std::vector<OldHop> old_hops(const Problem& problem, const std::vector<std::string>& names,
                             const schedule::Schedule& old) {
    std::map<std::string, Node> numbers;
    for (std::size_t node = 0; node < names.size(); ++node) numbers[names[node]] = node;
    std::map<std::pair<Node, Node>, std::size_t> messages;  // by their ends
    for (std::size_t m = 0; m < problem.messages.size(); ++m)
        messages[{problem.messages[m].from, problem.messages[m].to}] = m;
    const auto number = [&](Node node) { return node ? numbers[old.nodes[*node]] : node; };
    std::vector<OldHop> hops;
    for (const schedule::Transfer& transfer : old.transfers)
        for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c) {
            const schedule::Chunk& chunk = old.chunks[c];
            const auto found = messages.find({number(chunk.source), number(chunk.target)});
            if (found != messages.end())
                hops.push_back({found->second, number(transfer.from), number(transfer.to)});
        }
    return hops;
}

}  // namespace

Order adopt(const Problem& problem, const std::vector<std::string>& names,
            const schedule::Schedule& old) {
    if (old.collective.kind != schedule::Kind::alltoall)
        throw InputError("the schedule to refine is not of a total exchange");
    const auto hops = old_hops(problem, names, old);
    // By message: who has it in the end, and whether all its hops can be made.
    std::vector<std::vector<std::size_t>> holders;
    for (const Message& message : problem.messages) holders.push_back({message.from});
    std::vector<bool> whole(problem.messages.size(), true);
    for (const auto& [m, from, to] : hops) {
        if (from && to && std::ranges::find(holders[m], *from) != holders[m].end())
            holders[m].push_back(*to);
        else
            whole[m] = false;
    }
    for (std::size_t m = 0; m < whole.size(); ++m)
        whole[m] = whole[m] && std::ranges::count(holders[m], problem.messages[m].to) == 1;
    // What has no way left goes straight, where its first transfer was.
    std::vector<bool> begun(problem.messages.size(), false);
    Order adopted;
    for (const auto& [m, from, to] : hops) {
        if (whole[m])
            adopted.push_back({m, *from, *to});
        else if (!begun[m])
            adopted.push_back(direct(problem, m));
        begun[m] = true;
    }
    return adopted;
}

Found refine(const Problem& changed, const Order& old, const Limits& limits) {
    if (changed.messages.empty()) return {};
    Meter meter(limits);
    const double bound = exchange::exchange_bound(changed);
    Order best = completed(changed, old);
    Score score = score_of(changed, ends_of(changed, best));
    // Where all that counts is a makespan that a pass knows, it can give up at the best one.
    const bool plain = !changed.has_demands();
    const bool may_give_up = plain && only_queues(changed);
    const auto loyal = merits_of_place(changed, best, bound);
    const auto scheduler = exchange::make_scheduler(changed);
    for (const Try& attempt : tries) {
        if ((plain && score.makespan <= bound * (1 + near_enough)) || meter.over()) break;
        auto preferences = exchange::Preferences::plain(changed, attempt.pace);
        if (attempt.along_old) preferences.merit = loyal;
        constexpr double never = std::numeric_limits<double>::infinity();
        const double makespan = scheduler->pass(preferences, may_give_up ? score.makespan : never);
        meter.spend(changed.messages.size());
        if (makespan == never) continue;
        Order order = direct(changed, scheduler->messages());
        const Score found = score_of(changed, ends_of(changed, order));
        if (!better(found, score)) continue;
        score = found;
        best = std::move(order);
    }
    return {.order = std::move(best)};
}

}  // namespace espalier::demands
