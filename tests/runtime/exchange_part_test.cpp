#include "runtime/logic/exchange_part.hpp"

#include "core/random.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>

namespace espalier::runtime {
namespace {

using testing::HasSubstr;
using Places = std::vector<network::GridView::Place>;

constexpr double latency = 1e-3;
constexpr double seconds_per_byte = 1e-6;
constexpr double link_capacity = 2e6;

/// Two clusters of `hosts` with one link between them, which carries two messages at full speed.
class TwoClusters {
public:
    explicit TwoClusters(std::size_t hosts)
        : network_(network::parse_network(text(hosts), "test")), view_(*network_.grid()) {
        for (std::size_t leaf = 0; leaf < 2; ++leaf)
            for (std::size_t node = 0; node < hosts; ++node) places_.push_back({leaf, node});
    }
    [[nodiscard]] const network::GridView& view() const { return view_; }
    [[nodiscard]] const Places& places() const { return places_; }
    [[nodiscard]] std::vector<ExchangePart> plan(const Matrix<Bytes>& sizes,
                                                 const AlgorithmChoice& choice = {}) const {
        return plan_exchange_parts(view_, places_, sizes, choice);
    }
    [[nodiscard]] std::vector<ExchangePart> plan(std::uint64_t bytes,
                                                 const AlgorithmChoice& choice = {}) const {
        return plan(Matrix<Bytes>(places_.size(), places_.size(), Bytes(bytes)), choice);
    }

private:
    static std::string text(std::size_t hosts) {
        const std::string gap = R"({"1": 1e-6, "1000001": 1.000001})";
        const std::string local = R"("local": {"latency_s": 1e-3, "gap_s": )" + gap + "}";
        const std::string size = R"("size": )" + std::to_string(hosts);
        return R"({"format": "espalier-network", "version": 1, "model": "grid", "clusters": [)"
               R"({"name": "a", )" +
               size + ", " + local + R"(}, {"name": "b", )" + size + ", " + local +
               R"(}], "latency_s": [[0, 1e-3], [1e-3, 0]], "gap_s": [[0, )" + gap + "], [" + gap +
               R"(, 0]], "shared": [{"name": "ab", "capacity_Bps": 2e6, )"
               R"("pairs": [["a", "b"], ["b", "a"]]}]})";
    }

    network::Network network_;
    network::GridView view_;
    Places places_;
};

void expect_everybody_meets_everybody(const std::vector<ExchangePart>& parts) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        ASSERT_EQ(parts[rank].refusal, "");
        std::vector<std::size_t> others;
        for (std::size_t other = 0; other < parts.size(); ++other)
            if (other != rank) others.push_back(other);
        std::vector<std::size_t> receivers;
        for (const auto& send : parts[rank].sends) receivers.push_back(send.to);
        std::sort(receivers.begin(), receivers.end());
        EXPECT_EQ(receivers, others);
        std::vector<std::size_t> senders = parts[rank].receives;
        std::sort(senders.begin(), senders.end());
        EXPECT_EQ(senders, others);
        EXPECT_EQ(parts[rank].barriers.size(), parts.front().barriers.size());
    }
}

TEST(ExchangePart, takes_as_long_as_what_crosses_the_shared_link) {
    const TwoClusters clusters(4);
    const auto parts = clusters.plan(1000);
    expect_everybody_meets_everybody(parts);
    const double crossing = 2 * 4 * 4 * 1000 / link_capacity + latency;
    EXPECT_NEAR(parts.front().bound.value, crossing, 1e-9);
    ASSERT_TRUE(parts.front().predicted);
    EXPECT_GE(parts.front().predicted->value, crossing * (1 - 1e-9));
    EXPECT_LE(parts.front().predicted->value, crossing * 1.05);
}

TEST(ExchangePart, gives_a_host_that_sends_to_all_at_once_no_more_than_its_bandwidth) {
    const TwoClusters clusters(5);
    Matrix<Bytes> sizes(10, 10, Bytes(0));
    for (std::size_t to = 1; to < 5; ++to) sizes(0, to) = Bytes(1000);
    const auto parts = clusters.plan(sizes, {.name = "caterpillar", .ports = 9});
    EXPECT_EQ(parts.front().ports, 9u);
    EXPECT_NEAR(parts.front().predicted->value, 4 * 1000 * seconds_per_byte + latency, 1e-9);
}

