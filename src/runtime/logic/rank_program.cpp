#include "runtime/logic/rank_program.hpp"

namespace espalier::runtime {

namespace {

__extension__ using Wide = unsigned __int128;

/// How many of `units` lie before the share numerator / denominator.
std::uint64_t share(std::uint64_t units, Wide numerator, Wide denominator) {
    return static_cast<std::uint64_t>(numerator * units / denominator);
}

}  // namespace

std::uint64_t RankProgram::Chunk::first_unit(std::uint64_t units) const {
    return share(units, begin, of);
}

std::uint64_t RankProgram::Chunk::units(std::uint64_t units) const {
    return share(units, end, of) - share(units, begin, of);
}

RankProgram::Run RankProgram::run_of(const Message& message, std::uint64_t units,
                                     std::size_t index) const {
    if (message.segments == 1) {
        const Chunk& chunk = chunks[message.chunk + index];
        return {chunk.first_unit(units), chunk.units(units)};
    }
    const Chunk& first = chunks[message.chunk];
    const Chunk& last = chunks[message.chunk + message.chunks - 1];
    // Where segments begin and end, as shares of the item: exact, so that messages that are cut
    // differently overlap in units only where they do in shares.
    const auto boundary = [&](std::uint64_t segment) {
        const Wide length = last.end - first.begin;
        return share(units, Wide{first.begin} * message.segments + length * segment,
                     Wide{first.of} * message.segments);
    };
    const std::uint64_t begin = boundary(message.segment);
    return {begin, boundary(std::uint64_t{message.segment} + 1) - begin};
}

}  // namespace espalier::runtime
