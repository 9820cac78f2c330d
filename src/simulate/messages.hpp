#pragma once

#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::simulate {

/// A schedule as the messages that its nodes send: one for each segment of each transfer, never
/// stored. Knows which message is next at each port, and what a message waits for. Engines decide
/// when it moves. Ports go step by step (Schedule::barriers); where receives have no order
/// (Reception), those of receivers have no next message.
class Messages {
public:
    struct Message {
        std::size_t transfer = 0;
        std::size_t segment = 0;
        friend bool operator==(const Message&, const Message&) = default;
    };
    /// A message that must have been delivered before another can be sent.
    struct Need {
        std::size_t transfer = 0;
        std::size_t segment = 0;
    };

    /// Both arguments must outlive it.
    Messages(const schedule::Schedule& schedule, const Fabric& fabric);

    [[nodiscard]] const schedule::Schedule& schedule() const { return schedule_; }
    [[nodiscard]] std::size_t count() const { return total_; }
    [[nodiscard]] std::size_t ports() const { return queues_.size(); }
    /// The port that a transfer's sender and receiver use; one and the same kind under half duplex.
    [[nodiscard]] std::size_t out_port(std::size_t transfer) const {
        return schedule_.transfers[transfer].from;
    }
    [[nodiscard]] std::size_t in_port(std::size_t transfer) const {
        const std::size_t node = schedule_.transfers[transfer].to;
        return half_duplex_ ? node : nodes_ + node;
    }
    [[nodiscard]] std::size_t in_port_of_node(std::size_t node) const {
        return half_duplex_ ? node : nodes_ + node;
    }

    /// The next message of a port; nullopt when it has done them all.
    [[nodiscard]] std::optional<Message> head(std::size_t port) const;
    /// Whether it is next at both its ports, as far as they have an order. Where messages share
    /// capacities, a receiver that has a port for each of its messages takes them as they come.
    [[nodiscard]] bool is_next(Message message) const;
    /// Takes it from both its ports.
    void take(Message message);

    /// Whether receives have an order, which is then the schedule's.
    [[nodiscard]] bool receives_in_order() const { return receives_in_order_; }
    [[nodiscard]] std::size_t steps() const { return schedule_.barriers.size() + 1; }
    /// The number of barriers before a transfer.
    [[nodiscard]] std::size_t step_of(std::size_t transfer) const {
        return step_.empty() ? 0 : step_[transfer];
    }

    [[nodiscard]] std::size_t segments(std::size_t transfer) const { return segments_[transfer]; }
    [[nodiscard]] Bytes bytes(Message message) const {
        return schedule::segment_bytes(sizes_[message.transfer], segments_[message.transfer],
                                       message.segment);
    }
    [[nodiscard]] MessageCost cost(Message message) const;
    /// A dense number for each message: transfer by transfer, segment by segment.
    [[nodiscard]] std::size_t id(Message message) const {
        return first_[message.transfer] + message.segment;
    }
    /// Calls `use(Need)` for the last segment needed of each transfer that `message` depends on.
    template <typename Use>
    void for_each_need(Message message, Use use) const {
        for (std::size_t n = need_first_[message.transfer]; n < need_first_[message.transfer + 1];
             ++n)
            if (const auto segment = needed_segment(message, needs_[n]))
                use(Need{needs_[n], *segment});
        if (const auto after = schedule_.transfers[message.transfer].after)
            use(Need{*after, segments_[*after] - 1});
    }

private:
    /// The transfers of one port in their order; those whose segments are done drop out.
    struct Queue {
        std::vector<std::size_t> transfers;  ///< of one step
        std::size_t position = 0;
        std::size_t segment = 0;
        std::vector<std::size_t> later = {};  ///< of the steps after it, the last one first
    };
    void find_orders();
    void find_steps();
    void begin_next_step(Queue& queue) const;
    void advance(Queue& queue) const;
    void find_needs();
    [[nodiscard]] std::optional<std::size_t> needed_segment(Message message,
                                                            std::size_t upstream) const;

    const schedule::Schedule& schedule_;
    const Fabric& fabric_;
    std::size_t nodes_;
    bool half_duplex_;
    bool receives_in_order_;
    std::size_t total_ = 0;
    std::vector<std::size_t> segments_;
    std::vector<Bytes> sizes_;
    std::vector<std::size_t> first_;
    std::vector<std::uint64_t> chunk_offset_;
    std::vector<MessageCost> full_cost_;
    std::vector<Queue> queues_;
    std::vector<char> in_order_;     ///< by transfer: whether its receiver takes it in its order
    std::vector<std::size_t> step_;  ///< by transfer; empty where there are no barriers
    std::vector<std::size_t> needs_;
    std::vector<std::size_t> need_first_;
};

}  // namespace espalier::simulate
