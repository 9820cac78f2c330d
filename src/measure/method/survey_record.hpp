#pragma once

#include "core/matrix.hpp"
#include "measure/method/fit.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace espalier::measure {

/// The kind of link that a record is about: between two clusters, inside one, or inside one of its
/// hosts.
enum class LinkKind : std::uint8_t { between, inside, within_node };

/// What one process found out about one link; `from` and `to` are clusters.
struct SurveyRecord {
    LinkKind kind = LinkKind::between;
    std::size_t from = 0;
    std::size_t to = 0;
    LinkCosts costs;
};

/// The bytes per second that one stream gets between clusters and, on the diagonal, inside one,
/// according to the largest messages; 0 if only small ones were measured. `symmetric`: a record
/// stands for both directions.
[[nodiscard]] Matrix<double> stream_rates(const std::vector<SurveyRecord>& records,
                                          std::size_t clusters, bool symmetric);

/// The points that tell how costs bend inside clusters, of the one of which most are known.
[[nodiscard]] std::vector<CostPoint> detailed_shape(const std::vector<SurveyRecord>& records);

[[nodiscard]] std::string pack(const std::vector<SurveyRecord>& records);
[[nodiscard]] std::vector<SurveyRecord> unpack_records(const std::string& bytes);

}  // namespace espalier::measure
