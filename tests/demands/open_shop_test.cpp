// Open shop where receives are interleaved or buffered.

#include "core/random.hpp"
#include "demands/exchange_plan.hpp"
#include "network/generate_gusto.hpp"
#include "network/generate_sizes.hpp"
#include "schedule/validate.hpp"
#include "simulate/check.hpp"
#include "simulate/simulate.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace espalier::demands {
namespace {

using schedule::Reception;
using Mode = Reception::Mode;

const std::vector<Reception>& receptions() {
    static const std::vector<Reception> all = {
        {Mode::interleaved, 0, {}},
        {Mode::interleaved, 0.2, {}},
        {Mode::buffered, 0, Bytes(0)},
        {Mode::buffered, 0, Bytes(1'000'000)},
        {Mode::buffered, 0, Bytes(4'000'000)},
        {Mode::buffered, 0, Bytes(std::numeric_limits<std::uint64_t>::max())}};
    return all;
}

class OpenShopReception : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Nodes, OpenShopReception, ::testing::Values(1, 2, 5, 12));

TEST_P(OpenShopReception, is_valid_above_the_bound_and_no_worse_than_the_order_of_the_base_model) {
    Random random(41);
    double gained = 0;
    for (int n = 0; n < 12; ++n) {
        const network::Network network(network::random_gusto({.nodes = GetParam()}, random));
        const auto fabric = simulate::make_fabric(network);
        const std::vector<std::string> names = network.pairwise()->nodes;
        ExchangeRequest request;
        request.collective = schedule::exchange_of_sizes(std::make_shared<const Matrix<Bytes>>(
            network::random_sizes({.nodes = GetParam()}, random)));
        request.algorithm = "open-shop";
        request.ports = 1 + random.below(3) / 2;
        const auto base = plan_exchange(*fabric, names, request);
        for (const Reception& reception : receptions()) {
            request.reception = reception;
            const auto plan = plan_exchange(*fabric, names, request);
            schedule::StatedPlan stated;
            stated.plan = plan;
            stated.has_times = stated.has_makespan = true;
            ASSERT_EQ(simulate::check(stated, *fabric).violation.value_or(""), "") << n;
            ASSERT_EQ(plan.schedule.reception, reception);
            auto order = base.schedule;
            order.reception = reception;
            const double other = simulate::simulate(order, *fabric).makespan.value;
            const double own = plan.timeline.makespan.value;
            ASSERT_LE(own, other * (1 + 1e-12)) << schedule::to_string(reception) << " " << n;
            ASSERT_GE(own, plan.lower_bound.value * (1 - 1e-12)) << n;
            gained += 1 - own / std::max(other, 1e-9);
        }
    }
    if (GetParam() > 2) {
        EXPECT_GT(gained, 0);
    }
}

TEST(OpenShopBuffered, meets_the_bound_before_buffers_of_four_messages) {
    Random random(42);
    for (int n = 0; n < 5; ++n) {
        const network::Network network(network::random_gusto({.nodes = 30}, random));
        ExchangeRequest request;
        request.collective = schedule::exchange_of_sizes(
            std::make_shared<const Matrix<Bytes>>(network::random_sizes({.nodes = 30}, random)));
        request.algorithm = "open-shop";
        request.reception = {Mode::buffered, 0, Bytes(4'000'000)};
        const auto plan =
            plan_exchange(*simulate::make_fabric(network), network.pairwise()->nodes, request);
        EXPECT_LE(plan.timeline.makespan.value, plan.lower_bound.value * 1.0005) << n;
    }
}

}  // namespace
}  // namespace espalier::demands
