#include "runtime/logic/planned_collective.hpp"

#include "core/random.hpp"
#include "network/json.hpp"
#include "runtime/logic/library_time.hpp"
#include "runtime/logic/size_class.hpp"
#include "runtime/rank_machine.hpp"
#include "simulate/rank_fabric.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace espalier::runtime {
namespace {

using schedule::Kind;
using testing::HasSubstr;
using testing::IsEmpty;
using Places = std::vector<network::GridView::Place>;
using Shares = std::vector<PlannedCollective>;

constexpr double latency = 1e-3;
constexpr double seconds_per_byte = 1e-6;
constexpr double link_capacity = 2e6;

/// Two clusters of `hosts` with one link between them, which carries two messages at full speed.
/// Inside, messages are as slow, or a hundred times faster. Between them, the shortest takes
/// `least_gap` seconds of its sender.
class TwoClusters {
public:
    explicit TwoClusters(std::size_t hosts, bool fast_inside = false, bool dealt = false,
                         const std::string& least_gap = "1e-6")
        : network_(network::parse_network(text(hosts, fast_inside, least_gap), "test")),
          view_(*network_.grid()) {
        for (std::size_t leaf = 0; leaf < 2; ++leaf)
            for (std::size_t node = 0; node < hosts; ++node) places_.push_back({leaf, node});
        Random random(1);
        for (std::size_t i = places_.size() - 1; dealt && i > 0; --i)
            std::swap(places_[i], places_[random.below(i + 1)]);
        policy_.planning = Settings::Planning::automatic;
    }
    [[nodiscard]] const network::GridView& view() const { return view_; }
    [[nodiscard]] const Places& places() const { return places_; }
    [[nodiscard]] Policy& policy() { return policy_; }
    [[nodiscard]] Shares plan(const Signature& signature, const BlockSizes& sizes = {}) const {
        return plan_ranks(view_, places_, signature, sizes, policy_).shares;
    }
    [[nodiscard]] Shares plan(Kind kind, std::uint64_t bytes, const AlgorithmChoice& choice = {}) {
        policy_.choice = choice;
        return plan({.kind = kind, .bytes = Bytes(bytes)});
    }
    [[nodiscard]] Shares exchange(const Matrix<Bytes>& sizes, const AlgorithmChoice& choice = {}) {
        policy_.choice = choice;
        Bytes most;
        for (std::size_t from = 0; from < sizes.rows(); ++from)
            for (const Bytes bytes : sizes.row(from)) most = std::max(most, bytes);
        return plan(
            {.kind = Kind::alltoall, .bytes = size_class(most), .direct = true, .uneven = true},
            {nullptr, std::make_shared<const Matrix<Bytes>>(sizes)});
    }

private:
    static std::string text(std::size_t hosts, bool fast_inside, const std::string& least_gap) {
        const std::string gap = R"({"1": )" + least_gap + R"(, "1000001": 1.000001})";
        const std::string inside = fast_inside ? R"({"1": 1e-8, "1000001": 0.01000001})" : gap;
        const std::string local = R"("local": {"latency_s": )" +
                                  std::string(fast_inside ? "1e-5" : "1e-3") + R"(, "gap_s": )" +
                                  inside + "}";
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
    Policy policy_;
};

std::multiset<int> peers_of(const std::vector<RankProgram::Send>& sends) {
    std::multiset<int> peers;
    for (const auto& send : sends) peers.insert(send.message.peer);
    return peers;
}

void expect_everybody_meets_everybody(const Shares& shares) {
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        ASSERT_EQ(shares[rank].refusal, "");
        const RankProgram& program = shares[rank].program;
        std::multiset<int> others;
        for (std::size_t other = 0; other < shares.size(); ++other)
            if (other != rank) others.insert(static_cast<int>(other));
        EXPECT_EQ(peers_of(program.sends), others);
        std::multiset<int> senders;
        for (const auto& receive : program.receives) senders.insert(receive.message.peer);
        EXPECT_EQ(senders, others);
        EXPECT_EQ(program.barriers.size(), shares.front().program.barriers.size());
    }
}

TEST(PlanRanks, of_an_exchange_take_as_long_as_what_crosses_the_shared_link) {
    TwoClusters clusters(4);
    const auto shares = clusters.exchange(Matrix<Bytes>(8, 8, Bytes(1000)));
    expect_everybody_meets_everybody(shares);
    const double crossing = 2 * 4 * 4 * 1000 / link_capacity + latency;
    ASSERT_TRUE(shares.front().predicted);
    EXPECT_GE(shares.front().predicted->value, crossing * (1 - 1e-9));
    EXPECT_LE(shares.front().predicted->value, crossing * 1.05);
    EXPECT_EQ(shares.front().staging_bytes, 0u);
}

TEST(PlanRanks, of_an_exchange_have_every_pair_whatever_it_was_planned_for) {
    TwoClusters clusters(4);
    Random random(5);
    for (int round = 0; round < 10; ++round) {
        Matrix<Bytes> sizes(8, 8);
        for (std::size_t from = 0; from < 8; ++from)
            for (std::size_t to = 0; to < 8; ++to)
                if (random.below(3) > 0) sizes(from, to) = Bytes(random.below(5000));
        for (const char* name : {"auto", "caterpillar", "caterpillar-barrier", "open-shop"})
            expect_everybody_meets_everybody(clusters.exchange(sizes, {.name = name}));
    }
}

TEST(PlanRanks, follow_a_named_exchange_one_message_at_a_time) {
    TwoClusters clusters(3);
    const auto shares = clusters.plan(Kind::alltoall, 1000, {.name = "caterpillar-barrier"});
    EXPECT_EQ(shares.front().algorithm, "caterpillar-barrier");
    const RankProgram& program = shares[2].program;
    EXPECT_EQ(program.ports, 1u);
    EXPECT_EQ(program.window, 1u);
    ASSERT_EQ(program.barriers.size(), 4u);
    for (std::size_t step = 0; step < 4; ++step) {
        EXPECT_EQ(program.barriers[step].sends, step + 1);
        EXPECT_EQ(program.barriers[step].receives, step + 1);
        EXPECT_EQ(program.sends[step].message.peer, static_cast<int>((2 + step + 1) % 6));
    }
    const auto ports = [&](const AlgorithmChoice& choice) {
        return clusters.plan(Kind::alltoall, 1000, choice).front().program.ports;
    };
    EXPECT_EQ(ports({.name = "open-shop", .ports = 2}), 2u);
    EXPECT_EQ(ports({.name = "auto", .ports = 99}), 5u);
}

TEST(PlanRanks, of_very_many_messages_are_not_simulated) {
    TwoClusters many(150);
    const auto shares = many.plan(Kind::alltoall, 1000);
    expect_everybody_meets_everybody(shares);
    EXPECT_FALSE(shares.front().predicted);
    EXPECT_NEAR(shares.front().bound.value, 2 * 150 * 150 * 1000 / link_capacity + latency, 1e-6);
}

TEST(PlanRanks, of_a_named_ring_of_many_ranks_are_within_their_bound) {
    TwoClusters clusters(70);
    const auto shares = clusters.plan(Kind::allgather, 100'000, {.name = "ring"});
    ASSERT_EQ(shares.front().refusal, "");
    ASSERT_TRUE(shares.front().predicted);
    EXPECT_GE(*shares.front().predicted, shares.front().bound);
    EXPECT_EQ(shares.front().program.sends.size(), 139u);
    EXPECT_EQ(shares.front().program.window, 4u);
    EXPECT_GT(shares.front().bound, Seconds(0));
}

TEST(PlanRanks, say_why_there_are_none) {
    TwoClusters clusters(2);
    for (const auto& share : clusters.plan(Kind::alltoall, 1000, {.name = "native"})) {
        EXPECT_TRUE(share.is_native());
        EXPECT_THAT(share.refusal, HasSubstr("ESPALIER_ALGORITHM"));
    }
    EXPECT_THAT(clusters.plan(Kind::alltoall, 1, {.name = "nonsense"}).front().refusal,
                HasSubstr("nonsense"));
    EXPECT_THAT(clusters.plan(Kind::allgather, 1, {.name = "open-shop"}).front().refusal,
                HasSubstr("open-shop"));
}

TEST(PlanRanks, keep_the_order_of_operands_of_blocks_of_any_size) {
    TwoClusters clusters(2);
    for (const Bytes largest : {Bytes(1000), Bytes(1024), Bytes(9)}) {
        const Signature signature{.kind = Kind::reduce_scatter,
                                  .bytes = size_class(largest),
                                  .ordered = true,
                                  .uneven = true};
        const auto blocks = std::make_shared<const std::vector<Bytes>>(
            std::vector{Bytes(3), Bytes(0), largest, Bytes(1)});
        clusters.policy().planning = Settings::Planning::always;
        const Shares shares = clusters.plan(signature, {blocks, nullptr});
        EXPECT_FALSE(shares.front().is_native()) << shares.front().refusal;
    }
}

TEST(PlanRanks, of_blocks_for_all_are_not_made_for_very_many_ranks) {
    TwoClusters clusters(most_ranks_of_blocks / 2 + 1);
    const Shares shares = clusters.plan(Kind::alltoall, 8);
    EXPECT_EQ(shares.size(), most_ranks_of_blocks + 2);
    EXPECT_THAT(shares.back().refusal, HasSubstr("more than 1024 ranks"));
}

TEST(PlanRanks, try_the_librarys_own_where_that_changes_no_result) {
    TwoClusters clusters(3, true, true);
    for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::scatter,
                            Kind::gather, Kind::allgather, Kind::reduce_scatter, Kind::alltoall,
                            Kind::barrier, Kind::scan, Kind::exscan}) {
        const Bytes bytes(kind == Kind::barrier ? 0 : 1000);
        const auto shares = clusters.plan({.kind = kind, .bytes = bytes});
        ASSERT_EQ(shares.front().refusal, "") << name_of(kind);
        EXPECT_TRUE(shares.front().tries_native) << name_of(kind);
        if (!combines(kind) || kind == Kind::barrier) continue;
        const auto inexact = clusters.plan({.kind = kind, .bytes = bytes, .exact = false});
        EXPECT_THAT(inexact.front().others, IsEmpty());
        EXPECT_FALSE(inexact.front().tries_native) << name_of(kind);
        EXPECT_EQ(inexact.front().choice.empty(), inexact.front().is_native());
        clusters.policy().reproducible = false;
        EXPECT_TRUE(
            clusters.plan({.kind = kind, .bytes = bytes, .exact = false}).front().tries_native);
        clusters.policy().reproducible = true;
        clusters.policy().planning = Settings::Planning::always;
        const auto always = clusters.plan({.kind = kind, .bytes = bytes, .exact = false});
        EXPECT_FALSE(always.front().is_native());
        EXPECT_FALSE(always.front().tries_native);
        clusters.policy().planning = Settings::Planning::automatic;
    }
}

