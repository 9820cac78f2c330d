#include "directory/prometheus.hpp"

#include "core/error.hpp"
#include "core/random.hpp"
#include "directory/fake_server.hpp"
#include "directory/http.hpp"
#include "directory/prometheus_answer.hpp"
#include "directory/prometheus_settings.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <ostream>

namespace espalier::directory {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const Period always{Time::min(), Time::max()};

Time at_ms(long since_1970) { return Time(milliseconds(since_1970)); }

std::string complaint_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no complaint";
}

std::string with_series(const std::string& series) {
    return R"({"status":"success","data":{"resultType":"matrix","result":[)" + series + "]}}";
}

std::vector<Measurement> read(const std::string& body, const std::string& parameters = "",
                              Quantity quantity = Quantity::latency,
                              const Period& period = always) {
    const PrometheusSettings settings = parse_prometheus_url("http://host" + parameters);
    std::vector<Measurement> measurements;
    for (const auto& query : settings.queries)
        if (query.quantity == quantity)
            read_prometheus_answer({200, "application/json", body}, settings, query, period,
                                   measurements);
    return measurements;
}

TEST(PrometheusUrl, has_names_of_its_own_for_everything_not_given) {
    const auto settings = parse_prometheus_url("http://host:9090/");
    EXPECT_EQ(settings.address.url, "http://host:9090");
    ASSERT_EQ(settings.queries.size(), 3U);
    EXPECT_EQ(settings.queries[0].expression, "espalier_latency_seconds");
    EXPECT_EQ(settings.queries[1].expression, "espalier_bandwidth_bytes_per_second");
    EXPECT_EQ(settings.queries[2].expression, "espalier_gap_seconds");
    EXPECT_EQ(settings.from_label + settings.to_label + settings.bytes_label, "fromtobytes");
}

TEST(PrometheusUrl, says_what_stands_for_what) {
    const auto settings = parse_prometheus_url(
        "https://h/prefix/?latency=rtt{job=~\".+%26%25\"}&latency_factor=0.5&bandwidth=&from=src"
        "&to=dst&by=who&bytes=size&lookback=2h&step=1min&timeout=250ms");
    EXPECT_EQ(settings.address.url, "https://h/prefix");
    ASSERT_EQ(settings.queries.size(), 2U) << "an empty expression leaves bandwidth out";
    EXPECT_EQ(settings.queries[0].expression, "rtt{job=~\".+&%\"}");
    EXPECT_EQ(settings.queries[0].factor, 0.5);
    EXPECT_EQ(settings.queries[1].quantity, Quantity::gap);
    EXPECT_EQ(settings.queries[1].factor, 1);
    EXPECT_EQ(settings.from_label, "src");
    EXPECT_EQ(settings.to_label, "dst");
    EXPECT_EQ(settings.by_label, "who");
    EXPECT_EQ(settings.bytes_label, "size");
    EXPECT_EQ(settings.lookback.value, 7200);
    EXPECT_EQ(settings.step.value, 60);
    EXPECT_EQ(settings.timeout.value, 0.25);
}

TEST(PrometheusUrl, names_the_parameter_that_makes_no_sense) {
    const auto complaint = [](const std::string& parameters) {
        return complaint_of([&] { (void)parse_prometheus_url("http://h/?" + parameters); });
    };
    EXPECT_EQ(complaint("latency=a&b"), "http://h: 'b' is not NAME=VALUE");
    EXPECT_EQ(complaint("from=a&from=b"), "http://h: from: is given twice");
    EXPECT_THAT(complaint("latenzy=a"), StartsWith("http://h: there is no parameter 'latenzy': "));
    EXPECT_THAT(complaint("latency=100%"), HasSubstr("'100%' has a % without two digits"));
    EXPECT_THAT(complaint("latency=%zz"), HasSubstr("'%zz' has a % without two digits"));
    EXPECT_EQ(complaint("to=0a"), "http://h: to: '0a' is not the name of a label");
    EXPECT_EQ(complaint("by="), "http://h: by: '' is not the name of a label");
    for (const std::string factor : {"0", "-1", "nan", "inf", "1x", ""})
        EXPECT_THAT(complaint("gap_factor=" + factor), StartsWith("http://h: gap_factor: "));
    for (const std::string time : {"0", "1ns", "-1s", "10000d", "soon"})
        for (const std::string name : {"lookback", "step", "timeout"})
            EXPECT_THAT(complaint(fmt::format("{}={}", name, time)),
                        StartsWith(fmt::format("http://h: {}: ", name)));
    EXPECT_EQ(complaint("latency=&bandwidth=&gap="), "http://h: no expression is left to ask for");
}

