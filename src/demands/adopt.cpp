#include "demands/adopt.hpp"

#include "core/error.hpp"
#include "core/matrix.hpp"

#include <algorithm>
#include <map>

namespace espalier::demands {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// By node of the old schedule: the same one of the problem, if there is one.
std::vector<std::size_t> find_nodes(const std::vector<std::string>& names,
                                    const schedule::Schedule& old) {
    std::map<std::string, std::size_t> index;
    for (std::size_t node = 0; node < names.size(); ++node) index.emplace(names[node], node);
    std::vector<std::size_t> found;
    for (const std::string& name : old.nodes) {
        const auto place = index.find(name);
        found.push_back(place == index.end() ? none : place->second);
    }
    return found;
}

/// Whether these hops, in this order, bring a message all its way.
bool is_way(const Message& message, const Order& hops) {
    std::vector<std::size_t> holders{message.from};
    for (const Hop& hop : hops) {
        if (hop.from == none || hop.to == none) return false;
        if (std::ranges::find(holders, hop.from) == holders.end()) return false;
        holders.push_back(hop.to);
    }
    return std::ranges::count(holders, message.to) == 1;
}

}  // namespace

Order adopt(const Problem& problem, const std::vector<std::string>& names,
            const schedule::Schedule& old) {
    if (old.collective.kind != schedule::Kind::alltoall)
        throw InputError("the schedule to refine is not of a total exchange");
    const std::vector<std::size_t> nodes = find_nodes(names, old);
    Matrix<std::size_t> message(names.size(), names.size(), none);
    for (std::size_t m = 0; m < problem.messages.size(); ++m)
        message(problem.messages[m].from, problem.messages[m].to) = m;
    const auto message_of = [&](const schedule::Chunk& chunk) {
        if (!chunk.source || !chunk.target) return none;
        const std::size_t from = nodes[*chunk.source];
        const std::size_t to = nodes[*chunk.target];
        return from == none || to == none ? none : message(from, to);
    };

    Order order;
    std::vector<Order> ways(problem.messages.size());
    for (const schedule::Transfer& transfer : old.transfers)
        for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c) {
            const std::size_t m = message_of(old.chunks[c]);
            if (m == none) continue;
            order.push_back({m, nodes[transfer.from], nodes[transfer.to]});
            ways[m].push_back(order.back());
        }
    // What has no way left goes straight, where its first transfer was.
    std::vector<bool> straight(problem.messages.size(), false);
    std::vector<bool> done(problem.messages.size(), false);
    for (std::size_t m = 0; m < ways.size(); ++m)
        straight[m] = !is_way(problem.messages[m], ways[m]);
    Order adopted;
    for (const Hop& hop : order) {
        if (!straight[hop.message])
            adopted.push_back(hop);
        else if (!done[hop.message])
            adopted.push_back(direct(problem, hop.message));
        done[hop.message] = true;
    }
    return adopted;
}

}  // namespace espalier::demands
