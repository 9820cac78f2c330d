#include "plan/grid/pipeline.hpp"

#include <algorithm>
#include <limits>

namespace espalier::plan::grid {

namespace {

/// The tree as it grows, with what a segment costs each of its members.
class Tree {
public:
    explicit Tree(const Problem& problem)
        : problem_(problem),
          parent_(problem.size(), problem.root),
          reached_(problem.size(), 0),
          load_(problem.size(), 0) {
        for (std::size_t i = 0; i < problem.load.size(); ++i) load_[i] = problem.load[i];
        members_.push_back(problem.root);
    }

    /// When the last segment is everywhere if `from` sends to `to` as well.
    [[nodiscard]] double end_with(std::size_t from, std::size_t to) const {
        double end = 0;
        for (const std::size_t member : members_) {
            const double ready = reached_[member] + (problem_.inner[member]);
            end = std::max(end, ready + tail(period(member, from, to)));
        }
        const double period_to = std::max(load_[to], period(from, from, to));
        return std::max(end, reached(from, to) + problem_.inner[to] + tail(period_to));
    }

    /// When `to` holds the first segment if `from` sends it after what it sends already.
    [[nodiscard]] double reached(std::size_t from, std::size_t to) const {
        return reached_[from] + sent_[from] + problem_.delivery(from, to);
    }

    void join(std::size_t from, std::size_t to) {
        reached_[to] = reached(from, to);
        parent_[to] = from;
        sent_[from] += problem_.gap(from, to);
        load_[from] += problem_.gap(from, to);
        members_.push_back(to);
    }

    [[nodiscard]] const std::vector<std::size_t>& members() const { return members_; }

private:
    [[nodiscard]] double tail(double period) const {
        return static_cast<double>(problem_.segments - 1) * period;
    }

    /// The period of `member` if `from` also sends to `to`.
    [[nodiscard]] double period(std::size_t member, std::size_t from, std::size_t to) const {
        double slowest = 0;
        for (std::size_t node = member;; node = parent_[node]) {
            const double extra = node == from ? problem_.gap(from, to) : 0;
            slowest = std::max(slowest, load_[node] + extra);
            if (node == problem_.root) return slowest;
        }
    }

    const Problem& problem_;
    std::vector<std::size_t> members_;
    std::vector<std::size_t> parent_;
    std::vector<double> reached_;
    std::vector<double> load_;
    std::vector<double> sent_ = std::vector<double>(problem_.size(), 0);
};

}  // namespace

Order pipeline(const Problem& problem) {
    Tree tree(problem);
    Order order;
    std::vector<bool> waiting(problem.size(), true);
    waiting[problem.root] = false;
    while (order.size() + 1 < problem.size()) {
        Send best;
        // Of edges that end alike, the one whose receiver can soonest pass it on.
        std::pair least(std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::infinity());
        for (std::size_t to = 0; to < problem.size(); ++to) {
            if (!waiting[to]) continue;
            for (const std::size_t from : tree.members()) {
                const std::pair key(tree.end_with(from, to), tree.reached(from, to));
                if (key >= least) continue;
                least = key;
                best = {from, to};
            }
        }
        tree.join(best.from, best.to);
        waiting[best.to] = false;
        order.push_back(best);
    }
    return order;
}

}  // namespace espalier::plan::grid
