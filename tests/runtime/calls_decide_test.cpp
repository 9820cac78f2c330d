#include "core/meter.hpp"
#include "core/random.hpp"
#include "plan/race.hpp"
#include "runtime/logic/library_time.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/logic/planning_effort.hpp"
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
using stated::link_capacity;
using stated::seconds_per_byte;
using stated::TwoClusters;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PlanRanks, try_the_librarys_own_where_that_changes_no_result) {
    TwoClusters clusters(3, true, true);
    clusters.policy().spent = Seconds(1);
    for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::scatter,
                            Kind::gather, Kind::allgather, Kind::reduce_scatter, Kind::alltoall,
                            Kind::barrier, Kind::scan, Kind::exscan}) {
        const Bytes bytes(kind == Kind::barrier ? 0 : 1000);
        const auto shares = clusters.plan({.kind = kind, .bytes = bytes});
        ASSERT_EQ(shares.front().refusal, "") << name_of(kind);
        EXPECT_TRUE(shares.front().library) << name_of(kind);
        if (!combines(kind) || kind == Kind::barrier) continue;
        const auto inexact = clusters.plan({.kind = kind, .bytes = bytes, .exact = false});
        EXPECT_THAT(inexact.front().others, IsEmpty());
        EXPECT_FALSE(inexact.front().library) << name_of(kind);
        EXPECT_EQ(inexact.front().choice.empty(), inexact.front().is_native());
        for (const auto otherwise :
             {Settings::Reproducible::by_record, Settings::Reproducible::never}) {
            clusters.policy().reproducible = otherwise;
            const auto left = clusters.plan({.kind = kind, .bytes = bytes, .exact = false});
            EXPECT_TRUE(left.front().library);
            EXPECT_EQ(left.front().is_only, otherwise == Settings::Reproducible::by_record);
        }
        clusters.policy().reproducible = Settings::Reproducible::by_network;
        clusters.policy().planning = Settings::Planning::always;
        const auto always = clusters.plan({.kind = kind, .bytes = bytes, .exact = false});
        EXPECT_FALSE(always.front().is_native());
        EXPECT_FALSE(always.front().library);
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

TEST(PlanRanks, wait_until_calls_took_as_long_as_planning_does) {
    TwoClusters clusters(3, true, true);
    const Signature small{.kind = Kind::broadcast, .bytes = Bytes(8)};
    const auto first = clusters.plan(small);
    EXPECT_THAT(first.front().refusal, HasSubstr("took less"));
    EXPECT_TRUE(first.front().is_left_to_calls());
    EXPECT_EQ(first.front().steps, 0U);
    EXPECT_FALSE(first.front().is_final);
    EXPECT_EQ(decode_planned(encode(first.front())).is_final, false);
    clusters.policy().spent = Seconds(0.01);
    const auto later = clusters.plan(small);
    EXPECT_EQ(later.front().refusal, "");
    EXPECT_GT(later.front().steps, 0U);
    // Nor does one wait of which the program says that it will come again and again.
    clusters.policy().spent.reset();
    clusters.policy().is_repeated = true;
    const auto repeated = clusters.plan(small);
    EXPECT_EQ(repeated.front().refusal, "");
    EXPECT_GT(repeated.front().steps, 0U);
    clusters.policy().is_repeated = false;
    // One that takes long is planned at once, and what never depends on calls, too.
    EXPECT_EQ(clusters.plan({.kind = Kind::broadcast, .bytes = Bytes(100'000)}).front().refusal,
              "");
    const auto sum = clusters.plan({.kind = Kind::reduce, .bytes = Bytes(8), .exact = false});
    EXPECT_FALSE(sum.front().is_left_to_calls());
    EXPECT_TRUE(sum.front().is_final);
    // Nor does what is done again in later runs depend on what calls take in this one.
    clusters.policy().reproducible = Settings::Reproducible::by_record;
    const auto recorded = clusters.plan({.kind = Kind::reduce, .bytes = Bytes(8), .exact = false});
    EXPECT_TRUE(recorded.front().is_left_to_calls());
    EXPECT_TRUE(recorded.front().is_final);
    EXPECT_EQ(recorded.front().steps, sum.front().steps);
    clusters.policy().choice.name = "binomial";
    EXPECT_EQ(clusters.plan(small).front().refusal, "") << "it was asked for";
}

TEST(PlanRanks, are_searched_for_no_longer_than_calls_are_worth) {
    constexpr std::size_t hosts = 20;
    TwoClusters clusters(hosts, true, true);
    const std::uint64_t shortest = short_planning(2 * hosts);
    const std::uint64_t standard = plan::standard_budget(2 * hosts).most_steps();
    // What never depends on calls has a search as long as one of them takes, or a short one.
    const auto steps_of_sum = [&](std::uint64_t bytes) {
        return clusters.plan({.kind = Kind::allreduce, .bytes = Bytes(bytes), .exact = false})
            .front()
            .steps;
    };
    EXPECT_EQ(steps_of_sum(8), shortest);
    EXPECT_GT(steps_of_sum(5000), shortest);
    EXPECT_LT(steps_of_sum(5000), standard);
    // A search that was cut short may be followed by a longer one.
    clusters.policy().spent = Meter::step * static_cast<double>(shortest + 1);
    const auto shares = clusters.plan({.kind = Kind::broadcast, .bytes = Bytes(10'000)});
    EXPECT_EQ(shares.front().steps, shortest + 1);
    EXPECT_FALSE(shares.front().is_final);
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
    for (const Kind kind : {Kind::broadcast, Kind::allgather, Kind::barrier})
        EXPECT_NEAR(time(kind, kind == Kind::barrier ? 0 : 8), 3 * hop, 2e-4) << name_of(kind);
    // Straight to and from the root: seven messages one after the other. Between all, 32 cross the
    // link.
    const double straight = 7 * 100'000 * seconds_per_byte + latency;
    EXPECT_NEAR(time(Kind::scatter, 100'000), straight, 0.1 * straight);
    EXPECT_NEAR(time(Kind::gather, 100'000), straight, 0.1 * straight);
    EXPECT_NEAR(time(Kind::alltoall, 100'000), 32 * 100'000 / link_capacity + latency, 1e-3);
    // A ring of shares, or a chain of segments, moves a vector little more than once.
    EXPECT_LT(time(Kind::broadcast, 1'000'000), 2.5 * 1'000'000 * seconds_per_byte);
    // A vector that is large is not moved whole in every round, unless its order has to be kept.
    EXPECT_LT(time(Kind::allreduce, 1'000'000), 2.5);
    EXPECT_GT(time(Kind::allreduce, 1'000'000, true), 2.9);
    EXPECT_LT(time(Kind::reduce, 1'000'000), time(Kind::reduce, 1'000'000, true));
    EXPECT_LE(time(Kind::reduce_scatter, 100'000), time(Kind::reduce_scatter, 100'000, true));
}

TEST(LibraryTime, of_a_vector_that_is_halved_counts_small_parts_between_far_ranks) {
    const TwoClusters near(4, true);
    const auto fabric = simulate::make_rank_fabric(near.view(), near.places());
    const double bytes = 1'000'000;
    const Signature sum{.kind = Kind::allreduce, .bytes = Bytes(1'000'000)};
    // Of four pairs both ranks send an eighth over the link, when it is halved and when it is
    // joined.
    const double crossing = 2 * 8 * bytes / 8 / link_capacity;
    EXPECT_GT(library_time(*fabric, sum, {}).value, crossing);
    EXPECT_LT(library_time(*fabric, sum, {}).value, 1.1 * crossing);
}

}  // namespace
}  // namespace espalier::runtime
