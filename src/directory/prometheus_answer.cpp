#include "directory/prometheus_answer.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"
#include "core/json_reader.hpp"
#include "directory/measurement_text.hpp"
#include "directory/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace espalier::directory {

namespace {

constexpr long status_ok = 200;
constexpr long status_not_found = 404;
/// The longest part of a server's own words that is passed on.
constexpr std::size_t longest_quotation = 300;

/// A text of somebody else's in a line of ours.
std::string quotable(std::string text) {
    if (text.size() > longest_quotation) text = text.substr(0, longest_quotation) + "...";
    std::replace_if(
        text.begin(), text.end(),
        [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f'; },
        ' ');
    return text;
}

/// A member of an object if it is there and a text, else nothing.
std::string text_member(const Json& object, const std::string& name) {
    if (!object.is_object()) return {};
    const auto member = object.find(name);
    return member != object.end() && member->is_string() ? member->get<std::string>()
                                                         : std::string();
}

/// The reason that a server gives for not answering; its whole answer if it has not Prometheus'
/// form.
std::string refusal(const HttpAnswer& answer) {
    const Json said = Json::parse(answer.body, nullptr, false);
    const std::string error = text_member(said, "error");
    if (!error.empty()) {
        const std::string type = text_member(said, "errorType");
        return quotable(fmt::format("refuses: {}{}{}", type, type.empty() ? "" : ": ", error));
    }
    if (answer.status == status_not_found)
        return "answers 404 (not found): no Prometheus has its query interface there";
    if (answer.status == status_ok) return "answers without success, and does not say why";
    return fmt::format("answers with HTTP status {}", answer.status);
}

/// `{from="a", to="b"}`, as Prometheus would write it.
std::string series_name(const Json& metric) {
    std::string name;
    for (const auto& [label, value] : metric.items())
        if (value.is_string())
            name += fmt::format("{}{}=\"{}\"", name.empty() ? "" : ", ", label,
                                value.get<std::string>());
    return "{" + quotable(name) + "}";
}

/// A sample's value; nothing if it is not even a number.
std::optional<double> sample_value(std::string_view text) {
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "+Inf" || text == "Inf") return infinity;
    if (text == "-Inf") return -infinity;
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// One query's answer, read series by series.
class Reader {
public:
    Reader(const PrometheusSettings& settings, const PrometheusSettings::Query& query,
           const Period& period, std::vector<Measurement>& measurements)
        : settings_(settings), query_(query), period_(period), measurements_(measurements) {}

    [[noreturn]] void fail(const std::string& problem) const {
        throw InputError(settings_.address.name, std::string(name_of(query_.quantity)), problem);
    }

    void read_series(const Json& series) const {
        const auto metric = series.find("metric");
        if (metric == series.end() || !metric->is_object())
            fail("its answer has a series without labels");
        Measurement measurement = measurement_of(*metric);
        const auto values = series.find("values");
        if (values == series.end() || !values->is_array())
            fail(fmt::format("{} has no plain values", series_name(*metric)));
        if (measurement.pair.from == measurement.pair.to) return;
        for (const Json& sample : *values) read_sample(sample, *metric, measurement);
    }

private:
    [[nodiscard]] std::string label(const Json& metric, const std::string& name,
                                    const std::string& parameter) const {
        std::string value = text_member(metric, name);
        if (value.empty())
            fail(fmt::format("{} has no label '{}'; name another one with {}=LABEL",
                             series_name(metric), name, parameter));
        return value;
    }

    /// The measurement of a series, without time and value.
    [[nodiscard]] Measurement measurement_of(const Json& metric) const {
        Measurement measurement;
        measurement.quantity = query_.quantity;
        measurement.pair.from = label(metric, settings_.from_label, "from");
        measurement.pair.to = label(metric, settings_.to_label, "to");
        measurement.by = text_member(metric, settings_.by_label);
        // Every series that was scraped tells from where.
        if (measurement.by.empty()) measurement.by = text_member(metric, "instance");
        if (measurement.by.empty()) measurement.by = settings_.address.name;
        std::string bytes = text_member(metric, settings_.bytes_label);
        if (query_.quantity == Quantity::gap) bytes = label(metric, settings_.bytes_label, "bytes");
        if (!bytes.empty()) measurement.size = size_of(metric, bytes);
        return measurement;
    }

    [[nodiscard]] Bytes size_of(const Json& metric, const std::string& text) const {
        constexpr std::uint64_t too_large = std::uint64_t{1} << 53U;
        std::uint64_t size = 0;
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), size);
        if (fault != std::errc{} || end != text.data() + text.size() || size == 0 ||
            size >= too_large)
            fail(fmt::format("{} has '{}' in the label '{}', which is not a number of bytes",
                             series_name(metric), quotable(text), settings_.bytes_label));
        return Bytes(size);
    }

