#pragma once

#include "core/annealing.hpp"
#include "plan/grid/send_tree.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::plan::grid {

/// How trees of sends are annealed; by bench/grid.
struct Annealing {
    Cooling cooling{0.01, 0.0001};
    std::size_t taken_out = 6;  ///< clusters at once, at most
};

/// Makes the tree of an order better, a little at a time: takes some clusters out and puts each
/// back where what it moves or adds ends soonest, again and again (a walk, see anneal()).
class Improver {
public:
    /// Seeded: the same every time.
    Improver(const SendTree::Costs& costs, const SendTree& start);

    [[nodiscard]] const SendTree& best() const { return best_; }
    /// Goes on from a better tree found elsewhere.
    void adopt(const SendTree& tree);
    /// Anneals until the meter is over or the makespan at most `enough`.
    void improve(Meter& meter, double enough);

    [[nodiscard]] double cost() const { return now_.makespan(); }
    [[nodiscard]] std::optional<double> change(Random& random);
    void keep() { before_ = now_; }
    void take_back() { now_ = before_; }
    void remember() { best_ = now_; }
    /// Of the last change.
    [[nodiscard]] std::uint64_t steps() const { return steps_; }

private:
    using Node = SendTree::Node;

    void find_suspects();
    void choose(Random& random);
    void add(Node v);
    void take_out();
    void put_back(Random& random);

    const SendTree::Costs& costs_;
    Random random_;
    SendTree now_;
    SendTree best_;
    SendTree before_;
    std::vector<Node> taken_;
    std::vector<Node> path_;
    std::vector<Node> suspects_;
    std::uint64_t steps_ = 0;
};

}  // namespace espalier::plan::grid
