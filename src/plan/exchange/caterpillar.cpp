#include "plan/exchange/caterpillar.hpp"

#include "core/matrix.hpp"
#include "plan/near.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace espalier::plan::exchange {

namespace {

/// How far the receiver is from the sender, in steps.
std::size_t step_of(const Problem& problem, std::size_t message) {
    const std::size_t nodes = problem.nodes();
    return (problem.messages[message].to + nodes - problem.messages[message].from) % nodes;
}

/// A path is far if its latency is at least this part of its sender's longest.
constexpr double far_part = 0.75;

/// When a node sends a message, and after which others.
enum class Turn : std::uint8_t {
    far,
    nearer,
    neighbour,
    answer,  ///< to a nearer node, once the message from there has come
};

std::vector<Turn> turns_of(const Problem& problem) {
    const std::size_t nodes = problem.nodes();
    std::vector<double> longest(nodes, 0);
    for (const Message& message : problem.messages)
        longest[message.from] = std::max(longest[message.from], message.latency);
    Matrix<char> is_far(nodes, nodes, 0);
    for (const Message& message : problem.messages)
        if (message.latency >= far_part * longest[message.from])
            is_far(message.from, message.to) = 1;
    std::vector<Turn> turns;
    for (const Message& message : problem.messages) {
        if (is_far(message.from, message.to) != 0)
            turns.push_back(Turn::far);
        else if (message.latency <= near_part * longest[message.from])
            turns.push_back(Turn::neighbour);
        else
            turns.push_back(is_far(message.to, message.from) != 0 ? Turn::answer : Turn::nearer);
    }
    return turns;
}

}  // namespace

Found caterpillar(const Problem& problem, Meter&) {
    std::vector<std::size_t> messages(problem.messages.size());
    std::iota(messages.begin(), messages.end(), std::size_t{0});
    std::ranges::stable_sort(messages, {}, [&](std::size_t m) { return step_of(problem, m); });
    return {.order = std::move(messages)};
}

Found far_first(const Problem& problem, Meter& meter) {
    Found found = caterpillar(problem, meter);
    const std::vector<Turn> turns = turns_of(problem);
    // Receivers take in what comes in this order, too.
    std::ranges::stable_sort(found.order, {}, [&](std::size_t m) {
        return std::pair(turns[m], turns[m] == Turn::far ? problem.messages[m].latency : 0);
    });
    Matrix<std::size_t> place_of(problem.nodes(), problem.nodes(), 0);
    found.after.resize(found.order.size());
    for (std::size_t place = 0; place < found.order.size(); ++place) {
        const Message& message = problem.messages[found.order[place]];
        place_of(message.from, message.to) = place;
        if (turns[found.order[place]] == Turn::answer)
            found.after[place] = place_of(message.to, message.from);
    }
    return found;
}

Found caterpillar_barrier(const Problem& problem, Meter& meter) {
    Found found = caterpillar(problem, meter);
    for (std::size_t place = 1; place < found.order.size(); ++place)
        if (step_of(problem, found.order[place]) != step_of(problem, found.order[place - 1]))
            found.barriers.push_back(place);
    return found;
}

}  // namespace espalier::plan::exchange
