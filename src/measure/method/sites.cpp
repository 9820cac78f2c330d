#include "measure/method/sites.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace espalier::measure {

namespace {

/// The factor by which distances have to jump between what is near and what is far.
constexpr double least_jump = 4;

struct Merge {
    double distance = 0;
    std::size_t a = 0;
    std::size_t b = 0;
};

/// The edges of a least spanning tree, shortest first (Prim's algorithm).
std::vector<Merge> merges(const Matrix<double>& latencies) {
    const std::size_t size = latencies.rows();
    if (size == 0) return {};
    std::vector<Merge> nearest(size);
    std::vector<bool> joined(size, false);
    for (std::size_t i = 1; i < size; ++i)
        nearest[i] = {std::max(latencies(0, i), latencies(i, 0)), 0, i};
    joined[0] = true;
    std::vector<Merge> found;
    while (found.size() + 1 < size) {
        std::size_t next = 0;
        for (std::size_t i = 1; i < size; ++i)
            if (!joined[i] && (next == 0 || nearest[i].distance < nearest[next].distance)) next = i;
        joined[next] = true;
        found.push_back(nearest[next]);
        for (std::size_t i = 1; i < size; ++i) {
            const double distance = std::max(latencies(next, i), latencies(i, next));
            if (!joined[i] && distance < nearest[i].distance) nearest[i] = {distance, next, i};
        }
    }
    std::sort(found.begin(), found.end(),
              [](const Merge& a, const Merge& b) { return a.distance < b.distance; });
    return found;
}

/// The groups that the shortest `count` edges of the spanning tree connect.
std::vector<std::vector<std::size_t>> connected(std::size_t size, const std::vector<Merge>& tree,
                                                std::size_t count) {
    std::vector<std::size_t> group(size);
    std::iota(group.begin(), group.end(), std::size_t{0});
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t from = group[tree[k].b];
        const std::size_t to = group[tree[k].a];
        for (std::size_t& g : group)
            if (g == from) g = to;
    }
    std::vector<std::vector<std::size_t>> groups;
    std::vector<std::size_t> index(size, std::numeric_limits<std::size_t>::max());
    for (std::size_t c = 0; c < size; ++c) {
        if (index[group[c]] == std::numeric_limits<std::size_t>::max()) {
            index[group[c]] = groups.size();
            groups.emplace_back();
        }
        groups[index[group[c]]].push_back(c);
    }
    return groups;
}

}  // namespace

std::vector<std::vector<std::size_t>> groups_within(const Matrix<double>& latencies,
                                                    double farthest) {
    const std::vector<Merge> tree = merges(latencies);
    const auto end = std::ranges::partition_point(
        tree, [&](const Merge& merge) { return merge.distance <= farthest; });
    return connected(latencies.rows(), tree, static_cast<std::size_t>(end - tree.begin()));
}

std::vector<std::vector<std::size_t>> guess_sites(const Matrix<double>& latencies) {
    const std::vector<Merge> tree = merges(latencies);
    std::size_t near = 0;
    double jump = least_jump;
    for (std::size_t k = 1; k < tree.size(); ++k) {
        const double ratio = tree[k].distance / std::max(tree[k - 1].distance, 1e-9);
        if (ratio < jump) continue;
        jump = ratio;
        near = k;
    }
    return connected(latencies.rows(), tree, near);
}

}  // namespace espalier::measure
