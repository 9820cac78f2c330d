#pragma once

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "plan/exchange/node_set.hpp"
#include "plan/exchange/problem.hpp"
#include "simulate/slots.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace espalier::plan::exchange {

/// What a pass of list scheduling goes by. Of the nodes that could take part in a message, it
/// prefers those with the most work left.
struct Preferences {
    std::vector<double> sender;    ///< by node: a factor of the sending that it has left
    std::vector<double> receiver;  ///< by node: a factor of the receiving that it has left
    std::vector<double> capacity;  ///< by shared capacity: likewise
    double length = 1;             ///< what a message's own duration counts beside that
    /// A message may wait while both its ends are ahead of the pace at which they would be done
    /// with all their work at this part of the bound; 0: no message waits that could start. Nodes
    /// with time to spare so keep some of it for later, and whoever has none finds somebody free.
    double pace = 0;

    /// Nobody is preferred for who it is.
    [[nodiscard]] static Preferences plain(const Problem& problem, double pace);
};

/// List scheduling of one problem, again and again. A shared capacity is taken as a machine that
/// carries so many messages at once as fill it; a message that would find it full waits. Makespans
/// are estimates then: transfers that share a capacity really slow each other down. Without
/// capacities they are what the simulator says, or more.
///
/// A sender that can start nothing waits at the receivers of its messages. When one of these is
/// free again, only the sender with the most left to send is asked, and the next one only if that
/// one takes something else.
class ListScheduler {
public:
    explicit ListScheduler(const Problem& problem);

    /// The makespan in seconds; infinity if it gave up, since that would not be below `give_up`,
    /// or since the meter is over. What takes but a moment is done on any meter.
    double pass(const Preferences& preferences, double give_up, Meter& meter);
    /// Of the last pass: the messages as they start.
    [[nodiscard]] const Order& messages() const { return started_; }
    /// Of the last pass: how often it looked at whether a message can start.
    [[nodiscard]] std::uint64_t looks() const { return looks_; }

private:
    struct Item {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        double gap = 0;  ///< seconds, with as many others as fill the capacities on the way
        double latency = 0;
        double rate = 0;  ///< bytes per second alone
        double bytes = 0;
        std::span<const std::uint32_t> draws;  ///< capacities
    };
    /// A sender, a receiver or a capacity: seconds of its work.
    struct Machine {
        double load = 0;
        double left = 0;  ///< what has not begun
        double factor = 1;
        double due = 0;               ///< when the pace has caught up with it
        double next_look = infinity;  ///< the time of its next event

        [[nodiscard]] double preference() const { return factor * left; }
        void begin(double work, double planned) {
            left = std::max(left - work, 0.0);
            due = load > 0 ? planned * (1 - left / load) : 0;
        }
    };
    /// A message has left its sender; or it is time to ask a sender, or those that wait for a
    /// receiver.
    struct Event {
        enum class Kind : std::uint8_t { left, sender, receiver };
        double time = 0;
        Kind kind = Kind::left;
        std::uint32_t of = 0;  ///< message, sender or receiver
        friend bool operator>(const Event& a, const Event& b) {
            return a.time != b.time ? a.time > b.time : a.of > b.of;
        }
    };
    /// A sender that may send, the one with the most left first.
    struct Candidate {
        double preference = 0;
        std::uint32_t sender = 0;
        std::optional<std::uint32_t> receiver = {};  ///< whom it waited for
        /// Comes after.
        friend bool operator>(const Candidate& a, const Candidate& b) {
            return a.preference != b.preference ? a.preference < b.preference : a.sender > b.sender;
        }
    };

    void add(const Problem& problem, std::size_t message);
    void reset(const Preferences& preferences);
    void push(Event event);
    void go_to_next_time();
    void release(std::uint32_t message);
    void look_at(Event::Kind kind, std::uint32_t node, double time);
    [[nodiscard]] bool is_next(const Event& event);
    void look(const Event& event);
    void let_awake_send(double length);
    void ask_next(std::uint32_t receiver, const Candidate& last);
    void push(Candidate candidate);
    bool send_one(std::size_t sender, double length);
    void send_all(std::size_t sender, double length);
    void offer(std::uint32_t capacity, double length);
    [[nodiscard]] std::optional<std::uint32_t> take_first(NodeSet& waiting) const;
    [[nodiscard]] bool is_full(std::uint32_t capacity) const;
    [[nodiscard]] bool can_start(const Item& item);
    [[nodiscard]] double urgency(const Item& item) const;
    [[nodiscard]] double opens(std::uint32_t receiver) const;
    [[nodiscard]] std::uint32_t message(std::size_t from, std::size_t to) const {
        return messages_[from * nodes_ + to];
    }
    void start(std::uint32_t message);

    std::size_t nodes_;
    std::size_t ports_;
    std::vector<double> limits_;           ///< by capacity: bytes per second
    std::vector<Item> items_;              ///< by message
    std::vector<std::uint32_t> messages_;  ///< by from * nodes + to
    std::vector<NodeSet> all_receivers_;   ///< by sender: those that it has a message for
    std::vector<NodeSet> all_senders_;     ///< by receiver: those that have one for it
    std::vector<double> most_latency_;     ///< by receiver
    std::vector<Machine> senders_;
    std::vector<Machine> receivers_;
    std::vector<Machine> capacities_;
    double bound_ = 0;

    std::vector<NodeSet> receivers_left_;          ///< by sender: of messages that have not begun
    std::vector<NodeSet> senders_left_;            ///< by receiver: likewise
    std::vector<std::size_t> busy_;                ///< by sender: ports
    NodeSet idle_;                                 ///< senders with a free port
    std::vector<simulate::Slots> receiver_ports_;  ///< by receiver
    std::vector<double> receiver_free_;            ///< by receiver: when one of them is free
    NodeSet open_;                                 ///< receivers that somebody could send to now
    std::vector<double> used_;                     ///< by capacity: bytes per second
    std::vector<NodeSet> waiting_;                 ///< by capacity: senders that it held up
    std::vector<std::uint32_t> roomy_;             ///< capacities that have room again
    std::vector<std::uint32_t> looked_at_;         ///< receivers whose event it was
    std::vector<std::uint32_t> awake_;             ///< senders
    std::vector<Candidate> candidates_;            ///< a heap
    std::vector<Event> events_;                    ///< a heap
    std::uint64_t looks_ = 0;
    double planned_ = 0;  ///< when all would be done, by the pace
    double now_ = 0;
    double makespan_ = 0;
    double least_ = 0;  ///< what the makespan will be at least
    Order started_;
};

}  // namespace espalier::plan::exchange
