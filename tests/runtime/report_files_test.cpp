#include "runtime/logic/report_files.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "runtime/logic/run_report.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>

namespace espalier::runtime {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Environment only(const std::map<std::string, std::string>& variables) {
    return [variables](const std::string& name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
}

class ReportFiles : public testing::Test {
protected:
    void SetUp() override { fs::remove_all(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    const fs::path folder_ =
        fs::temp_directory_path() / ("report_files." + std::to_string(::getpid()));
    const Json run_ = RunReport().to_json({.program = "average", .mpi = "openmpi", .ranks = 4});
};

TEST_F(ReportFiles, are_named_by_program_job_and_process) {
    EXPECT_EQ(report_name("average", only({{"SLURM_JOB_ID", "4711"}}), "node1", 99),
              "average.4711.99");
    EXPECT_EQ(report_name("average", only({{"PBS_JOBID", "12.server"}}), "node1", 99),
              "average.12.server.99");
    EXPECT_EQ(report_name("average", only({}), "node1", 99), "average.node1.99");
    EXPECT_EQ(report_name("../a b", only({{"SLURM_JOB_ID", "/etc"}}), "node1", 99),
              ".._a_b._etc.99");
    EXPECT_EQ(report_name("", only({}), "h", 1), "program.h.1");
}

TEST(Jobs, have_a_name_that_all_their_processes_know) {
    EXPECT_EQ(common_job(only({{"SLURM_JOB_ID", "4711"}, {"PMIX_NAMESPACE", "p"}})), "4711");
    EXPECT_EQ(common_job(only({{"SLURM_JOB_ID", ""}, {"PMIX_NAMESPACE", "p@1"}})), "p@1");
    EXPECT_EQ(common_job(only({{"PMIX_NAMESPACE", ""}})), std::nullopt);
    EXPECT_EQ(batch_job(only({{"PMIX_NAMESPACE", "p@1"}})), std::nullopt);
    EXPECT_EQ(metrics_name("a b", "p@1", "n1.site", 7), "espalier-a_b.p_1.n1.site.7.prom");
}

TEST_F(ReportFiles, are_two_in_a_folder_that_is_made) {
    const std::string path = (folder_ / "new").string() + "/";
    const std::string file = write_report(run_, path, "average.1.2");
    EXPECT_EQ(file, (folder_ / "new" / "average.1.2.txt").string());
    EXPECT_THAT(read_file(file), HasSubstr("average, 4 ranks, openmpi"));
    Json storage;
    EXPECT_EQ(JsonValue::parse("", read_file(path + "average.1.2.json"), storage).raw(), run_);
    (void)write_report(run_, (folder_ / "new").string(), "other.1.2");
    EXPECT_TRUE(fs::exists(folder_ / "new" / "other.1.2.json"));
}

TEST_F(ReportFiles, are_one_by_the_name_that_was_given) {
    fs::create_directories(folder_);
    EXPECT_EQ(write_report(run_, folder_ / "run", "average.1.2"), "");
    EXPECT_TRUE(fs::is_regular_file(folder_ / "run"));
}

TEST_F(ReportFiles, that_can_not_be_written_are_an_error) {
    EXPECT_THROW(write_report(run_, "/proc/nowhere/", "average.1.2"), InputError);
    EXPECT_THROW(write_report(run_, (folder_ / "none" / "run.json").string(), "average.1.2"),
                 InputError);
}

TEST(ProgramName, is_that_of_this_test) { EXPECT_EQ(program_name(), "test_runtime"); }

}  // namespace
}  // namespace espalier::runtime
