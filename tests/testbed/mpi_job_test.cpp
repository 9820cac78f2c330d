#include "testbed/mpi_job.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>

namespace espalier::testbed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

std::vector<HostEntry> hosts(std::size_t count) {
    std::vector<HostEntry> entries;
    for (std::size_t i = 0; i < count; ++i)
        entries.push_back({"h" + std::to_string(i), address_of(i), "c", "s"});
    return entries;
}

std::string complaint_of(const std::vector<std::string>& words) {
    try {
        (void)hosts_of_job(parse_mpi_job(words, {"prog"}), hosts(3));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(MpiJobTest, keeps_what_is_not_its_own_for_mpirun) {
    const MpiJob job =
        parse_mpi_job({"mpich", "-np", "2", "-genv", "A", "1", "--shuffled", "7", "-x"}, {"prog"});
    EXPECT_EQ(job.flavour, MpiJob::Flavour::mpich);
    EXPECT_EQ(job.ranks, 2U);
    EXPECT_EQ(job.shuffled, 7U);
    EXPECT_FALSE(job.eager);
    EXPECT_THAT(job.options, ElementsAre("-genv", "A", "1", "-x"));
    EXPECT_THAT(job.program, ElementsAre("prog"));
}

TEST(MpiJobTest, takes_the_first_hosts_in_order_or_all) {
    EXPECT_THAT(hosts_of_job(parse_mpi_job({"openmpi", "-n", "2"}, {"prog"}), hosts(3)),
                ElementsAre("h0", "h1"));
    EXPECT_THAT(hosts_of_job(parse_mpi_job({"openmpi"}, {"prog"}), hosts(3)),
                ElementsAre("h0", "h1", "h2"));
}

TEST(MpiJobTest, takes_fewer_hosts_where_each_has_several_ranks) {
    const auto hosts_of = [](const std::vector<std::string>& words) {
        return hosts_of_job(parse_mpi_job(words, {"prog"}), hosts(3));
    };
    EXPECT_THAT(hosts_of({"openmpi", "--ranks-per-host", "2"}), ElementsAre("h0", "h1", "h2"));
    EXPECT_THAT(hosts_of({"openmpi", "--ranks-per-host", "2", "-n", "3"}), ElementsAre("h0", "h1"));
    EXPECT_THAT(hosts_of({"openmpi", "--ranks-per-host", "2", "-n", "2"}), ElementsAre("h0"));
    EXPECT_THAT(complaint_of({"openmpi", "--ranks-per-host", "2", "-n", "7"}),
                HasSubstr("7 ranks on 3 hosts, 2 on each"));
    EXPECT_THAT(complaint_of({"openmpi", "--ranks-per-host", "0"}), HasSubstr("at least 1"));
}

TEST(MpiJobTest, takes_the_hosts_that_are_named_in_their_order) {
    const auto hosts_of = [](const std::vector<std::string>& words) {
        return hosts_of_job(parse_mpi_job(words, {"prog"}), hosts(3));
    };
    EXPECT_THAT(hosts_of({"openmpi", "--hosts", "h2,h0"}), ElementsAre("h2", "h0"));
    EXPECT_THAT(hosts_of({"openmpi", "--hosts", "h2,h0", "-n", "1"}), ElementsAre("h2"));
    EXPECT_THAT(complaint_of({"openmpi", "--hosts", "h2,h9"}), HasSubstr("no host \"h9\""));
    EXPECT_THAT(complaint_of({"openmpi", "--hosts", "h2,h0", "-n", "3"}),
                HasSubstr("3 ranks on 2 hosts"));
}

TEST(MpiJobTest, a_seed_shuffles_the_hosts_in_one_way) {
    const auto shuffled = [](const char* seed) {
        return hosts_of_job(parse_mpi_job({"openmpi", "--shuffled", seed}, {"prog"}), hosts(20));
    };
    EXPECT_EQ(shuffled("1"), shuffled("1"));
    EXPECT_NE(shuffled("1"), shuffled("2"));
    const auto ordered = hosts_of_job(parse_mpi_job({"openmpi"}, {"prog"}), hosts(20));
    EXPECT_THAT(shuffled("1"), UnorderedElementsAreArray(ordered));
    EXPECT_NE(shuffled("1"), ordered);
}

TEST(MpiJobTest, says_what_is_wrong_with_a_job) {
    EXPECT_THAT(complaint_of({}), HasSubstr("openmpi or mpich"));
    EXPECT_THAT(complaint_of({"lam"}), HasSubstr("openmpi or mpich"));
    EXPECT_THAT(complaint_of({"mpich", "-n", "4"}), HasSubstr("-n: 4 ranks on 3 hosts"));
    EXPECT_THAT(complaint_of({"mpich", "-n", "0"}), HasSubstr("-n: 0 ranks"));
    EXPECT_THAT(complaint_of({"mpich", "-n", "3x"}), HasSubstr("-n: \"3x\""));
    EXPECT_THAT(complaint_of({"mpich", "--shuffled"}), HasSubstr("--shuffled: a value"));
    EXPECT_THROW((void)parse_mpi_job({"mpich"}, {}), InputError);
}

TEST(StateTest, addresses_and_hosts_are_one_to_one) {
    EXPECT_EQ(address_of(0), "10.77.0.1");
    EXPECT_EQ(address_of(250), "10.77.1.1");
    for (const std::size_t host : {0UL, 1UL, 249UL, 250UL, 999UL}) {
        const auto address =
            static_cast<std::uint32_t>(0x0a4d0000U + (host / 250) * 256 + host % 250 + 1);
        EXPECT_EQ(host_at(address), host);
    }
    EXPECT_GT(host_at(0x0a4d0000U), 1000U);
    EXPECT_GT(host_at(0x0a4d00ffU), 1000U);
    EXPECT_GT(host_at(0x0a4c0001U), 1000U);
}

TEST(StateTest, a_name_is_that_of_a_folder) {
    EXPECT_NO_THROW(State("a-b_c.1"));
    for (const char* const name : {"", "..", "a/b", "-x", "a b"})
        EXPECT_THROW(State{name}, InputError) << name;
}

}  // namespace
}  // namespace espalier::testbed
