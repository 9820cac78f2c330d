#include "testbed/state.hpp"

#include "core/error.hpp"
#include "core/file_descriptor.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace espalier::testbed {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string fault_of(const auto& action) {
    try {
        action();
    } catch (const InputError& fault) {
        return fault.what();
    }
    return "";
}

class TestbedState : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "espalier-state-XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        runtime_ = pattern;
        ::setenv("XDG_RUNTIME_DIR", pattern.c_str(), 1);
        base_ = runtime_ / ("espalier-testbed-" + std::to_string(getuid()));
        fs::create_directory(base_);
        ::chmod(base_.c_str(), 0700);
    }
    void TearDown() override {
        ::unsetenv("XDG_RUNTIME_DIR");
        fs::remove_all(runtime_);
    }

    fs::path runtime_;
    fs::path base_;
};

TEST_F(TestbedState, is_in_a_folder_that_nobody_else_can_write_to) {
    EXPECT_FALSE(FileDescriptor(State("x").connect()));
    ::chmod(base_.c_str(), 0777);
    EXPECT_THAT(fault_of([] { State("x"); }), HasSubstr("is not a folder of this user's alone"));
    fs::remove(base_);
    fs::create_symlink("/tmp", base_);
    EXPECT_THAT(fault_of([] { State("x"); }), HasSubstr("is not a folder of this user's alone"));
}

TEST_F(TestbedState, is_in_no_folder_of_another_user) {
    constexpr uid_t another = 65534;
    if (::chown(base_.c_str(), another, another) != 0) GTEST_SKIP() << "needs root";
    EXPECT_THAT(fault_of([] { State("x"); }), HasSubstr("is not a folder of this user's alone"));
}

TEST_F(TestbedState, speaks_to_nobody_elses_keeper) {
    constexpr uid_t another = 65534;
    const State state("x");
    fs::create_directory(base_ / "x");
    const FileDescriptor listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, state.socket().c_str(), sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    // Whoever begins to listen is whom a caller speaks to.
    if (::seteuid(another) != 0) GTEST_SKIP() << "needs root";
    const int listens = ::listen(listening.get(), 1);
    ASSERT_EQ(::seteuid(0), 0);
    ASSERT_EQ(listens, 0);
    EXPECT_THAT(fault_of([&] { FileDescriptor(state.connect()); }),
                HasSubstr("another user listens there"));
}

}  // namespace
}  // namespace espalier::testbed
