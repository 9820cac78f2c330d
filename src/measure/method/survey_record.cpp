#include "measure/method/survey_record.hpp"

#include "core/wire.hpp"

#include <algorithm>

namespace espalier::measure {

namespace {

/// Smaller messages do not tell what a link can carry.
constexpr std::uint64_t least_bulk = 16384;
/// The relative error to which the shape of costs inside clusters is kept.
constexpr double shape_tolerance = 0.01;

/// Passes a record to a writer, or fills it from a reader.
void pass_record(auto& wire, auto& record) {
    auto& costs = record.costs;
    wire(record.kind, record.from, record.to, costs.spread, costs.noisy, costs.complete,
         costs.stretch, costs.points);
}

}  // namespace

Matrix<double> stream_rates(const std::vector<SurveyRecord>& records, std::size_t clusters,
                            bool symmetric) {
    Matrix<double> rates(clusters, clusters, 0);
    for (const SurveyRecord& record : records) {
        if (record.kind == LinkKind::within_node || record.costs.points.empty()) continue;
        const CostPoint& largest = record.costs.points.back();
        if (largest.bytes < least_bulk || largest.gap <= 0) continue;
        const double rate = static_cast<double>(largest.bytes) / largest.gap * record.costs.stretch;
        rates(record.from, record.to) = rate;
        if (symmetric) rates(record.to, record.from) = rate;
    }
    return rates;
}

std::vector<CostPoint> detailed_shape(const std::vector<SurveyRecord>& records) {
    std::vector<CostPoint> best;
    for (const SurveyRecord& record : records) {
        if (record.kind != LinkKind::inside) continue;
        const std::vector<std::uint64_t> telling = telling_sizes(record.costs, shape_tolerance);
        if (telling.size() <= best.size()) continue;
        best.clear();
        for (const CostPoint& point : record.costs.points)
            if (std::binary_search(telling.begin(), telling.end(), point.bytes))
                best.push_back(point);
    }
    return best;
}

std::string pack(const std::vector<SurveyRecord>& records) {
    WireWriter to;
    for (const SurveyRecord& record : records) pass_record(to, record);
    return to.bytes();
}

std::vector<SurveyRecord> unpack_records(const std::string& bytes) {
    std::vector<SurveyRecord> records;
    for (WireReader from(bytes); !from.done();) pass_record(from, records.emplace_back());
    return records;
}

}  // namespace espalier::measure