TEST(PrometheusUrl, has_to_be_one_of_http) {
    for (const std::string url :
         {"ftp://h", "http://", "http://h:99999", "http://h h/", "h:9090", "http://h/#graph"})
        EXPECT_THAT(complaint_of([&] { (void)parse_prometheus_url(url); }), StartsWith(url + ": "));
    EXPECT_TRUE(is_prometheus_url("https://h"));
    EXPECT_FALSE(is_prometheus_url("http.db"));
}

TEST(PrometheusUrl, keeps_a_password_to_itself) {
    const auto address = parse_http_address("http://me:secret@host:9090/some/path/");
    EXPECT_EQ(address.url, "http://me:secret@host:9090/some/path");
    EXPECT_EQ(address.name, "http://host:9090/some/path");
    EXPECT_EQ(without_user("http://me:secret@host/x?latency=y@z"), "http://host/x?latency=y@z");
    EXPECT_EQ(without_user("http://host?latency=y@z"), "http://host?latency=y@z");
    EXPECT_EQ(without_user("me@file.db"), "me@file.db");
    for (const std::string wrong : {"http://me:secret@host:port/", "http://me:secret@host?x=1",
                                    "http://me:secret@host/#a", "ftp://me:secret@host"})
        EXPECT_THAT(complaint_of([&] { (void)parse_prometheus_url(wrong); }),
                    AllOf(Not(HasSubstr("secret")), Not("no complaint")));
}

TEST(PrometheusUrl, tells_plain_selectors_from_other_expressions) {
    for (const std::string selector : {"up", "a:b_c9", "up{job=\"x\"}", "{__name__=~\"a|b\"}",
                                       "up {a=\"}\",b='{\"',c=`\\`}", "up{a=\"\\\"}\"}"})
        EXPECT_TRUE(is_plain_selector(selector)) << selector;
    for (const std::string expression :
         {"", "up / 2", "rate(up[5m])", "up{a=\"b\"} > 0", "up offset 5m", "2", "up{", "-up",
          "up{a=\"b} ", "{a=\"b\"}{c=\"d\"}", "up # comment"})
        EXPECT_FALSE(is_plain_selector(expression)) << expression;
}

TEST(PrometheusAnswer, gives_every_sample_its_time) {
    const auto measurements = read(with_series(
        R"({"metric":{"from":"a","to":"b","by":"me","job":"x"},)"
        R"("values":[[1700000000,"0.25"],[1700000000.125,"1e-3"],[1700000001.5,"+2"]]})"));
    ASSERT_EQ(measurements.size(), 3U);
    const Pair a_to_b{"a", "b"};
    EXPECT_EQ(measurements[0],
              (Measurement{at_ms(1700000000000), "me", a_to_b, Quantity::latency, 0.25, {}, {}}));
    EXPECT_EQ(measurements[1].at, at_ms(1700000000125));
    EXPECT_EQ(measurements[1].value, 1e-3);
    EXPECT_EQ(measurements[2].value, 2);
}

TEST(PrometheusAnswer, takes_labels_and_factors_as_told) {
    const std::string body = with_series(
        R"({"metric":{"source":"a","instance":"b:9115","size":"1048576"},"values":[[5,"8e6"]]})");
    const auto measurements = read(
        body, "/?from=source&to=instance&bytes=size&bandwidth_factor=0.125", Quantity::bandwidth);
    ASSERT_EQ(measurements.size(), 1U);
    EXPECT_EQ(measurements[0].pair, (Pair{"a", "b:9115"}));
    EXPECT_EQ(measurements[0].by, "b:9115") << "whoever was scraped, where no label says by whom";
    EXPECT_EQ(measurements[0].value, 1e6);
    EXPECT_EQ(measurements[0].size, Bytes(1048576));
}

