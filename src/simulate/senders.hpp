#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"
#include "simulate/messages.hpp"
#include "simulate/slots.hpp"
#include "simulate/steps.hpp"

#include <cstddef>
#include <optional>
#include <queue>
#include <vector>

namespace espalier::simulate {

/// The senders of a schedule whose receives have no order: each asks to start its next message when
/// it holds the data, its step has begun and one of its ports is free. Requests come in the order
/// of their times, those at the same time in the schedule's.
class Senders {
public:
    /// Both arguments must outlive it.
    Senders(const schedule::Schedule& schedule, const Fabric& fabric);

    struct Request {
        double time = 0;
        Messages::Message message;
    };
    [[nodiscard]] const Messages& messages() const { return messages_; }
    [[nodiscard]] const schedule::Transfer& transfer_of(Messages::Message message) const {
        return messages_.schedule().transfers[message.transfer];
    }
    /// When the local part inside a node that comes before its transfers ends.
    [[nodiscard]] double before(std::size_t node) const { return before_[node]; }

    /// The time of the next request; `never`: there is none as yet.
    [[nodiscard]] double next_time() const {
        return requests_.empty() ? never : requests_.top().time;
    }
    Request next();

    /// The message of the last request starts. Its sender asks for the next one when its end is
    /// told, or by consider().
    void start(Messages::Message message, double start, double arrival);
    /// Says that a message has left its sender at `sent` and is received by `end`; neither is
    /// before the times told up to now. May be said as soon as it is known.
    void end(Messages::Message message, double sent, double end);
    /// The node may have a port for its next message.
    void consider(std::size_t node);

    /// All times. Throws InvalidError where some message has never been sent.
    [[nodiscard]] schedule::Timeline take();

private:
    struct Later {
        bool operator()(const Request& a, const Request& b) const;
    };
    [[nodiscard]] std::optional<double> data_ready(Messages::Message message) const;

    Messages messages_;
    Steps steps_;
    std::vector<double> delivered_;  ///< by message; `never` as long as it is not known
    std::vector<double> before_;
    std::vector<Slots> slots_;
    std::vector<double> last_start_;
    std::vector<bool> asks_;  ///< by node: its next message stands in requests_
    std::priority_queue<Request, std::vector<Request>, Later> requests_;
    std::size_t ended_ = 0;
    schedule::Timeline timeline_;
};

}  // namespace espalier::simulate
