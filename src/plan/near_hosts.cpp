#include "plan/near_hosts.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace espalier::plan {

namespace {

using Row = std::vector<std::size_t>;

/// The two rows as one, turned so that the ends that meet are as near as they can be; as they are
/// where all are as far.
Row joined(const Row& first, const Row& second, const Matrix<double>& far) {
    const std::array<double, 4> gaps{
        far(first.back(), second.front()), far(first.back(), second.back()),
        far(first.front(), second.front()), far(first.front(), second.back())};
    const auto least = std::ranges::min_element(gaps) - gaps.begin();
    Row row = first;
    if (least >= 2) std::ranges::reverse(row);
    row.insert(row.end(), second.begin(), second.end());
    if (least % 2 == 1)
        std::reverse(row.begin() + static_cast<std::ptrdiff_t>(first.size()), row.end());
    return row;
}

}  // namespace

std::vector<std::size_t> near_order(const Matrix<double>& far) {
    const std::size_t nodes = far.rows();
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = i + 1; j < nodes; ++j) edges.emplace_back(i, j);
    std::ranges::stable_sort(edges, {},
                             [&](const auto& edge) { return far(edge.first, edge.second); });
    std::vector<Row> rows(nodes);
    std::vector<std::size_t> row_of(nodes);
    std::iota(row_of.begin(), row_of.end(), std::size_t{0});
    for (std::size_t i = 0; i < nodes; ++i) rows[i] = {i};
    for (const auto& [i, j] : edges) {
        const std::size_t first = std::min(row_of[i], row_of[j]);
        const std::size_t second = std::max(row_of[i], row_of[j]);
        if (first == second) continue;
        rows[first] = joined(rows[first], rows[second], far);
        for (const std::size_t node : rows[second]) row_of[node] = first;
        rows[second].clear();
    }
    return nodes > 0 ? rows.front() : Row();
}

}  // namespace espalier::plan
