#include "runtime/logic/rank_plan.hpp"

#include "network/json.hpp"
#include "runtime/logic/placement.hpp"

#include <gmock/gmock.h>

namespace espalier::runtime {
namespace {

using testing::HasSubstr;

constexpr auto file = R"({"format":"espalier-network","version":1,"model":"grid","clusters":[
    {"name":"a","size":2,"local":{"latency_s":1e-5,"gap_s":{"1":1e-6,"1000000":1e-2}}},
    {"name":"b","size":3,"local":{"latency_s":1e-5,"gap_s":{"1":1e-6,"1000000":1e-2}}}],
    "latency_s":[[0,0.1],[0.1,0]],"gap_s":[[0,{"1":1e-5,"1000000":0.1}],[GAP,0]]})";

std::shared_ptr<const PlannableNetwork> network_with(const std::string& gap_back) {
    std::string text = file;
    text.replace(text.find("GAP"), 3, gap_back);
    return std::make_shared<PlannableNetwork>(network::parse_network(text, "net.json"), "net.json");
}

std::vector<network::GridView::Place> everywhere(const PlannableNetwork& network) {
    return plan::Job::everywhere(network.view()).places;
}

TEST(RankPlan, says_what_it_will_take) {
    const auto network = network_with("0.1");
    const auto plan =
        plan_job(network->view(), everywhere(*network), 3, Bytes(100'000), {"ecef", {}}, false);
    ASSERT_FALSE(plan.is_native()) << plan.refusal;
    EXPECT_EQ(plan.schedule.collective.root, 3u);
    EXPECT_EQ(plan.schedule.collective.nodes, 5u);
    EXPECT_GT(plan.predicted.value, 0.2);  // a gap and a latency at least
    ASSERT_EQ(plan.costs.size(), plan.schedule.transfers.size());
    for (std::size_t t = 0; t < plan.costs.size(); ++t) {
        const auto& transfer = plan.schedule.transfers[t];
        const bool local = (transfer.from < 2) == (transfer.to < 2);
        EXPECT_DOUBLE_EQ(plan.costs[t].first.latency.value, local ? 1e-5 : 0.1);
    }
}

TEST(RankPlan, comes_out_of_its_words_as_it_went_in) {
    const auto network = network_with("0.1");
    for (const std::string name : {"auto", "ecef", "flat"}) {
        const auto plan =
            plan_job(network->view(), everywhere(*network), 1, Bytes(77'777), {name, {}}, true);
        const auto again = decode(encode(plan));
        EXPECT_EQ(encode(again), encode(plan));
        EXPECT_EQ(again.schedule.algorithm, plan.schedule.algorithm);
        EXPECT_EQ(again.predicted, plan.predicted);
        EXPECT_TRUE(again.schedule.spaced);
        ASSERT_EQ(again.schedule.transfers.size(), plan.schedule.transfers.size());
        for (std::size_t t = 0; t < plan.costs.size(); ++t) {
            EXPECT_EQ(again.schedule.transfers[t].to, plan.schedule.transfers[t].to);
            EXPECT_EQ(again.schedule.transfers[t].segments, plan.schedule.transfers[t].segments);
            EXPECT_EQ(again.costs[t].last.gap, plan.costs[t].last.gap);
        }
    }
}

TEST(RankPlan, keeps_answers_labels_and_operators_in_its_words) {
    RankPlan plan;
    plan.schedule.chunks = {{.bytes = Bytes(7), .segments = 2, .source = 1, .target = 0},
                            {.bytes = Bytes(1), .control = true}};
    plan.schedule.transfers = {
        {.from = 1, .to = 0, .chunk = 1},
        {.from = 0, .to = 1, .op = schedule::Op::combine, .chunks = 2, .segments = 3, .after = 0}};
    plan.costs.resize(2);
    const auto again = decode(encode(plan)).schedule;
    EXPECT_EQ(again.chunks[0].source, 1u);
    EXPECT_EQ(again.chunks[0].target, 0u);
    EXPECT_EQ(again.chunks[0].segments, 2u);
    EXPECT_TRUE(again.chunks[1].control);
    EXPECT_EQ(again.transfers[0].after, std::nullopt);
    EXPECT_EQ(again.transfers[1].after, 0u);
    EXPECT_EQ(again.transfers[1].op, schedule::Op::combine);
    EXPECT_EQ(again.transfers[1].chunks, 2u);
    EXPECT_EQ(again.transfers[1].segments, 3u);
}

TEST(RankPlan, refuses_with_a_reason_that_travels) {
    const auto network = network_with("null");
    const auto plan = plan_job(network->view(), everywhere(*network), 4, Bytes(8), {}, false);
    EXPECT_TRUE(plan.is_native());
    EXPECT_EQ(decode(encode(plan)).refusal, plan.refusal);
    const auto native =
        plan_job(network->view(), everywhere(*network), 0, Bytes(8), {"native", {}}, false);
    EXPECT_THAT(native.refusal, HasSubstr("ESPALIER_ALGORITHM"));
}

TEST(SizeClass, is_at_most_an_eighth_larger_and_few) {
    std::uint64_t last = 0;
    std::size_t classes = 0;
    for (std::uint64_t bytes = 1; bytes <= 1 << 16; ++bytes) {
        const auto planned = size_class(Bytes(bytes)).value;
        ASSERT_GE(planned, bytes);
        ASSERT_LE(planned, bytes + bytes / 8);
        ASSERT_EQ(size_class(Bytes(planned)).value, planned);
        ASSERT_GE(planned, last);
        classes += planned != last;
        last = planned;
    }
    EXPECT_LE(classes, 8u * 16);
    EXPECT_EQ(size_class(Bytes(4 << 20)), Bytes(4 << 20));
}

TEST(Fit, gives_each_chunk_its_share) {
    schedule::Schedule schedule;
    schedule.collective.bytes = Bytes(100);
    schedule.chunks = {{Bytes(40), 4}, {.bytes = Bytes(1), .control = true}, {Bytes(60), 2}};
    const auto fitted = fit(schedule, Bytes(91));
    EXPECT_EQ(fitted.collective.bytes, Bytes(91));
    EXPECT_EQ(fitted.chunks[0].bytes, Bytes(36));
    EXPECT_EQ(fitted.chunks[1].bytes, Bytes(1));
    EXPECT_EQ(fitted.chunks[2].bytes, Bytes(55));
    EXPECT_EQ(fitted.chunks[0].segments, 4u);
}

}  // namespace
}  // namespace espalier::runtime
