#include "core/files.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace {

int umasks = 0;

}  // namespace

/// In place of the C library's: what changes the mask of a process changes that of all its threads.
extern "C" mode_t umask(mode_t mask) noexcept {
    ++umasks;
    return static_cast<mode_t>(::syscall(SYS_umask, mask));
}

namespace espalier {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

class Files : public ::testing::Test {
protected:
    Files() {
        std::string pattern = (fs::temp_directory_path() / "espalier-files-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    void TearDown() override { fs::remove_all(folder_); }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    static std::string fault_of(const auto& action) {
        try {
            action();
        } catch (const InputError& fault) {
            return fault.what();
        }
        return "";
    }

private:
    fs::path folder_;
};

TEST_F(Files, reads_what_it_wrote_and_leaves_nothing_else) {
    const std::string content("a\0b\n", 4);
    write_file(path("x"), content);
    EXPECT_EQ(read_file(path("x")), content);
    write_file(path("x"), "second");
    EXPECT_EQ(read_file(path("x")), "second");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, keeps_the_mode_of_a_file_that_was_there) {
    write_file(path("x"), "1");
    ::chmod(path("x").c_str(), 0640);
    write_file(path("x"), "2");
    struct stat status {};
    ASSERT_EQ(::stat(path("x").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0640U);
}

TEST_F(Files, gives_a_new_file_the_mode_of_new_files_without_touching_the_mask) {
    const mode_t before = ::umask(027);
    umasks = 0;
    write_file(path("x"), "1");
    EXPECT_EQ(umasks, 0);
    ::umask(before);
    struct stat status {};
    ASSERT_EQ(::stat(path("x").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0640U);
}

TEST_F(Files, names_the_file_that_it_can_not_read_or_write) {
    EXPECT_THAT(fault_of([&] { static_cast<void>(read_file(path("none"))); }),
                StartsWith(path("none") + ": "));
    EXPECT_THAT(fault_of([&] { static_cast<void>(read_file(path(""))); }),
                ::testing::HasSubstr("is a folder"));
    EXPECT_THAT(fault_of([&] { write_file(path("no/such/folder"), "1"); }),
                StartsWith(path("no/such/folder") + ": "));
    EXPECT_THAT(fault_of([&] { require_writable(path("no/such/folder")); }),
                StartsWith(path("no/such/folder") + ": "));
    EXPECT_THAT(fault_of([&] { write_file(path(""), "1"); }), ::testing::HasSubstr("is a folder"));
    EXPECT_EQ(entries(), 0U);
}

TEST_F(Files, asking_whether_a_file_can_be_written_does_not_write_it) {
    require_writable(path("x"));
    EXPECT_EQ(entries(), 0U);
    write_file(path("x"), "1");
    require_writable(path("x"));
    EXPECT_EQ(read_file(path("x")), "1");
    EXPECT_EQ(entries(), 1U);
    require_writable("-");
}

TEST_F(Files, writes_into_devices_without_replacing_them) {
    write_file("/dev/null", "1");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace espalier
