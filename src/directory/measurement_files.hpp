#pragma once

#include "core/json.hpp"
#include "directory/measurement.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::directory {

/// Measurements as a file tells them, and the order in which it lists nodes (maybe not all).
struct MeasurementFile {
    std::vector<std::string> nodes;
    std::vector<Measurement> measurements;
};

/// Properties of measurements that do not state them themselves.
struct MeasurementDefaults {
    Time at;
    std::string by;
};

/// A latency or a gap as `10ms`, a bandwidth as `1e6` or `1MB/s`; plain numbers are in SI units.
/// Throws InputError that names `where`.
[[nodiscard]] double parse_value(Quantity quantity, std::string_view text,
                                 const std::string& where);

/// Format `espalier-measurements`, version 1. Throws InputError naming file and field.
[[nodiscard]] MeasurementFile parse_measurements(const JsonValue& document);
/// `source` is where they come from.
[[nodiscard]] std::string to_json_text(const std::string& source,
                                       const std::vector<std::string>& nodes,
                                       std::span<const Measurement> measurements);

/// Whether a text is a CSV of measurements: its first line names the columns `from` and `to`.
[[nodiscard]] bool is_measurement_csv(std::string_view text);
/// CSV with the columns `at,by,from,to,quantity,size,value,meanwhile` in any order, of which `at`,
/// `by`, `size` and `meanwhile` may be missing, or empty in a line. Throws InputError naming
/// `source`, line and column.
[[nodiscard]] MeasurementFile parse_measurement_csv(std::string_view text,
                                                    const std::string& source,
                                                    const MeasurementDefaults& defaults);

}  // namespace espalier::directory
