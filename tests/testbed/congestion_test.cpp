#include "testbed/congestion.hpp"

#include "core/error.hpp"
#include "core/files.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace espalier::testbed {
namespace {

namespace fs = std::filesystem;

class Congestion : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "espalier-congestion-XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        files_ = {folder_ / "available", folder_ / "allowed", folder_ / "added"};
        write_file(files_.available, "reno cubic bbr vegas\n");
        write_file(files_.allowed, "reno bbr\n");
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string allowed() const {
        std::string text = read_file(files_.allowed);
        if (text.ends_with('\n')) text.pop_back();
        return text;
    }

    /// A process with a permit is killed. A host that it started stays until the pipe is closed.
    void kill_one_with_permit(const std::string& name, const std::array<int, 2>& pipe) const {
        const pid_t holder = fork();
        if (holder == 0) {
            const CongestionPermit permit(name, files_);
            if (fork() == 0) {
                char end = 0;
                close(pipe[1]);
                (void)!read(pipe[0], &end, 1);
                _exit(0);
            }
            raise(SIGKILL);
        }
        int status = 0;
        ASSERT_EQ(waitpid(holder, &status, 0), holder);
        ASSERT_TRUE(WIFSIGNALED(status));
    }

    fs::path folder_;
    CongestionFiles files_;
};

TEST_F(Congestion, is_permitted_as_long_as_the_permit_lives) {
    {
        const CongestionPermit permit("cubic", files_);
        EXPECT_EQ(allowed(), "reno bbr cubic");
    }
    EXPECT_EQ(allowed(), "reno bbr");
}

TEST_F(Congestion, what_is_allowed_anyway_stays) {
    { const CongestionPermit permit("bbr", files_); }
    EXPECT_EQ(allowed(), "reno bbr");
}

TEST_F(Congestion, what_others_allow_meanwhile_stays) {
    {
        const CongestionPermit permit("cubic", files_);
        write_file(files_.allowed, "reno bbr cubic vegas\n");
    }
    EXPECT_EQ(allowed(), "reno bbr vegas");
}

TEST_F(Congestion, an_unknown_one_is_refused_and_leaves_nothing) {
    EXPECT_THROW(CongestionPermit("cubic vegas", files_), InputError);
    EXPECT_EQ(allowed(), "reno bbr");
    { const CongestionPermit permit("cubic", files_); }
    EXPECT_EQ(allowed(), "reno bbr");
}

TEST_F(Congestion, the_permit_of_a_process_that_was_killed_keeps_nobody_waiting_and_is_taken_back) {
    std::array<int, 2> host{};
    ASSERT_EQ(pipe(host.data()), 0);
    kill_one_with_permit("cubic", host);
    EXPECT_EQ(allowed(), "reno bbr cubic");
    {
        const CongestionPermit permit("vegas", files_);
        EXPECT_EQ(allowed(), "reno bbr vegas");
    }
    EXPECT_EQ(allowed(), "reno bbr");

    kill_one_with_permit("cubic", host);
    {
        const CongestionPermit permit("cubic", files_);
        EXPECT_EQ(allowed(), "reno bbr cubic");
    }
    EXPECT_EQ(allowed(), "reno bbr");
    close(host[0]);
    close(host[1]);
}

TEST_F(Congestion, a_second_permit_waits_for_the_first_and_is_not_taken_back_with_it) {
    pid_t second = -1;
    {
        const CongestionPermit permit("cubic", files_);
        second = fork();
        if (second == 0) {
            bool holds = false;
            {
                const CongestionPermit own("cubic", files_);
                holds = allowed() == "reno bbr cubic";
            }
            _exit(holds ? 0 : 1);
        }
        ASSERT_EQ(usleep(50'000), 0);
        EXPECT_EQ(waitpid(second, nullptr, WNOHANG), 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(second, &status, 0), second);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(allowed(), "reno bbr");
}

}  // namespace
}  // namespace espalier::testbed
