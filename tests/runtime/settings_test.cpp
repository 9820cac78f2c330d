#include "runtime/logic/settings.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace espalier::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Environment environment(std::map<std::string, std::string> variables) {
    return [variables = std::move(variables)](const std::string& name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
}

TEST(Settings, have_defaults) {
    const auto [settings, complaints] = read_settings(environment({}));
    EXPECT_TRUE(settings.on);
    EXPECT_EQ(settings.planning, Settings::Planning::automatic);
    EXPECT_EQ(settings.log, Settings::Log::info);
    EXPECT_EQ(settings.network, "");
    EXPECT_EQ(settings.report, "");
    EXPECT_EQ(settings.algorithm_for(schedule::Kind::broadcast).name, "auto");
    EXPECT_THAT(complaints, IsEmpty());
}

TEST(Settings, are_what_the_environment_says) {
    const auto [settings, complaints] =
        read_settings(environment({{"ESPALIER", "off"},
                                   {"ESPALIER_NETWORK", "net.json"},
                                   {"ESPALIER_PLAN", "always"},
                                   {"ESPALIER_LOG", "debug"},
                                   {"ESPALIER_REPORT", "run.json"},
                                   {"ESPALIER_ALGORITHM", "broadcast:ecef,alltoall:native"}}));
    EXPECT_FALSE(settings.on);
    EXPECT_EQ(settings.planning, Settings::Planning::always);
    EXPECT_EQ(settings.log, Settings::Log::debug);
    EXPECT_EQ(settings.network, "net.json");
    EXPECT_EQ(settings.report, "run.json");
    EXPECT_EQ(settings.algorithm_for(schedule::Kind::broadcast).name, "ecef");
    EXPECT_EQ(settings.algorithm_for(schedule::Kind::alltoall).name, "native");
    EXPECT_EQ(settings.algorithm_for(schedule::Kind::reduce).name, "auto");
    EXPECT_THAT(complaints, IsEmpty());
}

TEST(Settings, cut_no_message_for_a_named_algorithm_unless_asked_to) {
    const auto of = [](const std::string& choice) {
        return read_settings(environment({{"ESPALIER_ALGORITHM", "broadcast:" + choice}}))
            .settings.algorithm_for(schedule::Kind::broadcast)
            .effective_segmenting();
    };
    using Mode = plan::Segmenting::Mode;
    EXPECT_EQ(of("ecef").mode, Mode::none);
    EXPECT_EQ(of("auto").mode, Mode::automatic);
    EXPECT_EQ(of("ecef@auto").mode, Mode::automatic);
    EXPECT_EQ(of("auto@none").mode, Mode::none);
    EXPECT_EQ(of("fef@64KiB").mode, Mode::fixed);
    EXPECT_EQ(of("fef@64KiB").bytes, Bytes(65536));
}

TEST(Settings, say_how_many_messages_of_an_exchange_go_at_once) {
    const auto read =
        read_settings(environment({{"ESPALIER_ALGORITHM", "alltoall:open-shop@8-port"}}));
    EXPECT_THAT(read.complaints, IsEmpty());
    const AlgorithmChoice choice = read.settings.algorithm_for(schedule::Kind::alltoall);
    EXPECT_EQ(choice.name, "open-shop");
    EXPECT_EQ(choice.ports, 8u);
    for (const char* wrong : {"alltoall:open-shop@64KiB", "alltoall:auto@half-duplex",
                              "alltoall:binomial", "broadcast:open-shop", "alltoall:auto@0-port"})
        EXPECT_EQ(read_settings(environment({{"ESPALIER_ALGORITHM", wrong}})).complaints.size(), 1u)
            << wrong;
}

TEST(Settings, complain_in_one_line_each_and_use_the_default) {
    const auto [settings, complaints] =
        read_settings(environment({{"ESPALIER", "yes"},
                                   {"ESPALIER_PLAN", "sometimes"},
                                   {"ESPALIER_LOG", "loud"},
                                   {"ESPALIER_ALGORITHM",
                                    "broadcast:quickest,scan:ecef,ecef,broadcast:ecef@0,"
                                    "alltoall:ecef,broadcast:"}}));
    EXPECT_TRUE(settings.on);
    EXPECT_EQ(settings.planning, Settings::Planning::automatic);
    EXPECT_EQ(settings.log, Settings::Log::info);
    EXPECT_EQ(settings.algorithm_for(schedule::Kind::broadcast).name, "auto");
    EXPECT_THAT(complaints,
                ElementsAre("ESPALIER: 'yes' is none of on, off; using on",
                            "ESPALIER_PLAN: 'sometimes' is none of auto, always, never; using auto",
                            "ESPALIER_LOG: 'loud' is none of quiet, info, debug; using info",
                            HasSubstr("no algorithm 'quickest'"), HasSubstr("scan"),
                            HasSubstr("COLLECTIVE:ALGORITHM"), HasSubstr("no bytes"),
                            HasSubstr("alltoall: no algorithm 'ecef'"), HasSubstr("no algorithm")));
}

TEST(Settings, keep_the_good_part_of_a_list) {
    const auto [settings, complaints] =
        read_settings(environment({{"ESPALIER_ALGORITHM", "scan:ecef,broadcast:flat"}}));
    EXPECT_EQ(settings.algorithm_for(schedule::Kind::broadcast).name, "flat");
    EXPECT_EQ(complaints.size(), 1u);
}

TEST(TestHosts, are_counted_by_rank) {
    const auto hosts = environment({{"ESPALIER_TEST_HOSTS", "a,,b"}});
    EXPECT_EQ(test_host(hosts, 0), "a");
    EXPECT_EQ(test_host(hosts, 1), std::nullopt);
    EXPECT_EQ(test_host(hosts, 2), "b");
    EXPECT_EQ(test_host(hosts, 3), std::nullopt);
    EXPECT_EQ(test_host(environment({}), 0), std::nullopt);
}

}  // namespace
}  // namespace espalier::runtime
