#pragma once

#include "plan/exchange/scheduler.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace espalier::plan::exchange {

/// List scheduling where messages have no latency and share nothing but the ports of their ends. A
/// pass takes O(M (log P + P / 64 + idle nodes)) for M messages between P nodes.
class ListScheduler final : public Scheduler {
public:
    explicit ListScheduler(const Problem& problem);

    [[nodiscard]] static bool understands(const Problem& problem);

    double pass(const Preferences& preferences, double give_up) override;
    [[nodiscard]] const Order& messages() const override { return started_; }

private:
    /// All sending ends, or all receiving ends. Sets of nodes have 64 to a word.
    struct Side {
        std::vector<double> duration;      ///< of the message with another, by node * nodes + other
        std::vector<std::uint64_t> peers;  ///< by node, a set: with whom it has a message
        std::vector<double> load;          ///< by node: seconds of work
        std::vector<std::uint64_t> waiting;  ///< of `peers`: whose message has not begun
        std::vector<double> left;            ///< of `load`: what has not begun
        std::vector<std::size_t> busy;       ///< by node: ports
        std::vector<std::uint64_t> idle;     ///< the set of nodes with a free port
        std::vector<double> factor;          ///< see Preferences
        std::vector<std::size_t> urgent;     ///< behind the pace, the most urgent first

        [[nodiscard]] double preference(std::size_t node) const {
            return factor[node] * left[node];
        }
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    void add(Side& own, std::size_t node, std::size_t other, double duration) const;
    void reset(Side& own, const std::vector<double>& factors) const;
    void run_to_next_end();
    bool match(double pace, double length);
    void find_urgent(Side& own, const Side& other, double pace) const;
    [[nodiscard]] bool has_idle_peer(const Side& own, std::size_t node, const Side& other) const;
    [[nodiscard]] std::size_t best_peer(const Side& own, std::size_t node, const Side& other,
                                        double length) const;
    void start(std::size_t from, std::size_t to);
    void occupy(Side& own, std::size_t node, std::size_t other, double duration) const;
    void release(Side& own, std::size_t node) const;

    std::size_t nodes_;
    std::size_t words_;
    std::size_t ports_;
    Side senders_;
    Side receivers_;
    std::vector<std::uint32_t> message_;  ///< by from * nodes + to
    double bound_ = 0;

    double now_ = 0;
    double makespan_ = 0;
    double least_ = 0;  ///< what the makespan will be at least
    std::vector<std::pair<double, std::uint32_t>> under_way_;  ///< a heap: end, from * nodes + to
    Order started_;
};

}  // namespace espalier::plan::exchange
