#include "directory/rules.hpp"

#include "core/error.hpp"
#include "core/expectations.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "directory/measurement_text.hpp"
#include "directory/time.hpp"
#include "network/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace espalier::directory {

namespace {

using Subject = std::tuple<Pair, Quantity, std::optional<Bytes>, std::vector<Pair>>;

Value value_of(const Measurement& measurement) {
    return {.pair = measurement.pair,
            .quantity = measurement.quantity,
            .size = measurement.size,
            .company = company_of(measurement),
            .value = measurement.value,
            .newest = measurement.at,
            .oldest = measurement.at,
            .by = measurement.by,
            .measurements = 1};
}

/// What was measured of one subject: the newest, and all, oldest first.
struct Group {
    Value value;
    std::vector<double> all;
};

Subject subject_of(const Value& value) {
    return {value.pair, value.quantity, value.size, value.company};
}

std::map<Subject, Group> grouped(const std::vector<Measurement>& measurements) {
    std::map<Subject, Group> groups;
    for (const Measurement& measurement : measurements) {
        Value value = value_of(measurement);
        Group& group = groups[subject_of(value)];
        if (!group.all.empty()) value.oldest = group.value.oldest;
        group.value = std::move(value);
        group.all.push_back(measurement.value);
        group.value.measurements = group.all.size();
    }
    return groups;
}

/// The relative spread of a log-normal variable of which the variance of the logarithm is known
/// from so many measurements, and from the presumed uncertainty as one more.
double spread_of(double variance, std::size_t measurements) {
    const auto count = static_cast<double>(measurements);
    const double presumed = std::log1p(network::presumed_uncertainty);
    const double deviation = std::sqrt(variance + presumed * presumed / count);
    return std::min(std::expm1(deviation), network::most_spread);
}

std::optional<double> spread_of(const std::vector<double>& values) {
    if (minimum(values) <= 0) return std::nullopt;
    const auto count = static_cast<double>(values.size());
    double sum = 0;
    for (const double value : values) sum += std::log(value);
    double squares = 0;
    for (const double value : values) squares += std::pow(std::log(value) - sum / count, 2);
    return spread_of(squares / count, values.size());
}

std::vector<Value> percentiles(const Rule& rule, const std::vector<Measurement>& measurements) {
    std::vector<Value> values;
    for (auto& [subject, group] : grouped(measurements)) {
        const bool more_is_better = group.value.quantity == Quantity::bandwidth;
        group.value.value =
            percentile(group.all, more_is_better ? 100 - rule.percentile : rule.percentile);
        group.value.spread = spread_of(group.all);
        values.push_back(std::move(group.value));
    }
    return values;
}

/// Of a bandwidth its cost is expected, the time of a byte: what times are made of.
std::vector<Value> expectations(const std::vector<Measurement>& measurements, Time at) {
    std::map<Subject, Group> groups = grouped(measurements);
    const auto seconds = [&](Time time) {
        return Seconds(std::chrono::duration<double>(time - at).count());
    };
    // All values of one sender may change together, and those of one receiver.
    std::map<std::string_view, std::size_t> nodes;
    std::map<Subject, std::size_t> index;
    std::vector<std::vector<std::size_t>> ends(2);
    for (const auto& [subject, group] : groups) {
        index.emplace(subject, index.size());
        ends[0].push_back(nodes.emplace(group.value.pair.from, nodes.size()).first->second);
        ends[1].push_back(nodes.emplace(group.value.pair.to, nodes.size()).first->second);
    }
    // How long values last may differ between quantities; sizes of messages change nothing in it.
    constexpr std::size_t quantities = 3;
    std::vector<Expectations> known(quantities, Expectations(groups.size(), ends));
    for (const Measurement& measurement : measurements) {
        const Value value = value_of(measurement);
        const bool rate = value.quantity == Quantity::bandwidth;
        known[static_cast<std::size_t>(value.quantity)].add(index.at(subject_of(value)),
                                                            seconds(measurement.at),
                                                            rate ? 1 / value.value : value.value);
    }
    std::vector<Value> values;
    for (auto& [subject, group] : groups) {
        const Expectations& of = known[static_cast<std::size_t>(group.value.quantity)];
        const auto [cost, deviation] = of.at(values.size(), Seconds(0));
        if (cost > 0)
            group.value.spread =
                spread_of(std::log1p(std::pow(deviation / cost, 2)), group.all.size());
        group.value.value = group.value.quantity == Quantity::bandwidth ? 1 / cost : cost;
        values.push_back(std::move(group.value));
    }
    return values;
}

/// The largest unit in which it is a whole number.
std::string window_text(Seconds window) {
    constexpr std::array<std::pair<std::string_view, double>, 4> units{
        {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}}};
    for (const auto& [name, seconds] : units)
        if (std::fmod(window.value, seconds) == 0)
            return fmt::format("{}{}", window.value / seconds, name);
    return fmt::format("{}s", window.value);
}

}  // namespace

Rule parse_rule(std::string_view text, const std::string& where) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view name = text.substr(0, colon);
    Rule rule;
    if (name == "expected") {
        rule.kind = Rule::Kind::expected;
    } else if (name == "median") {
        rule.kind = Rule::Kind::percentile;
    } else if (name.starts_with('p') && name.size() > 1) {
        rule.kind = Rule::Kind::percentile;
        try {
            rule.percentile = parse_number(name.substr(1), where);
        } catch (const InputError&) {
            rule.percentile = -1;
        }
    }
    const bool known = name == "newest" || rule.kind != Rule::Kind::newest;
    if (!known || rule.percentile < 0 || rule.percentile > 100)
        throw InputError(where, "",
                         fmt::format("'{}' is no rule for old values such as newest, newest:1h, "
                                     "median:10min, p90:1d or expected",
                                     text));
    if (colon < text.size()) {
        rule.window = parse_seconds(text.substr(colon + 1), where);
        if (rule.window->value == 0) throw InputError(where, "", "a window of no length");
    }
    return rule;
}

std::string to_string(const Rule& rule) {
    std::string text = rule.kind == Rule::Kind::expected ? "expected" : "newest";
    if (rule.kind == Rule::Kind::percentile)
        text = rule.percentile == 50 ? "median" : fmt::format("p{}", rule.percentile);
    return rule.window ? text + ":" + window_text(*rule.window) : text;
}

std::vector<Value> apply(const Rule& rule, const Source& source, Time at) {
    const Period period{rule.window ? before(at, *rule.window) : Time(), at};
    if (rule.kind == Rule::Kind::percentile) return percentiles(rule, source.read(period));
    if (rule.kind == Rule::Kind::expected) return expectations(source.read(period), at);
    std::vector<Value> values;
    for (const Measurement& measurement : source.newest(period))
        values.push_back(value_of(measurement));
    std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) {
        return std::tie(a.pair, a.quantity, a.size, a.company) <
               std::tie(b.pair, b.quantity, b.size, b.company);
    });
    return values;
}

}  // namespace espalier::directory
