#include "directory/measurement_text.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace espalier::directory {

std::string_view name_of(Quantity quantity) {
    switch (quantity) {
        case Quantity::latency:
            return "latency";
        case Quantity::bandwidth:
            return "bandwidth";
        case Quantity::gap:
            return "gap";
    }
    return {};
}

Quantity parse_quantity(std::string_view text, const std::string& where) {
    for (const Quantity quantity : {Quantity::latency, Quantity::bandwidth, Quantity::gap})
        if (text == name_of(quantity)) return quantity;
    throw InputError(where, "", fmt::format("'{}' is not latency, bandwidth or gap", text));
}

Pair parse_pair(std::string_view text, const std::string& where) {
    const auto colons = std::count(text.begin(), text.end(), ':');
    if (colons % 2 == 0)
        throw InputError(where, "", fmt::format("'{}' is not a pair such as A:B", text));
    std::size_t middle = text.find(':');
    for (auto passed = colons / 2; passed > 0; --passed) middle = text.find(':', middle + 1);
    Pair pair{std::string(text.substr(0, middle)), std::string(text.substr(middle + 1))};
    if (pair.from.empty() || pair.to.empty())
        throw InputError(where, "", fmt::format("'{}' leaves out a name", text));
    return pair;
}

std::vector<Pair> parse_pairs(std::string_view text, const std::string& where) {
    std::vector<Pair> pairs;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        pairs.push_back(parse_pair(text.substr(begin, end - begin), where));
        begin = end + 1;
    }
    return pairs;
}

namespace {

/// Names go into JSON.
bool is_utf8(const std::string& text) {
    const auto ascii = [](char letter) { return static_cast<unsigned char>(letter) < 0x80; };
    if (std::all_of(text.begin(), text.end(), ascii)) return true;
    try {
        return !Json(text).dump().empty();
    } catch (const Json::type_error&) {
        return false;
    }
}

}  // namespace

std::string to_string(const Pair& pair) { return pair.from + ":" + pair.to; }

void require_sound(const Measurement& measurement, const std::string& where) {
    const auto fail = [&](const std::string& problem) { throw InputError(where, "", problem); };
    const bool bandwidth = measurement.quantity == Quantity::bandwidth;
    const auto& [from, to] = measurement.pair;
    if (from.empty() && to.empty()) fail("the pair has no names");
    if ((from.empty() || to.empty()) && !bandwidth)
        fail(fmt::format("a {} is of a pair, and one of its names is missing",
                         name_of(measurement.quantity)));
    if (!is_utf8(from) || !is_utf8(to) || !is_utf8(measurement.by)) fail("a name is not UTF-8");
    if (!std::isfinite(measurement.value)) fail("the value is not a finite number");
    if (measurement.value < 0) fail(fmt::format("{} is negative", measurement.value));
    if (bandwidth && measurement.value == 0) fail("a bandwidth must be positive");
    if (measurement.quantity == Quantity::gap && !measurement.size)
        fail("the size of the messages is missing: a gap is of one size");
    if (measurement.size && measurement.size->value >= (std::uint64_t{1} << 53U))
        fail("a size of at most 2^53 was expected");
    if (measurement.at < Time()) fail("the time is before 1970");
    if (measurement.by.empty()) fail("it does not say who measured");
    for (const Pair& pair : measurement.meanwhile) {
        if (pair.from.empty() || pair.to.empty())
            fail("a pair that was active meanwhile has a name missing");
        if (!is_utf8(pair.from) || !is_utf8(pair.to)) fail("a name is not UTF-8");
    }
}

std::vector<Pair> company_of(const Measurement& measurement) {
    if (measurement.meanwhile.empty()) return {};
    std::vector<Pair> company = measurement.meanwhile;
    company.push_back(measurement.pair);
    std::sort(company.begin(), company.end());
    return company;
}

}  // namespace espalier::directory
