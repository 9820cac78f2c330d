#include "plan/grid/by_speed.hpp"

#include "plan/grid/greedy.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace espalier::plan::grid {
namespace {

class InOrder {
public:
    explicit InOrder(std::vector<std::size_t> receivers) : receivers_(std::move(receivers)) {}

    template <typename Key>
    [[nodiscard]] std::size_t next(Growth<Key>& growth) const {
        growth.settle(receivers_[served_]);
        return receivers_[served_];
    }
    void moved(std::size_t, std::span<const std::size_t>) { ++served_; }

private:
    std::vector<std::size_t> receivers_;
    std::size_t served_ = 0;
};

/// `time` of each node, in any unit: the least first.
Order least_first(const Problem& problem, const std::vector<double>& time) {
    std::vector<std::size_t> receivers = all_but(problem.root, problem.size());
    std::ranges::stable_sort(receivers, {}, [&](std::size_t i) { return time[i]; });
    return grow(problem, completion_time, InOrder(std::move(receivers)));
}

}  // namespace

Order fastest_node_first(const Problem& problem) {
    std::vector<double> time(problem.size(), 0);
    for (std::size_t i = 0; i < problem.size(); ++i)
        for (std::size_t j = 0; j < problem.size(); ++j)
            if (i != j) time[i] += problem.delivery(i, j);
    return least_first(problem, time);
}

Order slowest_node_first(const Problem& turned) {
    std::vector<double> time(turned.size(), 0);
    for (std::size_t to = 0; to < turned.size(); ++to)
        for (std::size_t from = 0; from < turned.size(); ++from)
            if (from != to) time[from] += turned.delivery(to, from);
    return least_first(turned, time);
}

}  // namespace espalier::plan::grid