    void read_sample(const Json& sample, const Json& metric, Measurement& measurement) const {
        if (!sample.is_array() || sample.size() != 2 || !sample[0].is_number() ||
            !sample[1].is_string())
            fail(fmt::format("{} has a sample that is not [time, \"value\"]", series_name(metric)));
        const auto time = sample[0].get<double>();
        constexpr double latest_s = 1e11;  // the year 5138: microseconds of it fit 64 bits
        if (!(std::abs(time) <= latest_s))
            fail(fmt::format("{} has a sample at the time {}", series_name(metric), time));
        // Its times are whole milliseconds.
        measurement.at = Time(std::chrono::milliseconds(std::llround(time * 1e3)));
        if (measurement.at < period_.begin || measurement.at > period_.end) return;
        const auto text = sample[1].get<std::string>();
        const std::optional<double> value = sample_value(text);
        if (!value)
            fail(fmt::format("{} is '{}', which is not a number", series_name(metric),
                             quotable(text)));
        if (std::isnan(*value)) return;
        measurement.value = *value * query_.factor;
        const bool is_bandwidth = query_.quantity == Quantity::bandwidth;
        if (!std::isfinite(measurement.value) || measurement.value < 0 ||
            (is_bandwidth && measurement.value == 0))
            fail(fmt::format("{} was {} at {}, which is not a {}", series_name(metric),
                             quotable(text), format_time(measurement.at),
                             name_of(query_.quantity)));
        measurements_.push_back(measurement);
    }

    const PrometheusSettings& settings_;
    const PrometheusSettings::Query& query_;
    const Period& period_;
    std::vector<Measurement>& measurements_;
};

/// The answer's document without its series, which are read as soon as they are whole: all at once
/// they would take many times the room of their text.
Json parse(const HttpAnswer& answer, const Reader& reader) {
    std::string name;
    std::string name_in_data;
    const auto keep = [&](int depth, Json::parse_event_t event, const Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1) name = parsed.get<std::string>();
        if (event == Json::parse_event_t::key && depth == 2)
            name_in_data = parsed.get<std::string>();
        const bool is_series = event == Json::parse_event_t::object_end && depth == 3 &&
                               name == "data" && name_in_data == "result";
        if (is_series) reader.read_series(parsed);
        return !is_series;
    };
    try {
        return Json::parse(answer.body, keep);
    } catch (const Json::exception&) {
        const std::string type = answer.type.empty() ? "" : " (" + quotable(answer.type) + ")";
        reader.fail(fmt::format("its answer{} is not JSON, or is cut off", type));
    }
}

}  // namespace

void read_prometheus_answer(const HttpAnswer& answer, const PrometheusSettings& settings,
                            const PrometheusSettings::Query& query, const Period& period,
                            std::vector<Measurement>& measurements) {
    const Reader reader(settings, query, period, measurements);
    if (answer.status != status_ok) reader.fail(refusal(answer));
    const Json document = parse(answer, reader);
    const std::string status = text_member(document, "status");
    if (status == "error") reader.fail(refusal(answer));
    if (status != "success") reader.fail("its answer is not that of a Prometheus");
    const auto data = document.find("data");
    if (data == document.end() || text_member(*data, "resultType") != "matrix" ||
        !data->contains("result") || !(*data)["result"].is_array())
        reader.fail("its answer has no series over time");
    if (!(*data)["result"].empty()) reader.fail("its answer has something that is not a series");
}

}  // namespace espalier::directory
