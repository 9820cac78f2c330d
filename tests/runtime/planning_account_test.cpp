#include "runtime/logic/planning_account.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

namespace espalier::runtime {
namespace {

/// A communicator whose calls take a second by MPI, and by plans of which it keeps some.
class Job {
public:
    Job(Seconds cost, Seconds gain, std::size_t kept) : cost_(cost), gain_(gain), kept_(kept) {}

    void call(int signature) {
        ++calls_;
        if (!plans_.contains(signature)) {
            if (pause_ > 0) --pause_;
            if (pause_ == 0) pause_ = account_.pause();
            if (pause_ > 0) {
                account_.add(Seconds(1));
                return;
            }
            if (plans_.size() == kept_) plans_.erase(oldest());
            ++deals_;
            account_.charge(plans_[signature].debt, cost_);
        }
        Plan& plan = plans_[signature];
        plan.used = calls_;
        account_.add(Seconds(1) - gain_);
        account_.pay(plan.debt, gain_);
        gained_ += gain_;
    }
    void go_round(int signatures, int laps) {
        for (int lap = 0; lap < laps; ++lap)
            for (int k = 0; k < signatures; ++k) call(k);
    }

    [[nodiscard]] double deals() const { return static_cast<double>(deals_); }
    [[nodiscard]] double calls() const { return static_cast<double>(calls_); }
    /// Over what the same calls take by MPI alone, in s.
    [[nodiscard]] Seconds lost() const { return cost_ * deals() - gained_; }
    [[nodiscard]] bool has_plan(int signature) const { return plans_.contains(signature); }

private:
    struct Plan {
        Seconds debt;
        std::uint64_t used = 0;
    };
    [[nodiscard]] int oldest() const {
        int found = plans_.begin()->first;
        for (const auto& [signature, plan] : plans_)
            if (plan.used < plans_.at(found).used) found = signature;
        return found;
    }

    PlanningAccount account_;
    const Seconds cost_;
    const Seconds gain_;
    const std::size_t kept_;
    std::map<int, Plan> plans_;
    std::uint64_t calls_ = 0;
    std::uint64_t pause_ = 0;
    std::uint64_t deals_ = 0;
    Seconds gained_;
};

TEST(PlanningAccount, plans_that_pay_at_their_first_call_are_always_made) {
    Job job(Seconds(0.3), Seconds(0.5), 50);
    job.go_round(200, 10);
    EXPECT_EQ(job.deals(), job.calls());
}

TEST(PlanningAccount, some_signatures_are_planned_on_credit) {
    Job job(Seconds(100), Seconds(0), 50);
    job.go_round(3, 1);
    EXPECT_EQ(job.deals(), 3);
    job.go_round(50, 1);
    EXPECT_EQ(job.deals(), 3);
}

TEST(PlanningAccount, signatures_that_are_never_called_again_cost_a_small_part_of_their_calls) {
    Job job(Seconds(2), Seconds(0.1), 50);
    job.go_round(5000, 1);
    EXPECT_LE(job.lost(), Seconds(3 * 2 + job.calls() / 64));
}

TEST(PlanningAccount, roots_that_go_round_among_more_than_are_kept_lose_a_small_part_at_most) {
    for (const double gain : {0.0, 0.1, 0.5, 0.9}) {
        Job job(Seconds(2), Seconds(gain), 50);
        job.go_round(200, 50);
        EXPECT_LE(job.lost(), Seconds(3 * 2 + job.calls() / 64)) << gain;
        EXPECT_LT(job.deals(), job.calls() / 4) << gain;
    }
}

TEST(PlanningAccount, roots_that_go_round_among_those_that_are_kept_get_their_plans) {
    Job job(Seconds(2), Seconds(0.5), 250);
    job.go_round(200, 50);
    EXPECT_EQ(job.deals(), 200);
    EXPECT_LT(job.lost(), Seconds(-0.3 * job.calls()));
}

TEST(PlanningAccount, what_is_called_often_after_many_that_were_not_gets_its_plan) {
    Job job(Seconds(2), Seconds(0.5), 50);
    job.go_round(5000, 1);
    for (int call = 0; call < 300; ++call) job.call(-1);
    EXPECT_TRUE(job.has_plan(-1));
}

TEST(PlanningAccount, what_one_signature_gained_pays_for_no_other) {
    PlanningAccount account;
    Seconds rich;
    account.charge(rich, Seconds(1));
    account.pay(rich, Seconds(1000));
    Seconds poor;
    for (int plan = 0; plan < 3; ++plan) account.charge(poor, Seconds(1));
    EXPECT_GT(account.pause(), 0U);
    account.pay(poor, Seconds(1.5));
    EXPECT_EQ(account.pause(), 0U);
}

TEST(PlanningAccount, predictions_count_as_far_as_calls_bear_them_out) {
    PlanningAccount account;
    EXPECT_EQ(account.as_seen(Seconds(3)), Seconds(3));
    account.compare(Seconds(2), Seconds(1));
    EXPECT_EQ(account.as_seen(Seconds(3)), Seconds(1.5));
    account.compare(Seconds(2), Seconds(9));
    EXPECT_EQ(account.as_seen(Seconds(3)), Seconds(3));
}

}  // namespace
}  // namespace espalier::runtime
