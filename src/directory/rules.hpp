#pragma once

#include "core/units.hpp"
#include "directory/measurement.hpp"
#include "directory/source.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::directory {

/// How one value is made of values that were measured at several times.
struct Rule {
    enum class Kind {
        newest,
        percentile,  ///< of all values of the window
        expected,    ///< at the time, by all values of the window (core/expectations.hpp)
    };
    Kind kind = Kind::newest;
    /// The percentile of the cost, in [0, 100]: so many percent of the values are no worse. A
    /// latency or a gap is worse when it is greater, a bandwidth when it is less. 50 is the median.
    double percentile = 50;
    /// The greatest age of a value; nullopt: any.
    std::optional<Seconds> window;

    friend bool operator==(const Rule&, const Rule&) = default;
};

/// Reads `newest`, `newest:1h`, `median:10min`, `p90:1d`, `p99.9`, `expected`, `expected:30d`;
/// throws InputError that names `where`.
[[nodiscard]] Rule parse_rule(std::string_view text, const std::string& where);
/// A text that parse_rule() reads.
[[nodiscard]] std::string to_string(const Rule& rule);

/// The value of one quantity by a rule, and the measurements it comes from.
struct Value {
    Pair pair;
    Quantity quantity = Quantity::latency;
    std::optional<Bytes> size;
    std::vector<Pair> company;  ///< as company_of(); empty: alone
    double value = 0;
    Time newest;
    Time oldest;
    std::string by;  ///< of the newest
    std::size_t measurements = 1;
    /// The relative spread (network/spread.hpp) of the cost, by all measurements that the rule
    /// looks at and, as one more, the uncertainty of networks that state none; nullopt: the rule
    /// looks at one, or some measured cost is 0.
    std::optional<double> spread = std::nullopt;
};

/// The values by a rule of what a source says of the network at one time: of each pair, quantity,
/// size and company, in this order. Nothing that is newer than `at` counts.
[[nodiscard]] std::vector<Value> apply(const Rule& rule, const Source& source, Time at);

}  // namespace espalier::directory
