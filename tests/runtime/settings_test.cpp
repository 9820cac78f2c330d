#include "runtime/logic/settings.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"

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
    EXPECT_EQ(settings.reproducible, Settings::Reproducible::by_record);
    EXPECT_EQ(settings.memory, Bytes(64 << 20));
    EXPECT_EQ(settings.measure, Settings::Measure::automatic);
    EXPECT_EQ(settings.measure_budget, Seconds(2));
    EXPECT_EQ(settings.measure_round_trips, 10);
    EXPECT_EQ(settings.cache, "");
    EXPECT_FALSE(settings.robust);
    EXPECT_THAT(complaints, IsEmpty());
}

TEST(Settings, say_by_which_percentile_plans_are_compared) {
    const auto [settings, complaints] = read_settings(environment({{"ESPALIER_ROBUST", "p90"}}));
    EXPECT_EQ(settings.robust, 90U);
    EXPECT_THAT(complaints, IsEmpty());
    for (const auto* text : {"90", "p49", "p100", "always"}) {
        const auto read = read_settings(environment({{"ESPALIER_ROBUST", text}}));
        EXPECT_FALSE(read.settings.robust);
        EXPECT_THAT(read.complaints,
                    testing::ElementsAre(AllOf(
                        HasSubstr("ESPALIER_ROBUST: '" + std::string(text) + "' is none of p50"),
                        HasSubstr("using makespans at the costs as measured"))));
    }
}

TEST(Settings, say_how_to_start_and_what_to_use) {
    const auto [settings, complaints] =
        read_settings(environment({{"ESPALIER_MEASURE", "force"},
                                   {"ESPALIER_MEASURE_BUDGET", "50ms"},
                                   {"ESPALIER_CACHE", "/var/nets"},
                                   {"ESPALIER_MEMORY", "1.5MiB"},
                                   {"ESPALIER_PROGRESS", "thread"},
                                   {"ESPALIER_REPRODUCIBLE", "off"}}));
    EXPECT_EQ(settings.measure, Settings::Measure::force);
    EXPECT_EQ(settings.measure_budget, Seconds(0.05));
    EXPECT_EQ(settings.measure_round_trips, 0);
    EXPECT_EQ(settings.cache, "/var/nets");
    EXPECT_EQ(settings.memory, Bytes(3 << 19));
    EXPECT_EQ(settings.reproducible, Settings::Reproducible::never);
    EXPECT_EQ(settings.progress, Settings::Progress::thread);
    EXPECT_THAT(complaints, IsEmpty());
}

TEST(Settings, of_quantities_that_make_no_sense_draw_one_line_each) {
    const auto [settings, complaints] =
        read_settings(environment({{"ESPALIER_MEASURE", "on"},
                                   {"ESPALIER_MEASURE_BUDGET", "0s"},
                                   {"ESPALIER_MEMORY", "lots"},
                                   {"ESPALIER_PROGRESS", "on"},
                                   {"ESPALIER_REPRODUCIBLE", "1"}}));
    EXPECT_EQ(settings.measure, Settings::Measure::automatic);
    EXPECT_EQ(settings.measure_budget, Seconds(2));
    EXPECT_EQ(settings.measure_round_trips, 10);
    EXPECT_EQ(settings.memory, Bytes(64 << 20));
    EXPECT_EQ(settings.reproducible, Settings::Reproducible::by_record);
    EXPECT_THAT(complaints,
                testing::UnorderedElementsAre(
                    "ESPALIER_MEASURE: 'on' is none of auto, off, force; using auto",
                    AllOf(HasSubstr("ESPALIER_MEASURE_BUDGET"), HasSubstr("using 2 s")),
                    AllOf(HasSubstr("ESPALIER_MEMORY"), HasSubstr("'lots'"), HasSubstr("64 MiB")),
                    "ESPALIER_PROGRESS: 'on' is none of calls, thread; using calls",
                    "ESPALIER_REPRODUCIBLE: '1' is none of on, recorded, off; using recorded"));
}

TEST(Settings, take_no_input_and_output_of_the_program_for_files) {
    const auto [settings, complaints] = read_settings(environment(
        {{"ESPALIER_NETWORK", "-"}, {"ESPALIER_REPORT", "-"}, {"ESPALIER_METRICS", "-"}}));
    EXPECT_EQ(settings.network, "");
    EXPECT_EQ(settings.report, "");
    EXPECT_THAT(complaints, ElementsAre("ESPALIER_NETWORK: '-' is no file; ignored",
                                        "ESPALIER_REPORT: '-' is no file; ignored",
                                        "ESPALIER_METRICS: '-' is no file; ignored"));
    EXPECT_EQ(settings.metrics, "");
}

TEST(Settings, of_the_report_are_words_or_a_path) {
    const auto read = [](const std::string& value) {
        return read_settings(environment({{"ESPALIER_REPORT", value}})).settings;
    };
    EXPECT_TRUE(read("summary").summary);
    EXPECT_EQ(read("summary").report, "");
    EXPECT_FALSE(read("off").summary);
    EXPECT_EQ(read("off").report, "");
    EXPECT_FALSE(read("./off").summary);
    EXPECT_EQ(read("./off").report, "./off");
    EXPECT_EQ(read("reports/").report, "reports/");
    EXPECT_EQ(read("sumary").report, "sumary");
    EXPECT_THAT(
        read_settings(environment({{"ESPALIER_REPORT", "sumary"}})).complaints,
        ElementsAre("ESPALIER_REPORT: 'sumary' names a file; did you mean summary?; writing it"));
}

