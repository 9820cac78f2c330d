#include "support/reduction_oracle.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace espalier::test {
namespace {

using plan::grid::Problem;

/// Every tree towards the root as the parent of each cluster.
class Trees {
public:
    explicit Trees(const Problem& network) : network_(network), parent_(network.size(), 0) {}

    double least() {
        choose(0);
        return least_;
    }

private:
    void choose(std::size_t node) {
        if (node == network_.size()) {
            if (reaches_root()) least_ = std::min(least_, best_done(network_.root));
            return;
        }
        if (node == network_.root) return choose(node + 1);
        for (std::size_t parent = 0; parent < network_.size(); ++parent) {
            if (parent == node) continue;
            parent_[node] = parent;
            choose(node + 1);
        }
    }

    [[nodiscard]] bool reaches_root() const {
        for (std::size_t node = 0; node < network_.size(); ++node) {
            std::size_t at = node;
            for (std::size_t step = 0; step < network_.size() && at != network_.root; ++step)
                at = parent_[at];
            if (at != network_.root) return false;
        }
        return true;
    }

    /// When a cluster holds all from below, in the best order: nothing below it hurries for less.
    [[nodiscard]] double best_done(std::size_t node) const {
        struct Job {
            double available;  ///< when its sender has all that it sends
            std::size_t child;
        };
        std::vector<Job> jobs{{0, node}};  // its own inside
        for (std::size_t child = 0; child < network_.size(); ++child)
            if (child != network_.root && parent_[child] == node)
                jobs.push_back({best_done(child), child});
        std::vector<std::size_t> order(jobs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        double best = infinity;
        do {
            double free = 0;
            for (const std::size_t index : order) {
                const auto [available, child] = jobs[index];
                if (child == node) {
                    free += network_.inner[node];
                    continue;
                }
                const double latency = network_.latency(child, node);
                const double start = std::max(available, free - latency);
                free = start + latency + network_.gap(child, node);
            }
            best = std::min(best, free);
        } while (std::ranges::next_permutation(order).found);
        return best;
    }

    const Problem& network_;
    std::vector<std::size_t> parent_;
    double least_ = infinity;
};

/// Sends in any order, each of all that its sender has and has not sent.
class Sends {
public:
    explicit Sends(const Problem& network) : network_(network) {
        for (const double inner : network.inner)
            nodes_.push_back(
                {1, inner, std::vector(network.ports, inner), std::vector(network.ports, inner)});
    }

    double least() {
        try_all();
        return least_;
    }

private:
    struct Node {
        std::size_t contributions;  ///< how many it has and has not sent
        double ready;               ///< since when
        std::vector<double> out;    ///< when its ports are free
        std::vector<double> in;
    };

    void try_all() {
        const Node& root = nodes_[network_.root];
        if (root.contributions == network_.size()) {
            least_ = std::min(least_, root.ready);
            return;
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            for (std::size_t j = 0; j < nodes_.size(); ++j)
                if (i != j && i != network_.root && nodes_[i].contributions > 0) send(i, j);
    }

    void send(std::size_t i, std::size_t j) {
        const Node sender = nodes_[i];
        const Node receiver = nodes_[j];
        const double latency = network_.latency(i, j);
        auto out = std::ranges::min_element(nodes_[i].out);
        auto in = std::ranges::min_element(nodes_[j].in);
        const double start = std::max({sender.ready, *out, *in - latency});
        const double end = start + latency + network_.gap(i, j);
        // A cycle brings nothing nearer to the root, and time goes by.
        if (end < least_ && sends_ < 2 * nodes_.size()) {
            *out = start + network_.gap(i, j);
            *in = end;
            nodes_[i].contributions = 0;
            nodes_[j].contributions += sender.contributions;
            nodes_[j].ready = std::max(receiver.ready, end);
            ++sends_;
            try_all();
            --sends_;
        }
        nodes_[i] = sender;
        nodes_[j] = receiver;
    }

    const Problem& network_;
    std::vector<Node> nodes_;
    std::size_t sends_ = 0;
    double least_ = infinity;
};

}  // namespace

double least_reduction_of_all(const Problem& network) { return Trees(network).least(); }

double least_reduction_in_several_sends(const Problem& network) { return Sends(network).least(); }

}  // namespace espalier::test