TEST(PrometheusAnswer, leaves_out_what_was_not_measured_and_what_is_of_another_time) {
    const auto measurements =
        read(with_series(R"({"metric":{"from":"a","to":"b"},"values":[[9.999,"1"],[10,"2"],)"
                         R"([10.5,"NaN"],[11,"3"],[11.001,"4"]]},)"
                         R"({"metric":{"from":"a","to":"a"},"values":[[10,"5"]]})"),
             "", Quantity::latency, {at_ms(10000), at_ms(11000)});
    ASSERT_EQ(measurements.size(), 2U);
    EXPECT_EQ(measurements[0].value, 2);
    EXPECT_EQ(measurements[1].value, 3);
    EXPECT_TRUE(read(with_series("")).empty());
}

struct Refused {
    std::string body;
    std::string complaint;
};
std::ostream& operator<<(std::ostream& out, const Refused& refused) {
    return out << refused.complaint;
}

class PrometheusAnswerRefused : public testing::TestWithParam<Refused> {};

TEST_P(PrometheusAnswerRefused, with_one_line_that_says_why) {
    const Refused& refused = GetParam();
    const std::string complaint = complaint_of([&] { (void)read(refused.body); });
    EXPECT_THAT(complaint,
                AllOf(StartsWith("http://host: latency: "), HasSubstr(refused.complaint)));
    EXPECT_THAT(complaint, Not(HasSubstr("\n")));
}

std::string sample(const std::string& values) {
    return with_series(R"({"metric":{"from":"a","to":"b"},"values":)" + values + "}");
}

INSTANTIATE_TEST_SUITE_P(
    Nonsense, PrometheusAnswerRefused,
    testing::Values(
        Refused{"", "is not JSON, or is cut off"}, Refused{"<html>", "(application/json) is not"},
        Refused{"[]", "not that of a Prometheus"}, Refused{"7", "not that of a Prometheus"},
        Refused{"{}", "not that of a Prometheus"}, Refused{"1e999", "is not JSON"},
        Refused{R"({"status":"success"})", "no series over time"},
        Refused{R"({"status":"success","data":[]})", "no series over time"},
        Refused{R"({"status":"success","data":{"resultType":"vector","result":[]}})",
                "no series over time"},
        Refused{R"({"status":"success","data":{"resultType":"matrix"}})", "no series over time"},
        Refused{R"({"status":"success","data":{"resultType":"matrix","result":{}}})",
                "no series over time"},
        Refused{R"({"status":"error","errorType":"bad_data","error":"parse\n\u001berror"})",
                "refuses: bad_data: parse  error"},
        Refused{R"({"status":"error"})", "does not say why"},
        Refused{with_series("5"), "not a series"},
        Refused{with_series("{}"), "a series without labels"},
        Refused{with_series(R"({"metric":{"to":"b"},"values":[]})"),
                R"({to="b"} has no label 'from'; name another one with from=LABEL)"},
        Refused{with_series(R"({"metric":{"from":"a","to":""},"values":[]})"),
                "has no label 'to'; name another one with to=LABEL"},
        Refused{with_series(R"({"metric":{"from":"a","to":7},"values":[]})"), "no label 'to'"},
        Refused{with_series(R"({"metric":{"from":"a","to":"b"}})"), "has no plain values"},
        Refused{with_series(R"({"metric":{"from":"a","to":"b"},"histograms":[]})"),
                "has no plain values"},
        Refused{sample(R"([5])"), R"(not [time, "value"])"},
        Refused{sample(R"([[5,6]])"), R"(not [time, "value"])"},
        Refused{sample(R"([["5","6"]])"), R"(not [time, "value"])"},
        Refused{sample(R"([[5,"6",7]])"), R"(not [time, "value"])"},
        Refused{sample(R"([[1e300,"6"]])"), "at the time 1e+300"},
        Refused{sample(R"([[5,"six"]])"), R"({from="a", to="b"} is 'six', which is not a number)"},
        Refused{sample(R"([[5,""]])"), "not a number"},
        Refused{sample(R"([[5,"1 "]])"), "not a number"},
        Refused{sample(R"([[5,"-0.5"]])"),
                "was -0.5 at 1970-01-01T00:00:05Z, which is not a latency"},
        Refused{sample(R"([[5,"+Inf"]])"),
                "was +Inf at 1970-01-01T00:00:05Z, which is not a latency"},
        Refused{sample(R"([[5,"-Inf"]])"), "was -Inf"},
        Refused{sample(R"([[5,"inf"]])"), "was inf"}));

