#include "demands/refine.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "demands/objective.hpp"
#include "plan/exchange/bound.hpp"
#include "plan/exchange/list_schedule.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace espalier::demands {

namespace {

/// Relative to the bound: what is so near needs no better.
constexpr double near_enough = 1e-3;
/// The paces at which to schedule anew; see exchange::Preferences.
constexpr double paces[] = {0.95, 0.93, 0.9, 0.97};

/// The old order and then, in the order of their senders, messages that it does not have.
Order completed(const Problem& problem, Order order) {
    std::vector<bool> delivered(problem.messages.size(), false);
    for (const Hop& hop : order)
        if (hop.to == problem.messages[hop.message].to) delivered[hop.message] = true;
    for (std::size_t m = 0; m < delivered.size(); ++m)
        if (!delivered[m]) order.push_back(direct(problem, m));
    return order;
}

/// A node of an old schedule that the problem does not have.
constexpr std::size_t none = static_cast<std::size_t>(-1);

/// The hops of an old schedule for messages of the problem, between the problem's nodes.
Order old_hops(const Problem& problem, const std::vector<std::string>& names,
               const schedule::Schedule& old) {
    std::map<std::string, std::size_t> numbers;
    for (std::size_t node = 0; node < names.size(); ++node) numbers[names[node]] = node;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> messages;  // by their ends
    for (std::size_t m = 0; m < problem.messages.size(); ++m)
        messages[{problem.messages[m].from, problem.messages[m].to}] = m;
    const auto number = [&](std::optional<std::size_t> node) {
        const auto found = node ? numbers.find(old.nodes[*node]) : numbers.end();
        return found == numbers.end() ? none : found->second;
    };
    Order hops;
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
        if (to != none && std::ranges::find(holders[m], from) != holders[m].end())
            holders[m].push_back(to);
        else
            whole[m] = false;
    }
    for (std::size_t m = 0; m < whole.size(); ++m)
        whole[m] = whole[m] && std::ranges::count(holders[m], problem.messages[m].to) == 1;
    // What has no path left goes straight, where its first transfer was.
    std::vector<bool> begun(problem.messages.size(), false);
    Order adopted;
    for (const Hop& hop : hops) {
        if (whole[hop.message])
            adopted.push_back(hop);
        else if (!begun[hop.message])
            adopted.push_back(direct(problem, hop.message));
        begun[hop.message] = true;
    }
    return adopted;
}

Found refine(const Problem& changed, const Order& old, const Limits& limits) {
    if (changed.messages.empty()) return {};
    Meter meter(limits);
    const double good =
        changed.has_demands() ? 0 : exchange::exchange_bound(changed) * (1 + near_enough);
    // Where all that counts is a makespan that a pass knows, it can give up at the best one.
    const bool may_give_up = !changed.has_demands() && only_queues(changed);
    Order best = completed(changed, old);
    Score score = score_of(changed, ends_of(changed, best));
    std::optional<exchange::ListScheduler> scheduler;
    for (const double pace : paces) {
        if (score.makespan <= good || meter.over()) break;
        if (!scheduler) scheduler.emplace(changed);
        const double makespan = scheduler->pass(exchange::Preferences::plain(changed, pace),
                                                may_give_up ? score.makespan : never, meter);
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
