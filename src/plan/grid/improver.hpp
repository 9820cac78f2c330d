#pragma once

#include "core/meter.hpp"
#include "core/random.hpp"
#include "plan/grid/send_tree.hpp"

#include <cstdint>
#include <vector>

namespace espalier::plan::grid {

/// How the annealing goes; by bench/grid.
struct Annealing {
    /// Temperatures at the beginning and at the end, as parts of the makespan.
    double hot = 0.01;
    double cold = 0.0001;
    std::size_t taken_out = 6;  ///< clusters at once, at most
};

/// Makes the tree of an order better, a little at a time.
class Improver {
public:
    /// Seeded: the same every time.
    Improver(const SendTree::Costs& costs, const SendTree& start);

    [[nodiscard]] const SendTree& best() const { return best_; }
    /// Goes on from a better tree found elsewhere.
    void adopt(const SendTree& tree);

    /// Relocates and swaps clusters along the critical path as long as that shortens it.
    void descend(Meter& meter);

    /// Takes some clusters out and puts each back where what it moves or adds ends soonest, again
    /// and again; a longer makespan is kept with a probability that falls with the temperature, and
    /// that with the use of the meter. Returns at `enough`.
    void anneal(Meter& meter, double enough);

private:
    using Node = SendTree::Node;

    void round(double temperature);
    void find_suspects();
    void choose();
    void add(Node v);
    void take_out();
    void put_back();
    [[nodiscard]] bool relocate(Node v);
    [[nodiscard]] bool swap_with_any(Node v);
    [[nodiscard]] bool below(Node v, Node ancestor) const;

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
