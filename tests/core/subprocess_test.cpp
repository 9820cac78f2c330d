#include "core/subprocess.hpp"

#include "core/command.hpp"
#include "core/error.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace espalier {
namespace {

Apart apart(const std::function<std::string()>& work, Seconds limit = Seconds(60)) {
    return run_apart(work, limit, [] {});
}

TEST(Subprocess, ends_with_the_status_of_its_work) {
    EXPECT_EQ(Subprocess([] { return 0; }).wait(), 0);
    EXPECT_EQ(Subprocess([] { return 7; }).wait(), 7);
    EXPECT_EQ(Subprocess([]() -> int { throw std::runtime_error("no"); }).wait(), 1);
    EXPECT_EQ(Subprocess([]() -> int { std::abort(); }).wait(), 128 + SIGABRT);
}

TEST(Subprocess, runs_until_it_is_ended) {
    Subprocess child([] {
        ::pause();
        return 0;
    });
    EXPECT_EQ(child.ended(), std::nullopt);
    EXPECT_GT(child.id(), 0);
    child.end(SIGTERM);
    EXPECT_EQ(child.id(), 0);
}

TEST(Apart, brings_what_the_work_returns_or_why_it_broke) {
    const std::string large(1 << 20, 'x');
    EXPECT_EQ(apart([&] { return large; }).text, large);
    const Apart broken = apart([]() -> std::string { throw std::runtime_error("no luck"); });
    EXPECT_EQ(broken.end, Apart::End::broken);
    EXPECT_EQ(broken.text, "no luck");
    EXPECT_EQ(apart([]() -> std::string { std::abort(); }).text, "ended by signal 6");
    EXPECT_EQ(apart([]() -> std::string { ::_exit(0); }).text, "ended without a word");
    EXPECT_THROW((void)apart([]() -> std::string { throw InputError("bad"); }), InputError);
}

TEST(Apart, ends_work_that_takes_too_long) {
    const Apart late = apart(
        [] {
            ::pause();
            return std::string();
        },
        Seconds(0.2));
    EXPECT_EQ(late.end, Apart::End::late);
}

TEST(Command, reads_its_input_and_gives_its_output_and_errors_apart) {
    const std::string input(1 << 20, 'y');
    const CommandOutcome outcome = run_command({"sh", "-c", "cat; echo wrong >&2; exit 3"}, input);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_EQ(outcome.output, input);
    EXPECT_EQ(outcome.errors, "wrong\n");
}

TEST(Command, that_can_not_be_started_says_why) {
    const CommandOutcome outcome = run_command({"/no/such/program"});
    EXPECT_EQ(outcome.status, 127);
    EXPECT_EQ(outcome.errors, "/no/such/program: No such file or directory\n");
    EXPECT_THROW(become({"/no/such/program"}), InputError);
    EXPECT_EQ(find_program("/no/such/program"), std::nullopt);
    EXPECT_NE(find_program("sh"), std::nullopt);
}

}  // namespace
}  // namespace espalier
