#include "core/random.hpp"
#include "runtime/logic/library_time.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/rank_machine.hpp"
#include "runtime/two_clusters.hpp"
#include "simulate/rank_fabric.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

namespace espalier::runtime {
namespace {

using schedule::Kind;
using stated::latency;
using stated::seconds_per_byte;
using stated::TwoClusters;
using testing::HasSubstr;
using testing::IsEmpty;

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
