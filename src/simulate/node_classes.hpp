#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::simulate {

/// The classes of nodes that may change places without changing any cost.
struct NodeClasses {
    std::vector<std::size_t> class_of;
    std::vector<std::vector<std::size_t>> members;
};

/// Nodes with equal `inner` whose costs from and to every other node are equal; `cost(u, v)` is
/// anything that can be compared. nullopt where there are more than `most` classes. O(n^2) calls,
/// and fewer where few nodes are alike.
template <typename Cost>
[[nodiscard]] std::optional<NodeClasses> find_classes(const std::vector<double>& inner,
                                                      std::size_t most, Cost cost) {
    const std::size_t nodes = inner.size();
    const auto alike = [&](std::size_t u, std::size_t v) {
        if (inner[u] != inner[v] || cost(u, v) != cost(v, u)) return false;
        for (std::size_t w = 0; w < nodes; ++w)
            if (w != u && w != v && (cost(u, w) != cost(v, w) || cost(w, u) != cost(w, v)))
                return false;
        return true;
    };
    NodeClasses found{std::vector<std::size_t>(nodes), {}};
    for (std::size_t v = 0; v < nodes; ++v) {
        std::size_t own = 0;
        while (own < found.members.size() && !alike(found.members[own].front(), v)) ++own;
        if (own == found.members.size()) {
            if (own == most) return std::nullopt;
            found.members.emplace_back();
        }
        found.members[own].push_back(v);
        found.class_of[v] = own;
    }
    return found;
}

}  // namespace espalier::simulate
