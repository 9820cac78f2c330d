#include "directory/prometheus_settings.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "directory/measurement_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace espalier::directory {

namespace {

/// A scrape interval may be that long; what is longer is a slip.
constexpr double longest_lookback_s = 366 * 86400.0;
constexpr double longest_timeout_s = 3600;
/// The finest time that Prometheus knows.
constexpr double shortest_time_s = 1e-3;

constexpr std::array quantities{Quantity::latency, Quantity::bandwidth, Quantity::gap};

std::string default_metric(Quantity quantity) {
    switch (quantity) {
        case Quantity::latency:
            return "espalier_latency_seconds";
        case Quantity::bandwidth:
            return "espalier_bandwidth_bytes_per_second";
        case Quantity::gap:
            break;
    }
    return "espalier_gap_seconds";
}

struct Parameter {
    std::string name;
    std::string value;
};

std::vector<Parameter> parameters_of(const std::string& query, const std::string& server) {
    std::vector<Parameter> parameters;
    for (std::size_t begin = 0; begin < query.size();) {
        const std::size_t end = std::min(query.find('&', begin), query.size());
        const std::string piece = query.substr(begin, end - begin);
        begin = end + 1;
        if (piece.empty()) continue;
        const std::size_t equals = piece.find('=');
        if (equals == std::string::npos)
            throw InputError(server, "", fmt::format("'{}' is not NAME=VALUE", piece));
        Parameter parameter{piece.substr(0, equals),
                            percent_decoded(piece.substr(equals + 1), server)};
        if (std::any_of(parameters.begin(), parameters.end(),
                        [&](const Parameter& other) { return other.name == parameter.name; }))
            throw InputError(server, parameter.name, "is given twice");
        parameters.push_back(std::move(parameter));
    }
    return parameters;
}

bool begins_name(char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool continues_name(char letter) {
    return begins_name(letter) || std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

std::string label_name(const std::string& text, const std::string& where) {
    if (text.empty() || !begins_name(text.front()) ||
        !std::all_of(text.begin(), text.end(), continues_name))
        throw InputError(where, "", fmt::format("'{}' is not the name of a label", text));
    return text;
}

Seconds time_within(const std::string& text, const std::string& where, double most) {
    const Seconds time = parse_seconds(text, where);
    if (time.value < shortest_time_s || time.value > most)
        throw InputError(where, "", fmt::format("{} is not between 1ms and {:g}s", text, most));
    return time;
}

double factor(const std::string& text, const std::string& where) {
    const double number = parse_number(text, where);
    if (!(number > 0)) throw InputError(where, "", "a number above 0 was expected");
    return number;
}

std::string stripped(const std::string& text) {
    constexpr std::string_view space = " \t\r\n";
    const std::size_t first = text.find_first_not_of(space);
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(space) - first + 1);
}

/// Takes one parameter in; false if there is none of that name.
bool take(PrometheusSettings& settings, const Parameter& parameter) {
    const auto& [name, value] = parameter;
    const std::string where = settings.address.name + ": " + name;
    for (auto& query : settings.queries) {
        if (name == std::string(name_of(query.quantity))) {
            query.expression = stripped(value);
            return true;
        }
        if (name == std::string(name_of(query.quantity)) + "_factor") {
            query.factor = factor(value, where);
            return true;
        }
    }
    if (name == "from") {
        settings.from_label = label_name(value, where);
    } else if (name == "to") {
        settings.to_label = label_name(value, where);
    } else if (name == "by") {
        settings.by_label = label_name(value, where);
    } else if (name == "bytes") {
        settings.bytes_label = label_name(value, where);
    } else if (name == "lookback") {
        settings.lookback = time_within(value, where, longest_lookback_s);
    } else if (name == "step") {
        settings.step = time_within(value, where, longest_lookback_s);
    } else if (name == "timeout") {
        settings.timeout = time_within(value, where, longest_timeout_s);
    } else {
        return false;
    }
    return true;
}

}  // namespace

PrometheusSettings parse_prometheus_url(const std::string& url) {
    PrometheusSettings settings;
    const std::size_t mark = url.find('?');
    settings.address = parse_http_address(url.substr(0, mark));
    for (const Quantity quantity : quantities)
        settings.queries.push_back({quantity, default_metric(quantity), 1});
    if (mark != std::string::npos)
        for (const Parameter& parameter :
             parameters_of(url.substr(mark + 1), settings.address.name))
            if (!take(settings, parameter))
                throw InputError(settings.address.name, "",
                                 fmt::format("there is no parameter '{}': latency, bandwidth, gap, "
                                             "each with _factor, from, to, by, bytes, lookback, "
                                             "step, timeout",
                                             parameter.name));
    settings.queries.erase(
        std::remove_if(settings.queries.begin(), settings.queries.end(),
                       [](const auto& query) { return query.expression.empty(); }),
        settings.queries.end());
    if (settings.queries.empty())
        throw InputError(settings.address.name, "", "no expression is left to ask for");
    return settings;
}

bool is_plain_selector(const std::string& expression) {
    std::size_t at = 0;
    // A metric's name may have colons.
    while (at < expression.size() && (continues_name(expression[at]) || expression[at] == ':'))
        ++at;
    if (at > 0 && std::isdigit(static_cast<unsigned char>(expression.front())) != 0) return false;
    while (at < expression.size() && expression[at] == ' ') ++at;
    if (at == expression.size()) return at > 0;
    if (expression[at] != '{') return false;
    char quote = '\0';
    for (++at; at < expression.size(); ++at) {
        const char letter = expression[at];
        if (quote != '\0') {
            if (letter == '\\' && quote != '`') {
                ++at;
            } else if (letter == quote) {
                quote = '\0';
            }
        } else if (letter == '"' || letter == '\'' || letter == '`') {
            quote = letter;
        } else if (letter == '}') {
            return at + 1 == expression.size();
        }
    }
    return false;
}

}  // namespace espalier::directory
