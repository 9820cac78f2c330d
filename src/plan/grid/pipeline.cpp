#include "plan/grid/pipeline.hpp"

#include "core/infinity.hpp"
#include "plan/grid/ports.hpp"
#include "plan/grow.hpp"

#include <algorithm>

namespace espalier::plan::grid {

namespace {

/// The tree as it grows, with what a segment costs each of its members. A member's end is when it
/// holds the first segment, plus its inner broadcast, plus one period for each segment that
/// follows.
class Tree {
public:
    explicit Tree(const Problem& problem)
        : problem_(problem),
          parent_(problem.size(), problem.root),
          ports_(problem.size(), problem.ports),
          reached_(problem.size(), 0),
          load_(problem.size(), 0),
          period_(problem.size(), 0),
          latest_below_(problem.size(), 0) {
        for (std::size_t i = 0; i < problem.load.size(); ++i) load_[i] = problem.load[i];
        members_.push_back(problem.root);
        survey();
    }

    /// When the last segment is everywhere if `from` sends to `to` as well. That adds to the period
    /// of `from` and of all below it, whose latest end follows from the latest of their receipts.
    [[nodiscard]] double end_with(std::size_t from, std::size_t to) const {
        const double load = load_[from] + problem_.gap(from, to);
        const double period_to = std::max({load_[to], period_[from], load});
        return std::max({end_, latest_below_[from] + tail(load),
                         reached(from, to) + problem_.inner[to] + tail(period_to)});
    }

    /// When `to` holds the first segment if `from` sends it after what it sends already.
    [[nodiscard]] double reached(std::size_t from, std::size_t to) const {
        return ports_.ready(from) + problem_.delivery(from, to);
    }

    void join(std::size_t from, std::size_t to) {
        reached_[to] = reached(from, to);
        parent_[to] = from;
        ports_.serve(problem_, {.from = from, .to = to});
        load_[from] += problem_.gap(from, to);
        members_.push_back(to);
        survey();
    }

private:
    /// The ports of a cluster take turns at its period.
    [[nodiscard]] double tail(double period) const {
        return static_cast<double>(problem_.segments - 1) *
               (period / static_cast<double>(problem_.ports));
    }

    /// Members are listed parents first.
    void survey() {
        end_ = 0;
        for (const std::size_t member : members_) {
            period_[member] = std::max(load_[member], period_[parent_[member]]);
            latest_below_[member] = reached_[member] + problem_.inner[member];
            end_ = std::max(end_, latest_below_[member] + tail(period_[member]));
        }
        for (std::size_t m = members_.size() - 1; m > 0; --m) {
            double& above = latest_below_[parent_[members_[m]]];
            above = std::max(above, latest_below_[members_[m]]);
        }
    }

    const Problem& problem_;
    std::vector<std::size_t> members_;
    std::vector<std::size_t> parent_;
    SendPorts ports_;  ///< as the first segment leaves them
    std::vector<double> reached_;
    std::vector<double> load_;          ///< to send one segment to all its children and inside
    std::vector<double> period_;        ///< the greatest load of it and all above it
    std::vector<double> latest_below_;  ///< of it and all below it, receipt + inner broadcast
    double end_ = 0;                    ///< of all members
};

}  // namespace

Order pipeline(const Problem& problem) {
    Tree tree(problem);
    Order order;
    // Of edges that end alike, the one whose receiver can soonest pass it on.
    const auto key = [&](std::size_t from, std::size_t to) {
        return std::pair(tree.end_with(from, to), tree.reached(from, to));
    };
    grow_tree(Growth(problem.root, all_but(problem.root, problem.size()), key,
                     std::pair(infinity, infinity)),
              [&](std::size_t from, std::size_t to) {
                  tree.join(from, to);
                  order.push_back({.from = from, .to = to});
              });
    return order;
}

}  // namespace espalier::plan::grid