TEST(PrometheusAnswer, refuses_a_bandwidth_of_0_and_a_gap_of_no_size) {
    EXPECT_THAT(complaint_of([] { (void)read(sample(R"([[5,"0"]])"), "", Quantity::bandwidth); }),
                HasSubstr("which is not a bandwidth"));
    EXPECT_EQ(read(sample(R"([[5,"0"]])")).size(), 1U) << "a latency of 0 is one";
    EXPECT_THAT(complaint_of([] { (void)read(sample(R"([[5,"1"]])"), "", Quantity::gap); }),
                HasSubstr("has no label 'bytes'"));
    for (const std::string size :
         {"0", "-1", "1.5", "many", "1e3", "9007199254740992", "99999999999999999999"})
        EXPECT_THAT(complaint_of([&] {
                        (void)read(with_series(R"({"metric":{"from":"a","to":"b","bytes":")" +
                                               size + R"("},"values":[[5,"1"]]})"),
                                   "", Quantity::gap);
                    }),
                    HasSubstr("'" + size + "' in the label 'bytes'"));
}

TEST(PrometheusAnswer, is_refused_wherever_it_is_cut_off) {
    const std::string whole = sample(R"([[5,"1"],[6,"2"]])");
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_NE(complaint_of([&] { (void)read(whole.substr(0, length)); }), "no complaint");
}

TEST(PrometheusAnswer, never_does_worse_than_complain_in_one_line) {
    Random random(7);
    const std::string whole = sample(R"([[5,"1"],[6,"NaN"],[7.25,"2e-3"]])");
    for (int trial = 0; trial < 5000; ++trial) {
        std::string body = whole;
        for (std::uint64_t change = 0; change <= random.below(4); ++change)
            body[random.below(body.size())] = static_cast<char>(random.below(256));
        EXPECT_THAT(complaint_of([&] { (void)read(body); }), Not(HasSubstr("\n")));
    }
}

std::string complaint_about(const FakeServer& server, const std::string& parameters = "") {
    const auto began = std::chrono::steady_clock::now();
    std::string complaint =
        complaint_of([&] { (void)open_prometheus(server.url() + parameters)->read(always); });
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
    EXPECT_THAT(complaint, AllOf(StartsWith(server.url() + ": "), Not(HasSubstr("\n"))));
    return complaint;
}

TEST(PrometheusServer, is_asked_for_raw_samples_of_the_period) {
    const FakeServer server([](const std::string& target) {
        const bool latency = target.find("espalier_latency") != std::string::npos;
        return http_answer("200 OK", latency ? sample(R"([[12.5,"1"]])") : with_series(""));
    });
    const auto source = open_prometheus(server.url() + "/prefix/?gap=sum(x%2By)&step=2s");
    const auto measurements = source->read({at_ms(10000), at_ms(70000) + milliseconds(250)});
    ASSERT_EQ(measurements.size(), 1U);
    EXPECT_EQ(measurements[0].at, at_ms(12500));
    const auto targets = server.targets();
    ASSERT_EQ(targets.size(), 3U);
    EXPECT_EQ(targets[0],
              "/prefix/api/v1/query?query=espalier_latency_seconds%5B60251ms%5D&time=70.250");
    EXPECT_EQ(percent_decoded(targets[2], ""),
              "/prefix/api/v1/query?query=(sum(x+y)\n)[60251ms:2000ms]&time=70.250");
}

TEST(PrometheusServer, reaches_back_from_now_where_a_period_has_no_limits) {
    const FakeServer server(
        [](const std::string&) { return http_answer("200 OK", with_series("")); });
    const double before =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    EXPECT_TRUE(open_prometheus(server.url() + "?lookback=10min&gap=&bandwidth=")
                    ->read({Time(), Time::max()})
                    .empty());
    ASSERT_EQ(server.targets().size(), 1U);
    const std::string target = server.targets()[0];
    EXPECT_THAT(target, HasSubstr("%5B600001ms%5D"));
    EXPECT_NEAR(std::stod(target.substr(target.rfind('=') + 1)), before, 5);
}

