#include "core/csv.hpp"
#include "core/statistics.hpp"
#include "frontend/study.hpp"
#include "schedule/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace espalier::frontend {

namespace {

using Cell = Study::Cell;
using Row = Comparison::Row;

/// Of some comparisons, what one algorithm did in them.
class Sum {
public:
    void add(const Comparison& comparison, const Row& row) {
        const double best = comparison.rows.front().time().value;
        const double time = row.time().value;
        times_.push_back(time);
        if (best > 0) logarithms_ += std::log(time / best);
        most_ = std::max(most_, best > 0 ? time / best - 1 : 0);
        if (time <= best) ++best_;
        const Seconds any = comparison.any_bound();
        const Seconds bound = any.value > 0 ? any : comparison.common_bound().time;
        bounds_ += bound.value;
        is_bounded_ &= bound.value > 0;
    }

    [[nodiscard]] Average average(std::optional<Bytes> bytes, const std::string& algorithm) const {
        const auto plans = static_cast<double>(times_.size());
        Average average{.bytes = bytes, .algorithm = algorithm, .plans = times_.size()};
        for (const double time : times_) average.mean += Seconds(time / plans);
        if (times_.size() > 1) average.off = Seconds(confidence_of_mean(times_));
        average.over_best = std::exp(logarithms_ / plans) - 1;
        average.at_most = most_;
        average.best = best_;
        if (is_bounded_) average.bound = Seconds(bounds_ / plans);
        return average;
    }

private:
    std::vector<double> times_;
    double logarithms_ = 0;
    double most_ = 0;
    std::size_t best_ = 0;
    double bounds_ = 0;
    bool is_bounded_ = true;
};

std::vector<Average> averages_of(const std::vector<const Cell*>& cells,
                                 std::optional<Bytes> bytes) {
    std::map<std::string, Sum> sums;
    for (const Cell* cell : cells)
        for (const Row& row : cell->comparison.rows) sums[row.algorithm].add(cell->comparison, row);
    std::vector<Average> all;
    for (const auto& [name, sum] : sums) all.push_back(sum.average(bytes, name));
    // What gave fewer plans may have left out the harder ones.
    std::ranges::stable_sort(all, [](const Average& a, const Average& b) {
        return a.plans != b.plans ? a.plans > b.plans : a.over_best < b.over_best;
    });
    return all;
}

/// A number as programs read it back; empty for none.
std::string number(std::optional<double> value) { return value ? fmt::format("{}", *value) : ""; }

std::string bytes_cell(std::optional<Bytes> bytes) {
    return bytes ? fmt::format("{}", bytes->value) : "";
}

}  // namespace

std::vector<Average> averages(const Study& study) {
    std::vector<std::optional<Bytes>> sizes;
    for (const Cell& cell : study.cells)
        if (std::ranges::find(sizes, cell.bytes) == sizes.end()) sizes.push_back(cell.bytes);
    std::vector<Average> all;
    for (const auto size : sizes) {
        std::vector<const Cell*> cells;
        for (const Cell& cell : study.cells)
            if (cell.bytes == size) cells.push_back(&cell);
        for (Average& each : averages_of(cells, size)) all.push_back(std::move(each));
    }
    return all;
}

std::vector<Average> averages_of_all(const Study& study) {
    std::vector<const Cell*> cells;
    for (const Cell& cell : study.cells) cells.push_back(&cell);
    return averages_of(cells, std::nullopt);
}

std::string study_csv(const Study& study) {
    std::string text =
        "collective,network,bytes,root,seed,algorithm,chosen,makespan,lower_bound,bound_scope,"
        "any_lower_bound,optimal,segments,plan_s,skipped\n";
    for (const Cell& cell : study.cells) {
        const std::string head = fmt::format(
            "{},{},{},{},{},", study.collective, csv_cell(study.network), bytes_cell(cell.bytes),
            csv_cell(cell.root), cell.seed ? fmt::format("{}", *cell.seed) : "");
        for (const Row& row : cell.comparison.rows)
            text += fmt::format(
                "{}{},{},{},{},{},{},{},{},{},\n", head, row.algorithm, row.chosen,
                row.time().value, row.lower_bound.value, name_of(row.scope),
                number(row.any_bound.value > 0 ? std::optional(row.any_bound.value) : std::nullopt),
                row.optimal ? 1 : 0, row.segments, row.took.value);
        for (const Comparison::Skipped& each : cell.comparison.skipped)
            text += fmt::format("{}{},,,,,,,,,{}\n", head, each.algorithm, csv_cell(each.reason));
    }
    return text;
}

std::string averages_csv(const Study& study) {
    std::string text =
        "collective,network,bytes,algorithm,plans,mean,low95,high95,over_best,at_most,best,"
        "lower_bound\n";
    for (const Average& each : averages(study)) {
        const auto off = each.off ? std::optional(each.off->value) : std::nullopt;
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{}\n", study.collective, csv_cell(study.network),
            bytes_cell(each.bytes), each.algorithm, each.plans, each.mean.value,
            number(off ? std::optional(each.mean.value - *off) : off),
            number(off ? std::optional(each.mean.value + *off) : off), each.over_best, each.at_most,
            each.best,
            number(each.bound.value > 0 ? std::optional(each.bound.value) : std::nullopt));
    }
    return text;
}

}  // namespace espalier::frontend
