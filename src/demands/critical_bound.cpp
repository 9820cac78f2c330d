#include "demands/critical_bound.hpp"

#include "plan/exchange/bound.hpp"

#include <algorithm>
#include <vector>

namespace espalier::demands {

namespace {

/// One port does them one after the other; best in the order of their releases (sending: the
/// longest on its way first, which is the same read backwards).
double one_port(std::vector<const Message*> messages) {
    std::ranges::sort(messages, {}, [](const Message* message) { return message->latency; });
    double time = 0;
    for (const Message* message : messages) time = std::max(time, message->latency) + message->gap;
    return time;
}

}  // namespace

double critical_bound(const Problem& problem) {
    if (!problem.critical) return 0;
    exchange::Problem own = problem;
    own.messages.clear();
    std::vector<const Message*> sends;
    std::vector<const Message*> receives;
    for (const Message& message : problem.messages) {
        if (!problem.is_critical(message)) continue;
        own.messages.push_back(message);
        (message.from == problem.critical ? sends : receives).push_back(&message);
    }
    double bound = exchange_bound(own);
    if (problem.ports > 1) return bound;
    if (problem.reception.mode == schedule::Reception::Mode::serial)
        bound = std::max(bound, one_port(receives));
    return std::max(bound, one_port(sends));
}

}  // namespace espalier::demands
