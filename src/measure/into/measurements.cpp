#include "measure/into/measurements.hpp"

#include "core/infinity.hpp"
#include "directory/time.hpp"
#include "measure/method/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace espalier::measure {

namespace {

using directory::Pair;
using directory::Quantity;

class Recorder {
public:
    Recorder(const Findings& findings, const std::string& by)
        : findings_(findings),
          at_(directory::parse_date(findings.at, "time of the measurement")),
          by_(by.empty() ? fmt::format("{} ({})", findings.hosts.front().name, findings.mpi) : by) {
    }

    Record run() {
        record_.hosts = names_of(findings_.hosts);
        add_meetings();
        for (const SurveyRecord& survey : findings_.surveys)
            if (!survey.costs.points.empty()) add_survey(survey);
        return std::move(record_);
    }

private:
    void add(const Pair& pair, Quantity quantity, double value, std::optional<Bytes> size = {},
             std::vector<Pair> meanwhile = {}) {
        record_.measurements.push_back(
            {at_, by_, pair, quantity, value, size, std::move(meanwhile)});
    }

    [[nodiscard]] const std::string& name(std::size_t host) const {
        return findings_.hosts[host].name;
    }

    /// The hosts between which a survey took place.
    [[nodiscard]] Pair pair_of(const SurveyRecord& survey) const {
        const auto& from = findings_.clusters[survey.from];
        if (survey.kind == LinkKind::between)
            return {name(from.front()), name(findings_.clusters[survey.to].front())};
        if (survey.kind == LinkKind::inside) return {name(from[0]), name(from[1])};
        const auto shared = std::find_if(from.begin(), from.end(), [&](std::size_t host) {
            return findings_.hosts[host].ranks.size() > 1;
        });
        return {name(*shared), name(*shared)};
    }

    void add_survey(const SurveyRecord& survey) {
        if (survey.costs.points.empty()) return;  // the budget left it no time
        const Pair pair = pair_of(survey);
        add_costs(pair, survey.costs);
        if (findings_.symmetric && survey.kind == LinkKind::between)
            add_costs({pair.to, pair.from}, survey.costs);
    }

    void add_costs(const Pair& pair, const LinkCosts& costs) {
        const network::PLogP link = fit(costs);
        add_latencies(pair, costs, link.latency);
        // One size alone is all there is for the others, too; 0 stands for every size.
        const bool alone = costs.points.size() == 1;
        for (const CostPoint& point : costs.points)
            add(pair, Quantity::gap, link.gap(Bytes(point.bytes)).value / costs.stretch,
                Bytes(alone ? 0 : point.bytes));
        if (costs.stretch == 1) return;
        // Both sides sent alike, and took as long.
        const Pair back{pair.to, pair.from};
        const Bytes size(both_ways_bytes);
        add(pair, Quantity::gap, link.gap(size).value, size, {back});
        add(back, Quantity::gap, link.gap(size).value, size, {pair});
    }

    void add_latencies(const Pair& pair, const LinkCosts& costs, const network::CostTable& fitted) {
        for (const CostPoint& point : costs.points) {
            const Bytes size(point.bytes);
            add(pair, Quantity::latency, fitted(size).value, size);
            if (fitted.is_constant()) return;
        }
        // It ends level, lest the last slope be taken to go on.
        const auto& [size, time] = fitted.entries().back();
        if (size.value > costs.points.back().bytes) add(pair, Quantity::latency, time.value, size);
    }

    /// The least latency inside a cluster, seconds.
    [[nodiscard]] double least_inside(const std::vector<std::size_t>& cluster) const {
        double least = infinity;
        for (const std::size_t a : cluster)
            for (const std::size_t b : cluster)
                least = std::min(least, findings_.latencies(a, b).value_or(infinity));
        return least;
    }

    /// What a noisy clock added inside a cluster is not recorded, nor that a pair of two clusters
    /// seemed nearer than theirs are: who reads these latencies can't know how noisy it was, and
    /// would find other clusters.
    void add_meetings() {
        for (const auto& from : findings_.clusters)
            for (const auto& to : findings_.clusters) {
                const double longer = longer_way(findings_.asymmetry, from, to);
                double least = 0;
                double most = infinity;
                if (findings_.noisy && &from == &to)
                    most = (1 + findings_.tolerance) * least_inside(from);
                else if (findings_.noisy)
                    least = usual_latency(findings_.latencies, from, to, true).value_or(0);
                for (const std::size_t a : from)
                    for (const std::size_t b : to)
                        if (const auto latency = findings_.latencies(a, b); a != b && latency)
                            add({name(a), name(b)}, Quantity::latency,
                                std::clamp(*latency, least, most) + longer);
            }
    }

    const Findings& findings_;
    directory::Time at_;
    std::string by_;
    Record record_;
};

}  // namespace

Record to_record(const Findings& findings, const std::string& by) {
    return Recorder(findings, by).run();
}

}  // namespace espalier::measure
