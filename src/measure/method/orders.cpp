#include "measure/method/orders.hpp"

#include "core/wire.hpp"

namespace espalier::measure {

namespace {

// To a writer, or from a reader. A step of no times is none.

void pass_step(auto& wire, auto& step) {
    wire(step.times);
    if (step.times > 0) wire(step.groups, step.first, step.last, step.at_once);
}

void pass_round(auto& wire, auto& round) {
    wire(round.streams, round.begins, round.warm_up, round.span, round.windows, round.settle);
}

template <typename T>
std::vector<std::string> packed(const std::vector<T>& orders, const auto& pass) {
    std::vector<std::string> all;
    for (const T& order : orders) {
        WireWriter to;
        pass(to, order);
        all.push_back(to.bytes());
    }
    return all;
}

}  // namespace

std::vector<std::string> pack(const std::optional<LatencyStep>& step, std::size_t hosts) {
    LatencyStep rest = step.value_or(LatencyStep{{}, 0, 0, 0});
    const auto groups = std::move(rest.groups);
    rest.groups.clear();
    std::vector<LatencyStep> orders(hosts + 1, rest);
    for (const auto& group : groups)
        for (const std::size_t host : group) orders[host].groups.push_back(group);
    return packed(orders, [](auto& wire, const auto& order) { pass_step(wire, order); });
}

std::optional<LatencyStep> unpack_step(const std::string& bytes) {
    WireReader from(bytes);
    LatencyStep step;
    pass_step(from, step);
    if (step.times == 0) return std::nullopt;
    return step;
}

std::vector<std::string> pack(const std::vector<StreamRound>& rounds, std::size_t hosts) {
    std::vector<std::vector<StreamRound>> orders(hosts + 1);
    for (const StreamRound& round : rounds) {
        StreamRound rest = round;
        rest.streams.clear();
        for (auto& order : orders) order.push_back(rest);
        for (const Stream& stream : round.streams) {
            orders[stream.ends.from].back().streams.push_back(stream);
            orders[stream.ends.to].back().streams.push_back(stream);
        }
    }
    return packed(orders, [](auto& wire, const auto& order) {
        wire(order.size());
        for (const StreamRound& round : order) pass_round(wire, round);
    });
}

std::vector<StreamRound> unpack_rounds(const std::string& bytes) {
    WireReader from(bytes);
    std::vector<StreamRound> rounds(from.take<std::size_t>());
    for (StreamRound& round : rounds) pass_round(from, round);
    return rounds;
}

}  // namespace espalier::measure
