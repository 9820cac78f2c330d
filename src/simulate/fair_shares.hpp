#pragma once

#include "simulate/fabric.hpp"
#include "simulate/messages.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

namespace espalier::simulate {

/// The order in which short messages pass a capacity: by the time at which they came, then by their
/// number at their sender.
struct Turn {
    double since = 0;
    std::size_t nth = 0;
    std::size_t sender = 0;
    friend auto operator<=>(const Turn&, const Turn&) = default;
};

/// A message on its way: what is left of it, in seconds that it would take alone.
struct Flow {
    Messages::Message message;
    std::size_t receiver = 0;
    double remaining = 0;
    double latency = 0;
    double bytes_per_second = 0;  ///< when nothing slows it down
    double speed = 1;             ///< the share of that it gets now
    bool slowed = false;          ///< by the overhead of interleaving
    std::span<const std::uint32_t> draws;
    double of_presumed = 1;    ///< what each of its bytes uses of presumed capacities (link_use)
    bool is_long = false;      ///< than a burst (Sharing)
    double weight = 1;         ///< Sharing::weight
    std::optional<Turn> turn;  ///< of a short message, or of what a long one begins with
    double later = 0;          ///< what comes after that, in seconds likewise
    bool arrives = false;      ///< it passes what is at its receiver's end
    double held = 0;           ///< its connection's window keeps it until then
};

/// Orders a heap of short messages so that the first to come is on top.
struct Later {
    bool operator()(const Flow& a, const Flow& b) const { return a.turn > b.turn; }
};

/// When the first of them ends, if it is `now` and their shares stay as they are.
[[nodiscard]] double next_finish(const std::vector<Flow>& flows, double now);
/// Moves them on. What would end within a rounding error of `time` ends at it.
void advance(std::vector<Flow>& flows, double now, double time);

/// Weighted max-min fairness by progressive filling: the tightest capacities fix their flows'
/// rates, in proportion to their weights, the others divide what is left. Before them, short
/// messages take all that they can, one after the other, in the order in which they came. Where
/// receives are interleaved, what a node receives divides its time, too; time that one can't use,
/// because a capacity holds it back, goes to the others.
class FairShares {
public:
    /// `ports`: how many messages a receiver takes in at full speed; 0: receivers hold none back.
    FairShares(std::span<const Capacity> capacities, std::size_t nodes, std::size_t ports);

    /// Takes those out of `flows` that wait for their turn, and puts them back when it has come.
    void assign(std::vector<Flow>& flows);
    /// A long message begins, or ends, to draw on its capacities (Capacity::incast_threshold).
    void begin_long(const Flow& flow) { count(flow, 1); }
    void end_long(const Flow& flow) { count(flow, -1); }

private:
    using Queue = std::priority_queue<Flow, std::vector<Flow>, Later>;

    void count(const Flow& flow, int change) {
        for (const auto c : flow.draws) long_messages_[c] += change;
    }
    /// What each of its bytes uses of a capacity.
    [[nodiscard]] double use(const Flow& flow, std::uint32_t c) const {
        return capacities_[c].presumed ? flow.of_presumed : 1;
    }
    void let_pass(std::vector<Flow>& flows);
    void let_pass(Flow flow, std::vector<Flow>& flows);
    [[nodiscard]] bool is_bound(const Flow& flow) const;
    void settle_held();
    void settle(Flow& flow, double speed);
    [[nodiscard]] double level(const Flow& flow, std::uint32_t c) const;
    [[nodiscard]] double level_at_receiver(const Flow& flow) const;
    /// The highest rate for its weight that its capacities and its receiver admit.
    [[nodiscard]] double highest_level(const Flow& flow) const;
    [[nodiscard]] double time_share(const Flow& flow) const;
    void hand_out_rest(std::vector<Flow>& flows);

    std::span<const Capacity> capacities_;
    std::vector<double> left_;
    std::vector<std::size_t> users_;   ///< by capacity: long messages that draw on it
    std::vector<double> weights_;      ///< the sum of theirs, each times its use
    std::vector<std::uint32_t> used_;  ///< the capacities that open flows drew on
    std::vector<double> levels_;       ///< by capacity: what is left for each unit of weight
    std::vector<char> holds_;          ///< by capacity: it holds back all of its open flows most
    std::vector<int> long_messages_;   ///< by capacity: those that draw on it, also those that wait
    double ports_;
    std::vector<double> time_left_;  ///< by receiver
    std::vector<std::size_t> received_;
    std::vector<char> receiver_holds_;  ///< likewise by receiver
    std::vector<Flow*> open_;
    std::vector<double> highest_;  ///< by open flow: its highest level
    std::vector<Queue> waiting_;   ///< by capacity: those that it has nothing left for
    std::size_t waits_ = 0;        ///< how many these are in all
    std::vector<Flow> passing_;
};

}  // namespace espalier::simulate