TEST(PrometheusServer, gives_measurements_oldest_first) {
    const FakeServer server([](const std::string& target) {
        const bool latency = target.find("espalier_latency") != std::string::npos;
        return http_answer(
            "200 OK", latency
                          ? with_series(R"({"metric":{"from":"a","to":"b"},"values":[[30,"1"]]},)"
                                        R"({"metric":{"from":"b","to":"a"},"values":[[10,"1"]]})")
                          : with_series(""));
    });
    const auto measurements = open_prometheus(server.url())->read({at_ms(1), at_ms(40000)});
    ASSERT_EQ(measurements.size(), 2U);
    EXPECT_EQ(measurements[0].pair.from, "b");
}

TEST(PrometheusServer, that_is_down_is_named) {
    std::string url;
    {
        const FakeServer server([](const std::string&) { return ""; });
        url = server.url();
    }
    EXPECT_EQ(complaint_of([&] { (void)open_prometheus(url)->read(always); }),
              url + ": can't be reached: Connection refused");
}

TEST(PrometheusServer, that_never_answers_is_given_up) {
    const FakeServer silent([](const std::string&) { return ""; }, true);
    EXPECT_THAT(complaint_about(silent, "?timeout=100ms"),
                EndsWith("no whole answer within 100 ms"));
    const FakeServer pausing(
        [](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"; }, true);
    EXPECT_THAT(complaint_about(pausing, "?timeout=100ms"),
                EndsWith("no whole answer within 100 ms"));
}

TEST(PrometheusServer, that_answers_without_success_is_quoted) {
    const auto complaint = [](const std::string& status, const std::string& body) {
        const FakeServer server([&](const std::string&) { return http_answer(status, body); });
        return complaint_about(server);
    };
    EXPECT_THAT(complaint("404 Not Found", "<html>"), HasSubstr("latency: answers 404"));
    EXPECT_THAT(complaint("500 Oh", ""), HasSubstr("latency: answers with HTTP status 500"));
    EXPECT_THAT(complaint("200 OK", "<html>"), HasSubstr("is not JSON"));
    EXPECT_THAT(complaint("400 Bad", R"({"status":"error","errorType":"bad_data","error":"no"})"),
                HasSubstr("latency: refuses: bad_data: no"));
    EXPECT_THAT(complaint("503 No", R"({"status":"error","error":5})"), HasSubstr("status 503"));
}

TEST(PrometheusServer, that_cuts_its_answer_off_is_refused) {
    const auto complaint = [](const std::string& bytes) {
        const FakeServer server([&](const std::string&) { return bytes; });
        return complaint_about(server);
    };
    const std::string whole = http_answer("200 OK", with_series(""));
    EXPECT_THAT(complaint(whole.substr(0, whole.size() - 5)), EndsWith("its answer was cut off"));
    EXPECT_THAT(complaint("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"st"),
                EndsWith("cut off"));
    EXPECT_THAT(complaint("HTTP/1.0 200 OK\r\n\r\n{\"status\":\"suc"), EndsWith("is cut off"));
    EXPECT_THAT(complaint(""), EndsWith("it hangs up without an answer"));
    EXPECT_THAT(complaint("SSH-2.0-OpenSSH_9.2\r\n"), EndsWith("its answer is not HTTP"));
}

TEST(PrometheusServer, that_answers_too_much_or_sends_us_in_circles_is_refused) {
    const FakeServer server([](const std::string& target) {
        return target == "/round" ? "HTTP/1.1 302 Found\r\nLocation: /round\r\n\r\n"
                                  : http_answer("200 OK", std::string(5000, ' '));
    });
    HttpLimits limits;
    limits.bytes = 4096;
    const HttpClient client(parse_http_address(server.url()), limits);
    EXPECT_EQ(complaint_of([&] { (void)client.get("/large"); }),
              server.url() + ": its answer is longer than 4 KiB");
    EXPECT_THAT(complaint_of([&] { (void)client.get("/round"); }), HasSubstr("redirects"));
    limits.bytes = 5000;
    EXPECT_EQ(HttpClient(parse_http_address(server.url()), limits).get("/").body.size(), 5000U);
}

}  // namespace
}  // namespace espalier::directory
