#include "simulate/reception.hpp"

#include "simulate/inbox.hpp"
#include "simulate/interleaved_receivers.hpp"
#include "simulate/senders.hpp"

#include <algorithm>

namespace espalier::simulate {

namespace {

class InterleavedEngine {
public:
    InterleavedEngine(const schedule::Schedule& schedule, const Fabric& fabric)
        : senders_(schedule, fabric),
          receivers_(schedule.nodes.size(), schedule.ports.count, schedule.reception.overhead) {
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t)
            first_.push_back(senders_.messages().id({t, 0}));
    }

    schedule::Timeline run() {
        while (true) {
            const double end = receivers_.next_end();
            if (end == never && senders_.next_time() == never) return senders_.take();
            if (end <= senders_.next_time())
                finish(end);
            else
                start(senders_.next());
        }
    }

private:
    void start(const Senders::Request& request) {
        const std::size_t node = senders_.transfer_of(request.message).to;
        const MessageCost cost = senders_.messages().cost(request.message);
        receivers_.add(node, request.time, senders_.messages().id(request.message), cost.gap.value);
        senders_.start(request.message, request.time, request.time + cost.latency.value);
        senders_.consider(senders_.transfer_of(request.message).from);
    }

    void finish(double now) {
        const Messages::Message message = message_of(receivers_.finish());
        const double latency = senders_.messages().cost(message).latency.value;
        senders_.end(message, now, now + latency);
    }

    [[nodiscard]] Messages::Message message_of(std::size_t id) const {
        const auto after = std::upper_bound(first_.begin(), first_.end(), id);
        return {static_cast<std::size_t>(after - first_.begin()) - 1, id - *(after - 1)};
    }

    Senders senders_;
    InterleavedReceivers receivers_;
    std::vector<std::size_t> first_;  ///< by transfer: the number of its first message
};

}  // namespace

schedule::Timeline simulate_interleaved(const schedule::Schedule& schedule, const Fabric& fabric) {
    return InterleavedEngine(schedule, fabric).run();
}

schedule::Timeline simulate_buffered(const schedule::Schedule& schedule, const Fabric& fabric) {
    Senders senders(schedule, fabric);
    std::vector<Inbox> receivers;
    for (std::size_t node = 0; node < schedule.nodes.size(); ++node)
        receivers.emplace_back(schedule.ports.count, schedule.reception.buffer,
                               senders.before(node));
    while (senders.next_time() != never) {
        const auto [time, message] = senders.next();
        Inbox& receiver = receivers[senders.transfer_of(message).to];
        const MessageCost cost = senders.messages().cost(message);
        const Bytes size = senders.messages().bytes(message);
        const Inbox::Place place = receiver.find_place(time, cost.latency.value, size);
        receiver.let_in(place, cost.gap.value, size);
        senders.start(message, place.start, place.arrival);
        senders.end(message, place.start + cost.gap.value, place.arrival + cost.gap.value);
    }
    return senders.take();
}

}  // namespace espalier::simulate