TEST(PlanRanks, have_others_to_be_tried_that_do_the_same) {
    TwoClusters clusters(3, true);
    std::size_t several = 0;
    for (const Kind kind :
         {Kind::broadcast, Kind::scatter, Kind::gather, Kind::allgather, Kind::alltoall}) {
        const Signature signature{.kind = kind, .bytes = Bytes(3000)};
        const auto shares = clusters.plan(signature);
        const PlannedCollective& first = shares.front();
        std::set<std::string> names{first.algorithm};
        several += first.others.size();
        for (std::size_t other = 0; other < first.others.size(); ++other) {
            EXPECT_TRUE(names.insert(first.others[other].algorithm).second) << name_of(kind);
            EXPECT_GE(*first.others[other].predicted, *first.predicted);
            EXPECT_LE(first.others[other].predicted->value, 1.25 * first.predicted->value);
            std::vector<RankProgram> programs;
            for (const auto& share : shares) programs.push_back(share.others.at(other).program);
            schedule::Collective collective{.kind = kind, .nodes = 6};
            test::Units units;
            for (const test::Item& item : test::items_of(collective)) units[item] = 6;
            EXPECT_TRUE(test::RankMachine(collective, programs, units, 4).run()) << name_of(kind);
        }
        clusters.policy().choice.name = first.algorithm;
        EXPECT_THAT(clusters.plan(signature).front().others, IsEmpty()) << "one was asked for";
        clusters.policy().choice.name = "auto";
        clusters.policy().planning = Settings::Planning::always;
        EXPECT_THAT(clusters.plan(signature).front().others, IsEmpty());
        clusters.policy().planning = Settings::Planning::automatic;
    }
    EXPECT_GE(several, 3U);
}

