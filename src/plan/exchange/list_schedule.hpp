#pragma once

#include "plan/exchange/problem.hpp"
#include "simulate/slots.hpp"

#include <cstdint>
#include <optional>
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
class ListScheduler {
public:
    explicit ListScheduler(const Problem& problem);

    /// The makespan in seconds; infinity if it gave up, since that would not be below `give_up`.
    double pass(const Preferences& preferences, double give_up);
    /// Of the last pass: the messages as they start.
    [[nodiscard]] const Order& messages() const { return started_; }

private:
    struct Item {
        std::size_t message = 0;
        std::size_t to = 0;
        double gap = 0;  ///< seconds, with as many others as fill the capacities on the way
        double latency = 0;
        double rate = 0;  ///< bytes per second alone
        double bytes = 0;
    };
    /// Messages of one sender that draw on the same capacities.
    struct Group {
        std::vector<std::uint32_t> capacities;
        std::vector<Item> items;  ///< that have not begun
    };
    /// A sender, a receiver or a capacity: seconds of its work.
    struct Machine {
        double load = 0;
        double left = 0;  ///< what has not begun
        double factor = 1;

        [[nodiscard]] double preference() const { return factor * left; }
        [[nodiscard]] bool behind(double pace) const { return left >= load * pace; }
    };
    /// A message has left its sender; or, where no group is named, the sender is to look again.
    struct Event {
        double time = 0;
        std::uint32_t sender = 0;
        std::optional<std::uint32_t> group = {};
        double rate = 0;  ///< of the message
        friend bool operator>(const Event& a, const Event& b) {
            return a.time != b.time ? a.time > b.time : a.sender > b.sender;
        }
    };

    void add(const Problem& problem, std::size_t message);
    void reset(const Preferences& preferences);
    void push(Event event);
    void awake_for_next_time();
    void release(const Event& event);
    void let_awake_send(double pace, double length);
    bool send_one(std::size_t sender, double pace, double length);
    void send_all(std::size_t sender, double pace, double length);
    void offer(std::uint32_t capacity, double pace, double length);
    [[nodiscard]] std::optional<std::uint32_t> take_first(
        std::vector<std::uint32_t>& waiting) const;
    [[nodiscard]] bool is_full(std::uint32_t capacity) const;
    [[nodiscard]] bool has_to_wait(std::size_t sender, const Group& group);
    void start(std::size_t sender, std::uint32_t group, std::size_t place);
    void wake(std::size_t sender);

    std::size_t nodes_;
    std::size_t ports_;
    std::vector<double> limits_;  ///< by capacity: bytes per second
    std::vector<std::vector<Group>> all_groups_;
    std::vector<Machine> senders_;
    std::vector<Machine> receivers_;
    std::vector<Machine> capacities_;
    double bound_ = 0;

    std::vector<std::vector<Group>> groups_;           ///< by sender: what has not begun
    std::vector<std::size_t> busy_;                    ///< by sender: ports
    std::vector<simulate::Slots> receiver_ports_;      ///< by receiver
    std::vector<double> receiver_free_;                ///< by receiver: when one of them is free
    std::vector<double> used_;                         ///< by capacity: bytes per second
    std::vector<std::vector<std::uint32_t>> waiting_;  ///< by capacity: senders that it held up
    std::vector<std::uint32_t> opened_;                ///< capacities that have room again
    std::vector<std::uint32_t> awake_;
    std::vector<std::uint8_t> is_awake_;  ///< by sender
    std::vector<Event> events_;           ///< a heap
    double now_ = 0;
    double makespan_ = 0;
    double least_ = 0;  ///< what the makespan will be at least
    Order started_;
};

}  // namespace espalier::plan::exchange
