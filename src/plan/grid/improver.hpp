#pragma once

#include "core/meter.hpp"
#include "core/random.hpp"
#include "plan/grid/send_tree.hpp"

#include <cstdint>
#include <vector>

namespace espalier::plan::grid {

/// Makes the tree of an order better, a little at a time.
class Improver {
public:
    Improver(const SendTree::Costs& costs, const SendTree& start, std::uint64_t seed);

    [[nodiscard]] const SendTree& best() const { return best_; }
    /// Goes on from a better tree found elsewhere.
    void adopt(const SendTree& tree);

    /// Relocates and swaps clusters along the critical path as long as that shortens it.
    void descend(Meter& meter);

    /// Takes some clusters out and puts each back where what it moves or adds ends soonest, again
    /// and again; a longer makespan is kept with a probability that falls with the temperature, and
    /// that with the use of `limits`. Returns at `enough`. The limits count for `meter` as well.
    void anneal(Meter& meter, const Limits& limits, double enough);

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
