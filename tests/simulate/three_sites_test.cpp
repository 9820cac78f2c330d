// Simulated times of what was measured between 25 hosts on three sites (bench/grid-tcp), on the
// network as the testbed is described.

#include "core/matrix.hpp"
#include "network/grid_view.hpp"
#include "network/json.hpp"
#include "schedule/json.hpp"
#include "schedule/validate.hpp"
#include "simulate/check.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace espalier::simulate {
namespace {

using schedule::Kind;
using schedule::Schedule;

const std::string folder = ESPALIER_SOURCE_DIR "/tests/simulate/three-sites/";

class ThreeSites : public ::testing::Test {
protected:
    /// In milliseconds.
    [[nodiscard]] double time(const Schedule& schedule) const {
        EXPECT_EQ(schedule::find_violation(schedule), std::nullopt);
        schedule::StatedPlan stated;
        stated.plan.schedule = schedule;
        stated.plan.timeline = simulate(schedule, *fabric_);
        stated.has_times = stated.has_makespan = true;
        EXPECT_EQ(check(stated, *fabric_).violation, std::nullopt);
        return stated.plan.timeline.makespan.value * 1e3;
    }
    [[nodiscard]] double time(const std::string& file) const {
        return time(schedule::read_schedule(folder + file).plan.schedule);
    }

    /// Each block straight to whom it is for, all at once.
    [[nodiscard]] Schedule empty(Kind kind, std::uint64_t bytes) const {
        Schedule schedule;
        schedule.collective.kind = kind;
        schedule.collective.nodes = fabric_->nodes();
        schedule.collective.bytes = Bytes(bytes);
        for (std::size_t node = 0; node < fabric_->nodes(); ++node)
            schedule.nodes.push_back(view_.name_of(view_.place_of(node)));
        schedule.ports.count = fabric_->nodes() - 1;
        return schedule;
    }
    [[nodiscard]] Schedule straight(Kind kind, const std::string& root) const {
        Schedule schedule = empty(kind, 1 << 20);
        const auto found = std::ranges::find(schedule.nodes, root);
        const auto at = static_cast<std::size_t>(found - schedule.nodes.begin());
        schedule.collective.root = at;
        const bool from_root = kind == Kind::scatter;
        for (std::size_t node = 0; node < fabric_->nodes(); ++node) {
            schedule::Chunk& chunk = schedule.chunks.emplace_back();
            chunk.bytes = schedule.collective.bytes;
            (from_root ? chunk.target : chunk.source) = node;
            if (node == at) continue;
            schedule::Transfer& transfer = schedule.transfers.emplace_back();
            transfer.from = from_root ? at : node;
            transfer.to = from_root ? node : at;
            transfer.chunk = node;
        }
        return schedule;
    }
    /// When a message's turn comes where far ones go first: from a nearer site it is an answer.
    enum class Turn { far, neighbour, answer };
    [[nodiscard]] Turn turn_of(std::size_t from, std::size_t to) const {
        Seconds longest;
        for (std::size_t other = 0; other < fabric_->nodes(); ++other)
            if (other != from) longest = std::max(longest, latency(from, other));
        if (latency(from, to) > longest * 0.75) return Turn::far;
        return latency(from, to) < longest * 0.125 ? Turn::neighbour : Turn::answer;
    }
    [[nodiscard]] Seconds latency(std::size_t from, std::size_t to) const {
        return fabric_->cost(from, to, Bytes(1)).latency;
    }
    [[nodiscard]] Schedule exchange(std::uint64_t bytes, bool far_first) const {
        Schedule schedule = empty(Kind::alltoall, bytes);
        const std::size_t nodes = fabric_->nodes();
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t step = 1; step < nodes; ++step)
            for (std::size_t from = 0; from < nodes; ++from)
                pairs.emplace_back(from, (from + step) % nodes);
        const auto turn = [&](const auto& pair) { return turn_of(pair.first, pair.second); };
        if (far_first) std::ranges::stable_sort(pairs, {}, turn);
        Matrix<std::size_t> place(nodes, nodes, 0);
        for (const auto& [from, to] : pairs) {
            place(from, to) = schedule.transfers.size();
            schedule::Transfer& transfer = schedule.transfers.emplace_back();
            transfer.from = from;
            transfer.to = to;
            transfer.chunk = schedule.chunks.size();
            if (far_first && turn_of(from, to) == Turn::answer) transfer.after = place(to, from);
            schedule.chunks.push_back({Bytes(bytes), 1, from, to});
        }
        return schedule;
    }

private:
    network::Network network_ = network::read_network(folder + "network.json");
    network::GridView view_{*network_.grid()};
    std::unique_ptr<const Fabric> fabric_ = [this] {
        std::vector<network::GridView::Place> places;
        for (std::size_t node = 0; node < view_.nodes(); ++node)
            places.push_back(view_.place_of(node));
        return make_rank_fabric(view_, places);
    }();
};

TEST_F(ThreeSites, short_messages_of_an_exchange_are_sooner_over_when_far_ones_go_first) {
    EXPECT_LT(time(exchange(1024, true)), 0.95 * time(exchange(1024, false)));
}

TEST_F(ThreeSites, near_blocks_hold_up_far_ones_of_a_scatter_where_there_are_many) {
    const double straight_from_many = time(straight(Kind::scatter, "orsay-a-0"));
    EXPECT_NEAR(straight_from_many, 1360, 0.05 * 1360) << "as measured";
    EXPECT_LT(time("scatter-helpers-orsay.json"), 0.9 * straight_from_many);
    const double straight_from_few = time(straight(Kind::scatter, "toulouse-0"));
    EXPECT_NEAR(straight_from_few, 2233, 0.02 * 2233) << "what the uplink takes, as measured";
    EXPECT_LT(straight_from_few, time("scatter-helpers-toulouse.json"));
}

TEST_F(ThreeSites, blocks_of_a_gather_arrive_sooner_together) {
    EXPECT_LT(time("gather-levels-orsay.json"), 0.95 * time(straight(Kind::gather, "orsay-a-0")));
}

TEST_F(ThreeSites, long_messages_of_an_exchange_overflow_the_uplinks_queues) {
    // As measured; what the uplinks have to carry takes them 1049 and 525.
    EXPECT_NEAR(time(exchange(65'536, false)), 1814, 0.2 * 1814);
    EXPECT_NEAR(time(exchange(32'768, false)), 1224, 0.2 * 1224);
}

}  // namespace
}  // namespace espalier::simulate
