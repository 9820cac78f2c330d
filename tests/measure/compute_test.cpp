#include "measure/method/compute.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>

namespace espalier::measure {
namespace {

/// A clock that only the work moves.
struct Machine {
    double time = 0;
    std::size_t calls = 0;

    Kernel working(double units, double seconds) {
        return [this, units, seconds] {
            ++calls;
            time += seconds;
            return units;
        };
    }
    std::function<double()> clock() {
        return [this] { return time; };
    }
};

TEST(TimeKernel, divides_time_by_units) {
    Machine machine;
    const CycleTime found = time_kernel(machine.working(100, 0.25), machine.clock(), 2);
    EXPECT_DOUBLE_EQ(found.value, 0.0025);
    EXPECT_DOUBLE_EQ(found.spread, 0);
    EXPECT_EQ(found.samples, 8U);
    EXPECT_EQ(machine.calls, 9U);
}

TEST(TimeKernel, takes_three_samples_even_of_slow_work) {
    Machine machine;
    EXPECT_EQ(time_kernel(machine.working(1, 5), machine.clock(), 1).samples, 3U);
}

TEST(TimeKernel, is_not_misled_by_a_few_disturbances) {
    Machine machine;
    std::size_t call = 0;
    const auto found = time_kernel(
        [&] {
            machine.time += ++call % 4 == 0 ? 10 : 1;
            return 1.0;
        },
        machine.clock(), 100);
    EXPECT_DOUBLE_EQ(found.value, 1);
}

TEST(TimeKernel, ends_where_the_clock_stands_still) {
    Machine machine;
    const CycleTime found = time_kernel(machine.working(1, 0), machine.clock(), 1);
    EXPECT_EQ(found.value, 0);
    EXPECT_EQ(found.samples, 3U);
}

TEST(TimeKernel, refuses_a_kernel_that_does_no_work) {
    Machine machine;
    EXPECT_THROW((void)time_kernel(machine.working(0, 1), machine.clock(), 1), InputError);
    EXPECT_THROW((void)time_kernel(machine.working(-3, 1), machine.clock(), 1), InputError);
}

TEST(StencilKernel, does_the_same_work_each_time) {
    const Kernel kernel = stencil_kernel();
    const double units = kernel();
    EXPECT_GT(units, 0);
    EXPECT_EQ(kernel(), units);
}

TEST(LoadKernel, names_the_file_that_is_no_kernel) {
    try {
        (void)load_kernel("/nowhere/kernel.so");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::StartsWith("/nowhere/kernel.so: "));
    }
}

TEST(Together, adds_up_speeds) {
    EXPECT_DOUBLE_EQ(together({2}), 2);
    EXPECT_DOUBLE_EQ(together({2, 2}), 1);
    EXPECT_DOUBLE_EQ(together({3, 6}), 2);
}

}  // namespace
}  // namespace espalier::measure