TEST(Settings, choose_an_algorithm_for_every_collective) {
    for (const plan::Algorithm& algorithm : plan::algorithms()) {
        for (const schedule::Kind kind : algorithm.collectives) {
            const auto read = read_settings(
                environment({{"ESPALIER_ALGORITHM",
                              std::string(name_of(kind)) + ":" + std::string(algorithm.name)}}));
            EXPECT_THAT(read.complaints, IsEmpty());
            EXPECT_EQ(read.settings.algorithm_for(kind).name, algorithm.name);
        }
    }
}

TEST(Settings, are_what_the_environment_says) {
    const auto [settings, complaints] =
        read_settings(environment({{"ESPALIER", "off"},
                                   {"ESPALIER_NETWORK", "net.json"},
                                   {"ESPALIER_PLAN", "always"},
                                   {"ESPALIER_LOG", "debug"},
                                   {"ESPALIER_REPORT", "run.json"},
                                   {"ESPALIER_METRICS", "metrics"},
                                   {"ESPALIER_ALGORITHM", "broadcast:ecef,alltoall:native"}}));
    EXPECT_FALSE(settings.on);
    EXPECT_EQ(settings.planning, Settings::Planning::always);
    EXPECT_EQ(settings.log, Settings::Log::debug);
    EXPECT_EQ(settings.network, "net.json");
    EXPECT_EQ(settings.report, "run.json");
    EXPECT_EQ(settings.metrics, "metrics");
    EXPECT_EQ(settings.algorithm_for(schedule::Kind::broadcast).name, "ecef");
    EXPECT_EQ(settings.algorithm_for(schedule::Kind::alltoall).name, "native");
    EXPECT_EQ(settings.algorithm_for(schedule::Kind::reduce).name, "auto");
    EXPECT_THAT(complaints, IsEmpty());
}

TEST(Settings, say_how_messages_are_cut) {
    const auto of = [](const std::string& choice) {
        return read_settings(environment({{"ESPALIER_ALGORITHM", "broadcast:" + choice}}))
            .settings.algorithm_for(schedule::Kind::broadcast)
            .segmenting;
    };
    using Mode = plan::Segmenting::Mode;
    EXPECT_EQ(of("ecef").mode, Mode::usual);
    EXPECT_EQ(of("auto").mode, Mode::usual);
    EXPECT_EQ(of("ecef@auto").mode, Mode::automatic);
    EXPECT_EQ(of("auto@none").mode, Mode::none);
    EXPECT_EQ(of("fef@64KiB").mode, Mode::fixed);
    EXPECT_EQ(of("fef@64KiB").bytes, Bytes(65536));
}

TEST(Settings, say_how_many_messages_go_at_once) {
    const auto read = read_settings(environment(
        {{"ESPALIER_ALGORITHM",
          "alltoall:open-shop@8-port,scatter:helpers@2-port,allgather:auto@full-duplex"}}));
    EXPECT_THAT(read.complaints, IsEmpty());
    using schedule::Kind;
    EXPECT_EQ(read.settings.algorithm_for(Kind::alltoall).name, "open-shop");
    EXPECT_EQ(read.settings.algorithm_for(Kind::alltoall).ports, 8u);
    EXPECT_EQ(read.settings.algorithm_for(Kind::scatter).name, "helpers");
    EXPECT_EQ(read.settings.algorithm_for(Kind::scatter).ports, 2u);
    EXPECT_EQ(read.settings.algorithm_for(Kind::allgather).ports, 1u);
    for (const char* wrong :
         {"alltoall:open-shop@64KiB", "alltoall:auto@half-duplex", "alltoall:binomial",
          "broadcast:open-shop", "alltoall:auto@0-port", "allgather:ring@64KiB",
          "barrier:centre@64KiB", "broadcast:native@64KiB", "gather:native@2-port",
          "gather:direct@half-duplex"})
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

TEST(Settings, of_a_communicator_take_the_place_of_those_they_name) {
    Settings all;
    all.planning = Settings::Planning::always;
    all.robust = 90;
    all.algorithms[schedule::Kind::reduce].name = "flat";
    const Settings own = steered(all, {{"plan", "never"}, {"algorithm", "broadcast:ecef"}});
    EXPECT_EQ(own.planning, Settings::Planning::never);
    EXPECT_EQ(own.algorithm_for(schedule::Kind::broadcast).name, "ecef");
    EXPECT_EQ(own.algorithm_for(schedule::Kind::reduce).name, "auto");
    EXPECT_EQ(own.robust, 90U);
    EXPECT_EQ(steered(all, {}).planning, Settings::Planning::always);
    EXPECT_EQ(steered(all, {{"robust", "p50"}}).robust, 50U);
}

TEST(Settings, of_a_communicator_are_refused_where_they_make_no_sense) {
    const auto refusal = [](const std::string& name, const std::string& value) -> std::string {
        try {
            (void)steered({}, {{name, value}});
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal("plan", "sometimes"),
              "ESPALIER_PLAN: 'sometimes' is none of auto, always, never");
    EXPECT_THAT(refusal("algorithm", "broadcast:quickest"), HasSubstr("no algorithm 'quickest'"));
    EXPECT_THAT(refusal("robust", "p200"), HasSubstr("ESPALIER_ROBUST: "));
    EXPECT_EQ(refusal("plan", ""), "plan: it is empty");
    EXPECT_EQ(refusal("network", "n.json"), "network: a communicator has no such setting");
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
