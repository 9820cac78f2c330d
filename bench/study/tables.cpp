#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace espalier::study {
namespace {

/// The order of the columns: by the mean at the last size.
std::vector<std::size_t> ranking(const Row& row) {
    std::vector<std::size_t> order(row.results.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t h) { return row.results[h].mean_s; });
    return order;
}

std::size_t width_of(std::string_view name) { return std::max<std::size_t>(name.size(), 6) + 2; }

template <typename Value>
void append_table(std::string& text, const std::vector<Row>& rows, std::string_view title,
                  Value value) {
    const auto out = std::back_inserter(text);
    const std::vector<std::size_t> order = ranking(rows.back());
    fmt::format_to(out, "{}\nclusters", title);
    for (const std::size_t h : order) {
        const std::string_view name = rows.back().results[h].algorithm;
        fmt::format_to(out, "{:>{}}", name, width_of(name));
    }
    text += '\n';
    for (const Row& row : rows) {
        fmt::format_to(out, "{:>8}", row.clusters);
        for (const std::size_t h : order)
            fmt::format_to(out, "{:>{}.3f}", value(row.results[h]),
                           width_of(row.results[h].algorithm));
        text += '\n';
    }
}

}  // namespace

std::string to_text(const std::vector<Row>& rows) {
    std::string text;
    append_table(text, rows, "Mean makespan, s", [](const Result& r) { return r.mean_s; });
    append_table(text, rows, "Mean ratio to the best of each run",
                 [](const Result& r) { return r.to_best; });
    return text;
}

std::string means_as_csv(const std::vector<Row>& rows) {
    std::string text = "clusters";
    const auto out = std::back_inserter(text);
    for (const Result& result : rows.front().results) fmt::format_to(out, ",{}", result.algorithm);
    text += '\n';
    for (const Row& row : rows) {
        fmt::format_to(out, "{}", row.clusters);
        for (const Result& result : row.results) fmt::format_to(out, ",{:.6f}", result.mean_s);
        text += '\n';
    }
    return text;
}

std::string all_as_csv(const std::vector<Row>& rows) {
    std::string text = "clusters,algorithm,mean_s,confidence_s,ratio_to_best,share_best\n";
    const auto out = std::back_inserter(text);
    for (const Row& row : rows)
        for (const Result& r : row.results)
            fmt::format_to(out, "{},{},{:.6f},{:.6f},{:.6f},{:.4f}\n", row.clusters, r.algorithm,
                           r.mean_s, r.confidence_s, r.to_best, r.best_share);
    return text;
}

}  // namespace espalier::study
