#include "measure/method/orders.hpp"

#include "measure/method/packer.hpp"

namespace espalier::measure {

std::string pack(const std::optional<LatencyStep>& step) {
    Packer packer;
    packer.put(step ? step->groups.size() : std::size_t{0});
    if (step) {
        packer.put(step->first);
        packer.put(step->last);
        for (const auto& group : step->groups) packer.put_all(group);
    }
    return packer.bytes();
}

std::optional<LatencyStep> unpack_step(const std::string& bytes) {
    Unpacker unpacker(bytes);
    const auto groups = unpacker.take<std::size_t>();
    if (groups == 0) return std::nullopt;
    LatencyStep step;
    step.first = unpacker.take<std::size_t>();
    step.last = unpacker.take<std::size_t>();
    for (std::size_t g = 0; g < groups; ++g)
        step.groups.push_back(unpacker.take_all<std::size_t>());
    return step;
}

std::string pack(const std::optional<StreamRound>& round) {
    Packer packer;
    packer.put_all(round ? round->streams : std::vector<Stream>());
    if (round) {
        packer.put(round->warm_up);
        packer.put(round->span);
        packer.put(round->settle);
    }
    return packer.bytes();
}

std::optional<StreamRound> unpack_round(const std::string& bytes) {
    Unpacker unpacker(bytes);
    StreamRound round;
    round.streams = unpacker.take_all<Stream>();
    if (round.streams.empty()) return std::nullopt;
    round.warm_up = unpacker.take<double>();
    round.span = unpacker.take<double>();
    round.settle = unpacker.take<double>();
    return round;
}

}  // namespace espalier::measure