TEST(ExchangePart, has_every_pair_whatever_it_was_planned_for) {
    const TwoClusters clusters(4);
    Random random(5);
    for (int round = 0; round < 30; ++round) {
        Matrix<Bytes> sizes(8, 8);
        for (std::size_t from = 0; from < 8; ++from)
            for (std::size_t to = 0; to < 8; ++to)
                if (random.below(3) > 0) sizes(from, to) = Bytes(random.below(5000));
        for (const char* name : {"auto", "caterpillar", "caterpillar-barrier", "open-shop"})
            expect_everybody_meets_everybody(clusters.plan(sizes, {.name = name}));
    }
}

TEST(ExchangePart, follows_a_named_algorithm_one_message_at_a_time) {
    const TwoClusters clusters(3);
    const auto parts = clusters.plan(1000, {.name = "caterpillar-barrier"});
    EXPECT_EQ(parts.front().algorithm, "caterpillar-barrier");
    EXPECT_EQ(parts.front().ports, 1u);
    ASSERT_EQ(parts[2].barriers.size(), 4u);
    for (std::size_t step = 0; step < 4; ++step) {
        EXPECT_EQ(parts[2].barriers[step].sends, step + 1);
        EXPECT_EQ(parts[2].barriers[step].receives, step + 1);
        EXPECT_EQ(parts[2].sends[step].to, (2 + step + 1) % 6);
    }
    EXPECT_EQ(clusters.plan(1000, {.name = "open-shop", .ports = 2}).front().ports, 2u);
    EXPECT_EQ(clusters.plan(1000, {.name = "auto", .ports = 99}).front().ports, 5u);
}

TEST(ExchangePart, says_why_there_is_none) {
    const TwoClusters clusters(2);
    for (const ExchangePart& part : clusters.plan(1000, {.name = "native"}))
        EXPECT_THAT(part.refusal, HasSubstr("ESPALIER_ALGORITHM"));
    EXPECT_THAT(clusters.plan(1000, {.name = "nonsense"}).front().refusal, HasSubstr("nonsense"));
}

TEST(ExchangePart, of_many_ranks_is_not_simulated) {
    const TwoClusters clusters(150);
    const auto parts = clusters.plan(1000);
    expect_everybody_meets_everybody(parts);
    EXPECT_FALSE(parts.front().predicted);
    EXPECT_NEAR(parts.front().bound.value, 2 * 150 * 150 * 1000 / link_capacity + latency, 1e-6);
}

TEST(ExchangePart, of_very_many_sizes_is_not_simulated) {
    const TwoClusters clusters(25);
    Matrix<Bytes> sizes(50, 50);
    for (std::size_t from = 0; from < 50; ++from)
        for (std::size_t to = 0; to < 50; ++to) sizes(from, to) = Bytes(1000 + 50 * from + to);
    EXPECT_FALSE(clusters.plan(sizes).front().predicted);
    EXPECT_TRUE(clusters.plan(1000).front().predicted);
}

TEST(ExchangePart, is_the_same_after_its_journey) {
    const TwoClusters clusters(3);
    auto part = clusters.plan(1000, {.name = "caterpillar-barrier"})[4];
    part.tries_native = true;
    const ExchangePart again = decode_exchange_part(encode(part));
    EXPECT_EQ(encode(again), encode(part));
    EXPECT_EQ(again.algorithm, part.algorithm);
    EXPECT_EQ(again.predicted->value, part.predicted->value);
    EXPECT_TRUE(again.tries_native);
    EXPECT_EQ(again.receives, part.receives);
    part.predicted.reset();
    EXPECT_FALSE(decode_exchange_part(encode(part)).predicted);
}

TEST(ExchangePart, sends_each_block_of_the_input_to_its_rank_and_keeps_its_own) {
    const TwoClusters clusters(3);
    const auto parts = clusters.plan(1000);
    const Program program = compile(parts[1], 1);
    ASSERT_EQ(program.copies.size(), 1u);
    EXPECT_EQ(program.copies[0].from.block, 1u);
    EXPECT_EQ(program.copies[0].from.buffer, Program::Buffer::input);
    EXPECT_EQ(program.copies[0].to.block, 1u);
    EXPECT_EQ(program.copies[0].to.buffer, Program::Buffer::output);
    ASSERT_EQ(program.sends.size(), 5u);
    for (const Program::Send& send : program.sends) {
        EXPECT_EQ(static_cast<int>(send.part.block), send.destination);
        EXPECT_EQ(send.part.buffer, Program::Buffer::input);
        EXPECT_TRUE(send.part.all);
    }
    ASSERT_EQ(program.receives.size(), 5u);
    for (const Program::Receive& receive : program.receives) {
        EXPECT_EQ(static_cast<int>(receive.part.block), receive.source);
        EXPECT_EQ(receive.part.buffer, Program::Buffer::output);
    }
    EXPECT_EQ(program.window, 5u);
}

}  // namespace
}  // namespace espalier::runtime
