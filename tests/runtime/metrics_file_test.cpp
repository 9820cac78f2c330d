#include "runtime/logic/metrics_file.hpp"

#include "core/files.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace espalier::runtime {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class MetricsFiles : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() /
                  testing::UnitTest::GetInstance()->current_test_info()->name();
        fs::remove_all(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string path() const { return folder_ / "sub" / "espalier-a.prom"; }
    [[nodiscard]] std::string text(bool ended) {
        return std::to_string(++written_) + (ended ? " at the end\n" : "\n");
    }
    void wait_for(int times) const {
        for (int waited = 0; written_ < times && waited < 5000; ++waited)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ASSERT_GE(written_, times);
    }
    std::vector<std::string> warnings() {
        const std::scoped_lock lock(mutex_);
        return warnings_;
    }

    MetricsFile::Text writer() {
        return [this](bool ended) { return text(ended); };
    }
    MetricsFile::Warn warner() {
        return [this](const std::string& line) {
            const std::scoped_lock lock(mutex_);
            warnings_.push_back(line);
        };
    }

    fs::path folder_;
    std::atomic<int> written_ = 0;
    std::mutex mutex_;
    std::vector<std::string> warnings_;
};

TEST_F(MetricsFiles, are_written_again_and_again_and_at_the_end) {
    MetricsFile file(path(), Seconds(0.001), writer(), warner());
    wait_for(3);
    file.end();
    const int last = written_;
    EXPECT_EQ(read_file(path()), std::to_string(last) + " at the end\n");
    EXPECT_THAT(warnings(), SizeIs(0));
    // Nothing is left beside it, and nothing is written any more.
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "sub"), fs::directory_iterator()), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(written_, last);
}

TEST_F(MetricsFiles, are_written_at_once_whatever_the_period) {
    MetricsFile file(path(), Seconds(3600), writer(), warner());
    wait_for(1);
    const auto began = std::chrono::steady_clock::now();
    file.end();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60));
    EXPECT_EQ(read_file(path()), "2 at the end\n");
}

TEST_F(MetricsFiles, without_a_period_are_written_at_the_end_alone) {
    MetricsFile file(path(), Seconds(0), writer(), warner());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(written_, 0);
    file.end();
    EXPECT_EQ(read_file(path()), "1 at the end\n");
}

TEST_F(MetricsFiles, complain_once_of_a_folder_that_vanished_and_go_on) {
    MetricsFile file(path(), Seconds(0.001), writer(), warner());
    wait_for(1);
    // At once: what is removed a file at a time may meet one that is just being written.
    const fs::path elsewhere = folder_.string() + "-elsewhere";
    fs::rename(folder_, elsewhere);
    fs::remove_all(elsewhere);
    wait_for(written_ + 5);
    EXPECT_THAT(warnings(), ElementsAre(HasSubstr("ESPALIER_METRICS: ")));
    fs::create_directories(folder_ / "sub");
    file.end();
    EXPECT_THAT(warnings(), SizeIs(1));
    EXPECT_THAT(read_file(path()), HasSubstr("at the end"));
}

TEST_F(MetricsFiles, end_nothing_when_their_content_fails) {
    MetricsFile file(
        path(), Seconds(0), [](bool) -> std::string { throw std::runtime_error("no memory"); },
        warner());
    file.end();
    EXPECT_THAT(warnings(), ElementsAre(HasSubstr("no memory")));
}

}  // namespace
}  // namespace espalier::runtime
