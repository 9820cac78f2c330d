#include "runtime/logic/gather_part.hpp"

#include "core/matrix.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

namespace espalier::runtime {
namespace {

using testing::HasSubstr;
using Places = std::vector<network::GridView::Place>;

/// Two clusters of `hosts`, and ranks dealt out to them in turn: every message takes 1 ms and 1 us
/// a byte, inside a cluster 1 us and 10 ns a byte.
class Dealt {
public:
    explicit Dealt(std::size_t hosts, bool in_order = false)
        : network_(network::parse_network(text(hosts), "test")), view_(*network_.grid()) {
        for (std::size_t node = 0; node < hosts; ++node)
            for (std::size_t leaf = 0; leaf < 2; ++leaf) places_.push_back({leaf, node});
        if (in_order) std::ranges::stable_sort(places_, {}, &network::GridView::Place::leaf);
    }
    [[nodiscard]] GatherPart plan(std::uint64_t bytes, const std::string& name = "auto",
                                  bool only_if_faster = false) const {
        AlgorithmChoice choice;
        choice.name = name;
        return plan_gather_part(view_, places_, Bytes(bytes), choice, only_if_faster);
    }
    [[nodiscard]] Seconds doubling(std::uint64_t bytes) const {
        return predict_doubling(view_, places_, Bytes(bytes));
    }

private:
    static std::string text(std::size_t hosts) {
        const std::string local =
            R"("local": {"latency_s": 1e-6, "gap_s": {"1": 1e-8, "1000001": 0.01000001}})";
        const std::string gap = R"({"1": 1e-6, "1000001": 1.000001})";
        const std::string size = R"("size": )" + std::to_string(hosts);
        return R"({"format": "espalier-network", "version": 1, "model": "grid", "clusters": [)"
               R"({"name": "a", )" +
               size + ", " + local + R"(}, {"name": "b", )" + size + ", " + local +
               R"(}], "latency_s": [[0, 1e-3], [1e-3, 0]], "gap_s": [[0, )" + gap + "], [" + gap +
               ", 0]]}";
    }

    network::Network network_;
    network::GridView view_;
    Places places_;
};

/// Performs the programs of all ranks, one send after the other, on block numbers; what is not
/// there yet waits.
Matrix<int> performed(const GatherPart& part) {
    const std::size_t ranks = part.order.size();
    std::vector<Program> programs;
    for (std::size_t rank = 0; rank < ranks; ++rank) programs.push_back(compile(part, rank));
    constexpr int missing = -1;
    Matrix<int> output(ranks, ranks, missing);
    std::vector<std::size_t> sent(ranks, 0);
    std::vector<std::size_t> received(ranks, 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            if (sent[rank] == programs[rank].sends.size()) continue;
            const Program::Send& send = programs[rank].sends[sent[rank]];
            bool ready = true;
            for (std::size_t n = send.first_need; n < send.last_need; ++n)
                ready = ready && programs[rank].needs[n] < received[rank];
            if (!ready) continue;
            const bool own = send.part.buffer == Program::Buffer::input;
            const int block = own ? static_cast<int>(rank) : output(rank, send.part.block);
            const auto to = static_cast<std::size_t>(send.destination);
            const Program::Receive& receive = programs[to].receives[received[to]++];
            EXPECT_EQ(receive.source, static_cast<int>(rank));
            output(to, receive.part.block) = block;
            ++sent[rank];
            moved = true;
        }
    }
    for (std::size_t rank = 0; rank < ranks; ++rank)
        for (const Program::Copy& copy : programs[rank].copies) {
            EXPECT_EQ(copy.from.buffer, Program::Buffer::input);
            output(rank, copy.to.block) = static_cast<int>(rank);
        }
    return output;
}

TEST(GatherPart, brings_each_rank_every_block_to_where_it_belongs) {
    for (const std::size_t hosts : {1u, 2u, 3u, 7u})
        for (const std::string name : {"auto", "ring", "ring-sum", "ring-rank-order"}) {
            const GatherPart part = Dealt(hosts).plan(1000, name);
            ASSERT_EQ(part.refusal, "");
            const Matrix<int> output = performed(part);
            for (std::size_t rank = 0; rank < output.rows(); ++rank)
                for (std::size_t block = 0; block < output.columns(); ++block)
                    EXPECT_EQ(output(rank, block), static_cast<int>(block));
        }
}

TEST(GatherPart, crosses_from_cluster_to_cluster_once_each_way) {
    const GatherPart part = Dealt(6).plan(100'000, "ring");
    std::size_t crossings = 0;
    for (std::size_t place = 0; place < part.order.size(); ++place) {
        const bool crosses =
            part.order[place] % 2 != part.order[(place + 1) % part.order.size()] % 2;
        if (crosses) ++crossings;
        EXPECT_NEAR(part.cost[place].gap.value, crosses ? 0.1 : 0.001, 1e-5);
    }
    EXPECT_EQ(crossings, 2u);
    EXPECT_LE(part.bound, *part.predicted);
}

TEST(GatherPart, leaves_small_blocks_to_doubling) {
    // Two messages of a block cross each way, in turn; two of two blocks stay inside.
    const Dealt dealt(2);
    EXPECT_NEAR(dealt.doubling(1).value, 1e-3 + 2 * 1e-6 + 1e-6 + 2e-8, 1e-9);
    // In order, what has to cross grows from round to round: 1 + 2 * 2 + 4 * 4 + 8 * 8 blocks.
    const Dealt many(8, true);
    EXPECT_NEAR(many.doubling(1'000'000).value, 85 + 4e-3, 1e-3);
    // A ring that crosses at every hop has that latency fifteen times over.
    const std::string name = "ring-rank-order";
    EXPECT_THAT(Dealt(8).plan(8, name, true).refusal, HasSubstr("small blocks"));
    EXPECT_EQ(Dealt(8).plan(8, name, false).refusal, "");
    EXPECT_EQ(many.plan(1'000'000, "auto", true).refusal, "");
}

TEST(GatherPart, is_refused_where_it_is_asked_to_be) {
    EXPECT_THAT(Dealt(3).plan(100, "native").refusal, HasSubstr("ESPALIER_ALGORITHM"));
    EXPECT_THAT(Dealt(3).plan(100, "open-shop").refusal, HasSubstr("open-shop"));
}

TEST(GatherPart, of_more_ranks_than_are_simulated_promises_no_time) {
    const GatherPart part = Dealt(80).plan(100'000);
    EXPECT_EQ(part.refusal, "");
    EXPECT_EQ(part.predicted, std::nullopt);
    EXPECT_EQ(part.order.size(), 160u);
    EXPECT_GT(part.bound, Seconds(0));
}

TEST(GatherPart, comes_back_from_words_as_it_was) {
    for (const std::string name : {"auto", "native"}) {
        GatherPart part = Dealt(3).plan(5000, name);
        part.tries_native = true;
        const GatherPart back = decode_gather_part(encode(part));
        EXPECT_EQ(back.refusal, part.refusal);
        EXPECT_EQ(back.algorithm, part.algorithm);
        EXPECT_EQ(back.predicted, part.predicted);
        EXPECT_EQ(back.bound, part.bound);
        EXPECT_EQ(back.order, part.order);
        EXPECT_TRUE(back.tries_native);
        ASSERT_EQ(back.cost.size(), part.cost.size());
        for (std::size_t place = 0; place < part.cost.size(); ++place) {
            EXPECT_EQ(back.cost[place].gap, part.cost[place].gap);
            EXPECT_EQ(back.cost[place].latency, part.cost[place].latency);
        }
    }
}

}  // namespace
}  // namespace espalier::runtime
