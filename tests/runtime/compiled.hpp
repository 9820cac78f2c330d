#pragma once

#include "runtime/logic/rank_program.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::runtime::test {

/// A second for each byte, and as long as is said on the way: for what does not depend on costs, or
/// on these alone.
class Uniform final : public simulate::Fabric {
public:
    explicit Uniform(std::size_t nodes, Seconds latency = Seconds(1))
        : nodes_(nodes), latency_(latency) {}
    [[nodiscard]] std::size_t nodes() const override { return nodes_; }
    [[nodiscard]] simulate::MessageCost cost(std::size_t, std::size_t, Bytes size) const override {
        return {Seconds(static_cast<double>(size.value)), latency_};
    }
    [[nodiscard]] simulate::CostFloor floor(std::size_t, std::size_t, Bytes) const override {
        return {};
    }

private:
    std::size_t nodes_;
    Seconds latency_;
};

[[nodiscard]] schedule::Schedule hand_made(schedule::Kind kind, std::size_t nodes,
                                           std::uint64_t bytes, std::vector<schedule::Chunk> chunks,
                                           std::vector<schedule::Transfer> transfers);

[[nodiscard]] std::vector<RankProgram> compiled(const schedule::Schedule& schedule);

/// Whether the schedule is right and its programs bring everything where it belongs, with items of
/// any length.
[[nodiscard]] testing::AssertionResult runs(const schedule::Schedule& schedule, std::uint64_t seed);

}  // namespace espalier::runtime::test
