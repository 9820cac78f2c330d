#include "measure/method/survey_record.hpp"

#include "measure/method/packer.hpp"

#include <algorithm>

namespace espalier::measure {

namespace {

/// Smaller messages do not tell what a link can carry.
constexpr std::uint64_t least_bulk = 16384;
/// To how much the shape of costs inside clusters is kept.
constexpr double shape_tolerance = 0.01;

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
    Packer packer;
    for (const SurveyRecord& record : records) {
        packer.put(record.kind);
        packer.put(record.from);
        packer.put(record.to);
        packer.put(record.costs.spread);
        packer.put(record.costs.noisy);
        packer.put(record.costs.complete);
        packer.put(record.costs.stretch);
        packer.put_all(record.costs.points);
    }
    return packer.bytes();
}

std::vector<SurveyRecord> unpack_records(const std::string& bytes) {
    std::vector<SurveyRecord> records;
    for (Unpacker unpacker(bytes); !unpacker.done();) {
        SurveyRecord record;
        record.kind = unpacker.take<LinkKind>();
        record.from = unpacker.take<std::size_t>();
        record.to = unpacker.take<std::size_t>();
        record.costs.spread = unpacker.take<double>();
        record.costs.noisy = unpacker.take<bool>();
        record.costs.complete = unpacker.take<bool>();
        record.costs.stretch = unpacker.take<double>();
        record.costs.points = unpacker.take_all<CostPoint>();
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace espalier::measure