TEST(PlanRanks, of_what_can_not_be_tried_have_to_be_predicted_to_gain) {
    // Ranks dealt out to the clusters: every step of what a library does crosses somewhere.
    TwoClusters dealt(7, true, true);
    const Signature sum{.kind = Kind::allreduce, .bytes = Bytes(100'000), .exact = false};
    const auto fabric = simulate::make_rank_fabric(dealt.view(), dealt.places());
    const Seconds library = library_time(*fabric, sum, {});
    const auto planned = dealt.plan(sum);
    ASSERT_EQ(planned.front().refusal, "");
    EXPECT_LT(planned.front().predicted->value, 0.9 * library.value);
    EXPECT_THAT(planned.front().choice, HasSubstr("MPI's own about"));
    // Everything is as far: nothing is to be gained from knowing clusters.
    TwoClusters even(2);
    const Signature small{.kind = Kind::allreduce, .bytes = Bytes(8), .exact = false};
    const auto refused = even.plan(small);
    EXPECT_THAT(refused.front().refusal, HasSubstr("predicted"));
}

TEST(PlanRanks, over_shared_links_may_be_predicted_to_take_a_quarter_longer) {
    std::size_t longer = 0;
    for (std::size_t hosts = 2; hosts <= 9; ++hosts)
        for (const std::uint64_t bytes : {8U, 1000U, 10'000U, 100'000U}) {
            TwoClusters clusters(hosts);
            const Signature sum{.kind = Kind::allreduce, .bytes = Bytes(bytes), .exact = false};
            const std::string refusal = clusters.plan(sum).front().refusal;
            clusters.policy().planning = Settings::Planning::always;
            const auto fabric = simulate::make_rank_fabric(clusters.view(), clusters.places());
            const double ratio =
                clusters.plan(sum).front().predicted->value / library_time(*fabric, sum, {}).value;
            EXPECT_EQ(refusal.empty(), ratio <= 1.25) << hosts << " hosts, " << bytes;
            if (ratio > 1.05 && ratio <= 1.25) ++longer;
        }
    EXPECT_GT(longer, 0U);
}

TEST(PlanRanks, stay_within_the_memory_that_there_is) {
    TwoClusters clusters(4, true, false, "1e-3");
    clusters.policy().planning = Settings::Planning::always;
    const Signature small{.kind = Kind::gather, .bytes = Bytes(10)};
    const auto relayed = clusters.plan(small);
    ASSERT_EQ(relayed.front().refusal, "");
    ASSERT_GT(relayed.front().staging_bytes, 0u) << "small blocks travel together";
    clusters.policy().memory = Bytes(relayed.front().staging_bytes);
    EXPECT_EQ(clusters.plan(small).front().staging_bytes, relayed.front().staging_bytes);
    clusters.policy().memory = Bytes(relayed.front().staging_bytes - 1);
    const auto direct = clusters.plan(small);
    ASSERT_EQ(direct.front().refusal, "");
    EXPECT_EQ(direct.front().staging_bytes, 0u);
    clusters.policy().memory = Bytes(10);
    EXPECT_THAT(clusters.plan({.kind = Kind::reduce, .bytes = Bytes(1000)}).front().refusal,
                HasSubstr("ESPALIER_MEMORY (10 B)"));
}

TEST(PlanRanks, count_what_ranks_stage) {
    RankProgram program;
    program.chunks = {{0, 0, 0, 1, 2}, {0, 0, 1, 2, 2}};
    program.receives.push_back({.message = {.peer = 1, .chunk = 0}, .op = schedule::Op::combine});
    const auto staged = [&](Kind kind, std::size_t rank) {
        return staging_bytes(program, rank, {.kind = kind, .root = 1, .bytes = Bytes(100)}, {});
    };
    EXPECT_EQ(staged(Kind::reduce, 0), 50u + 50u) << "the sum, and what arrives";
    EXPECT_EQ(staged(Kind::reduce, 1), 50u) << "the root sums where the result goes";
    EXPECT_EQ(staged(Kind::allreduce, 0), 50u);
    program.receives.front().op = schedule::Op::copy;
    EXPECT_EQ(staged(Kind::broadcast, 0), 0u);
    program.chunks = {{3, 0}, {2, 0}};
    EXPECT_EQ(staged(Kind::gather, 2), 100u) << "the block of 3";
    EXPECT_EQ(staged(Kind::gather, 1), 0u);
    const BlockSizes sizes{std::make_shared<const std::vector<Bytes>>(
                               std::vector<Bytes>{Bytes(1), Bytes(2), Bytes(3), Bytes(4)}),
                           nullptr};
    EXPECT_EQ(staging_bytes(program, 0, {.kind = Kind::gather, .root = 1}, sizes), 7u);
    program.chunks = {{3, 2}, {2, 0}, {0, 2}};
    EXPECT_EQ(staged(Kind::alltoall, 2), 0u);
    EXPECT_EQ(staged(Kind::alltoall, 0), 100u);
}

TEST(PlanRanks, come_out_of_their_bytes_as_they_went_in) {
    TwoClusters clusters(3, true);
    clusters.policy().planning = Settings::Planning::always;
    for (const Kind kind : {Kind::broadcast, Kind::allreduce, Kind::alltoall, Kind::barrier})
        for (PlannedCollective share :
             clusters.plan({.kind = kind, .bytes = Bytes(kind == Kind::barrier ? 0 : 50'000)})) {
            share.others.assign(2, share);
            share.others.back().algorithm = "another";
            const auto bytes = encode(share);
            const PlannedCollective again = decode_planned(bytes);
            EXPECT_EQ(encode(again), bytes);
            EXPECT_EQ(again.algorithm, share.algorithm);
            ASSERT_EQ(again.others.size(), 2U);
            EXPECT_EQ(again.others.back().algorithm, "another");
            EXPECT_EQ(encode(again.others.front()), encode(share.others.front()));
            EXPECT_EQ(again.predicted, share.predicted);
            EXPECT_EQ(again.bound, share.bound);
            EXPECT_EQ(again.choice, share.choice);
            EXPECT_EQ(again.segments, share.segments);
            EXPECT_EQ(again.staging_bytes, share.staging_bytes);
            const auto fields = [](const RankProgram::Message& message) {
                return std::tuple(message.peer, message.chunk, message.chunks, message.segment,
                                  message.segments);
            };
            const RankProgram& a = again.program;
            const RankProgram& b = share.program;
            ASSERT_EQ(a.receives.size(), b.receives.size());
            for (std::size_t r = 0; r < a.receives.size(); ++r) {
                EXPECT_EQ(fields(a.receives[r].message), fields(b.receives[r].message));
                EXPECT_EQ(a.receives[r].op, b.receives[r].op);
                EXPECT_EQ(a.receives[r].from_left, b.receives[r].from_left);
                EXPECT_EQ(a.receives[r].last_need, b.receives[r].last_need);
                EXPECT_EQ(a.receives[r].last_earlier, b.receives[r].last_earlier);
            }
            ASSERT_EQ(a.sends.size(), b.sends.size());
            for (std::size_t s = 0; s < a.sends.size(); ++s) {
                EXPECT_EQ(fields(a.sends[s].message), fields(b.sends[s].message));
                EXPECT_EQ(a.sends[s].first_need, b.sends[s].first_need);
                EXPECT_EQ(a.sends[s].cost.gap, b.sends[s].cost.gap);
            }
            EXPECT_EQ(a.needs, b.needs);
            EXPECT_EQ(a.earlier, b.earlier);
            EXPECT_EQ(a.ports, b.ports);
            EXPECT_EQ(a.window, b.window);
            EXPECT_EQ(a.paced_window, b.paced_window);
            ASSERT_EQ(a.chunks.size(), b.chunks.size());
            for (std::size_t c = 0; c < a.chunks.size(); ++c) {
                EXPECT_EQ(a.chunks[c].source, b.chunks[c].source);
                EXPECT_EQ(a.chunks[c].target, b.chunks[c].target);
                EXPECT_EQ(a.chunks[c].end, b.chunks[c].end);
                EXPECT_EQ(a.chunks[c].of, b.chunks[c].of);
                EXPECT_EQ(a.chunks[c].empty, b.chunks[c].empty);
            }
        }
    PlannedCollective refused;
    refused.refusal = "because";
    EXPECT_EQ(decode_planned(encode(refused)).refusal, "because");
}

TEST(PlanRanks, bring_an_exchange_to_its_end_by_every_size_afterwards) {
    TwoClusters clusters(3, true);
    Matrix<Bytes> sizes(6, 6, Bytes(0));
    sizes(0, 5) = Bytes(3000);
    Random random(2);
    for (const char* name : {"auto", "greedy"}) {
        const auto shares = clusters.exchange(sizes, {.name = name});
        std::vector<RankProgram> programs;
        for (const auto& share : shares) programs.push_back(share.program);
        schedule::Collective collective{.kind = Kind::alltoall, .nodes = 6};
        test::Units units;
        for (const test::Item& item : test::items_of(collective)) units[item] = random.below(9);
        test::RankMachine machine(collective, programs, units, 4);
        EXPECT_TRUE(machine.run());
    }
}

/// Rounds one after the other on a network where every message takes a millisecond and its bytes.
TEST(LibraryTime, is_that_of_the_best_that_knows_nothing_of_the_network) {
    const TwoClusters even(4);
    const auto fabric = simulate::make_rank_fabric(even.view(), even.places());
    const auto time = [&](Kind kind, std::uint64_t bytes, bool ordered = false) {
        return library_time(*fabric, {.kind = kind, .bytes = Bytes(bytes), .ordered = ordered}, {})
            .value;
    };
    // Three rounds of small messages.
    const double hop = latency + 8 * seconds_per_byte;
    EXPECT_NEAR(time(Kind::reduce, 8), 3 * hop, 1e-5);
    EXPECT_NEAR(time(Kind::allreduce, 8), 3 * hop, 1e-4);
    EXPECT_NEAR(time(Kind::scan, 8), 3 * hop, 1e-4);
    EXPECT_EQ(time(Kind::scan, 8), time(Kind::exscan, 8));
    // A vector that is large is not moved whole in every round, unless its order has to be kept.
    EXPECT_LT(time(Kind::allreduce, 1'000'000), 2.5);
    EXPECT_GT(time(Kind::allreduce, 1'000'000, true), 2.9);
    EXPECT_LT(time(Kind::reduce, 1'000'000), time(Kind::reduce, 1'000'000, true));
    EXPECT_LE(time(Kind::reduce_scatter, 100'000), time(Kind::reduce_scatter, 100'000, true));
}

}  // namespace
}  // namespace espalier::runtime
