#include "measure/method/message_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace espalier::measure {

namespace {

/// So many are told straight, which on a slow network takes one latency.
constexpr std::size_t most_told_straight = 64;

class Parents {
public:
    explicit Parents(const std::vector<std::vector<int>>& groups) {
        std::size_t ranks = 0;
        for (const auto& group : groups) ranks += group.size();
        parent_.resize(ranks, 0);
        std::vector<int> heads;
        for (const auto& group : groups) {
            const bool own = std::ranges::find(group, 0) != group.end();
            const int head = own ? 0 : group.front();
            if (!own) heads.push_back(head);
            std::vector<int> others = group;
            std::erase(others, head);
            tell(head, others);
        }
        tell(0, heads);
    }
    [[nodiscard]] const std::vector<int>& parents() const { return parent_; }

private:
    /// Neighbours in their order, which are often near each other, are told by one of them.
    void tell(int speaker, const std::vector<int>& others) {
        const std::size_t count = others.size();
        const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(count)));
        const std::size_t block = count <= most_told_straight ? 1 : root;
        for (std::size_t k = 0; k < count; ++k)
            parent_[static_cast<std::size_t>(others[k])] =
                k % block == 0 ? speaker : others[k - k % block];
    }

    std::vector<int> parent_;
};

}  // namespace

MessageTree message_tree(const std::vector<std::vector<int>>& groups, int rank) {
    const std::vector<int> parents = Parents(groups).parents();
    std::vector<std::vector<int>> children(parents.size());
    for (std::size_t other = 1; other < parents.size(); ++other)
        children[static_cast<std::size_t>(parents[other])].push_back(static_cast<int>(other));
    MessageTree tree;
    tree.parent = parents[static_cast<std::size_t>(rank)];
    tree.children = children[static_cast<std::size_t>(rank)];
    const auto add = [&](const auto& self, int from) -> void {
        tree.ranks.push_back(from);
        for (const int child : children[static_cast<std::size_t>(from)]) self(self, child);
    };
    tree.ranks.push_back(rank);
    for (const int child : tree.children) {
        const std::size_t before = tree.ranks.size();
        add(add, child);
        tree.sizes.push_back(tree.ranks.size() - before);
    }
    return tree;
}

}  // namespace espalier::measure
