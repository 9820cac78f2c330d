#include "measure/method/follow_streams.hpp"

#include "core/statistics.hpp"
#include "measure/method/fit.hpp"
#include "measure/method/probe.hpp"
#include "measure/method/stream_round.hpp"

#include <algorithm>
#include <vector>

namespace espalier::measure {

namespace {

/// The overhead of the shortest message inside clusters, in seconds; 0 if there was no time to
/// measure it.
double overhead_inside(const Findings& findings) {
    std::vector<double> overheads;
    for (const SurveyRecord& record : findings.surveys)
        if (record.kind == LinkKind::inside && !record.costs.points.empty())
            overheads.push_back(fit(record.costs).gap(Bytes(1)).value);
    return overheads.empty() ? 0 : median(overheads);
}

/// Adds links that only streams went over, or nothing.
void add_unsurveyed(Findings& findings) {
    const std::size_t clusters = findings.clusters.size();
    Matrix<char> surveyed(clusters, clusters, 0);
    for (const SurveyRecord& record : findings.surveys)
        if (record.kind == LinkKind::between) surveyed(record.from, record.to) = 1;
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j)
            if (i != j && surveyed(i, j) == 0 && !(findings.symmetric && i > j))
                findings.surveys.push_back({LinkKind::between, i, j, {}});
}

/// Clusters of several hosts, of which there was no time for the inside, are as the first that is
/// known, if any is.
void presume_insides(Findings& findings) {
    const auto is_known = [](const SurveyRecord& record) {
        return record.kind == LinkKind::inside && !record.costs.points.empty();
    };
    const auto known = std::ranges::find_if(findings.surveys, is_known);
    if (known == findings.surveys.end()) return;
    const LinkCosts costs = known->costs;
    for (std::size_t c = 0; c < findings.clusters.size(); ++c) {
        const auto is_its_own = [&](const SurveyRecord& record) {
            return is_known(record) && record.from == c;
        };
        if (findings.clusters[c].size() < 2 || std::ranges::any_of(findings.surveys, is_its_own))
            continue;
        findings.surveys.push_back({LinkKind::inside, c, c, costs});
        ++findings.presumed_insides;
    }
}

}  // namespace

void follow_streams(Findings& findings, const Matrix<double>& round_trips,
                    const Matrix<double>& alone, bool noisy) {
    const double overhead = overhead_inside(findings);
    const double usual = fastest(alone);
    // Where each cluster is one host that met others once, only these links tell.
    noisy = noisy || std::ranges::any_of(findings.surveys, [](const SurveyRecord& record) {
                return record.costs.noisy;
            });
    presume_insides(findings);
    add_unsurveyed(findings);
    for (SurveyRecord& record : findings.surveys) {
        if (record.kind != LinkKind::between) continue;
        record.costs.noisy = record.costs.noisy || noisy;
        const auto latency = usual_latency(findings.latencies, findings.clusters[record.from],
                                           findings.clusters[record.to], noisy);
        if (!latency) continue;
        // Bursts have time to tell of a short path, and connections there are soon warmed up.
        const bool is_long = round_trips(record.from, record.to) > long_round_trip_s;
        const double pace = alone(record.from, record.to);
        if (pace <= 0 && record.costs.points.empty())
            findings.presumed_links += findings.symmetric ? 2 : 1;
        if (is_long || record.costs.points.empty())
            follow_stream(record.costs, {pace > 0 ? pace : usual, *latency, overhead});
        else
            believe_meetings(record.costs, *latency);
        const double longer = longer_way(findings.asymmetry, findings.clusters[record.from],
                                         findings.clusters[record.to]);
        for (CostPoint& point : record.costs.points)
            point.latency = std::max(point.latency + longer, 0.0);
    }
}

}  // namespace espalier::measure
