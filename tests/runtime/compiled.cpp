#include "runtime/compiled.hpp"

#include "core/random.hpp"
#include "runtime/rank_machine.hpp"
#include "schedule/validate.hpp"

#include <utility>

namespace espalier::runtime::test {

schedule::Schedule hand_made(schedule::Kind kind, std::size_t nodes, std::uint64_t bytes,
                             std::vector<schedule::Chunk> chunks,
                             std::vector<schedule::Transfer> transfers) {
    schedule::Schedule schedule;
    schedule.collective.kind = kind;
    schedule.collective.nodes = nodes;
    schedule.collective.bytes = Bytes(bytes);
    schedule.nodes.resize(nodes);
    schedule.chunks = std::move(chunks);
    schedule.transfers = std::move(transfers);
    return schedule;
}

std::vector<RankProgram> compiled(const schedule::Schedule& schedule) {
    return compile_ranks(schedule, Uniform(schedule.collective.nodes));
}

testing::AssertionResult runs(const schedule::Schedule& schedule, std::uint64_t seed) {
    if (const auto fault = schedule::find_violation(schedule))
        return testing::AssertionFailure() << fault->what;
    Random random(seed);
    const auto programs = compiled(schedule);
    // As many units everywhere, then of all sizes; none at all, too.
    for (const std::uint64_t most : {1u, 7u, 50u}) {
        Units same;
        Units different;
        const std::uint64_t all = random.below(most + 1);
        for (const Item& item : items_of(schedule.collective)) {
            same[item] = all;
            different[item] = random.below(most + 1);
        }
        for (const Units& units : {same, different}) {
            RankMachine machine(schedule.collective, programs, units, random.below(1 << 30));
            if (auto result = machine.run(); !result) return result << ", " << schedule.algorithm;
        }
    }
    return testing::AssertionSuccess();
}

}  // namespace espalier::runtime::test
