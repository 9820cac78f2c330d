#include "simulate/senders.hpp"

#include "simulate/fluid.hpp"

#include <algorithm>
#include <tuple>

namespace espalier::simulate {

Senders::Senders(const schedule::Schedule& schedule, const Fabric& fabric)
    : messages_(schedule, fabric),
      steps_(messages_),
      delivered_(messages_.count(), never),
      before_(schedule.nodes.size(), 0),
      last_start_(schedule.nodes.size(), 0),
      asks_(schedule.nodes.size(), false) {
    timeline_.transfers.resize(schedule.transfers.size());
    for (const auto& part : schedule.local)
        if (part.phase == schedule::LocalPart::Phase::before)
            before_[part.node] = part.duration.value;
    for (const double from : before_) slots_.emplace_back(schedule.ports.count, from);
    for (std::size_t node = 0; node < before_.size(); ++node) consider(node);
}

Senders::Request Senders::next() {
    const Request request = requests_.top();
    requests_.pop();
    return request;
}

void Senders::start(Messages::Message message, double start, double arrival) {
    const std::size_t node = transfer_of(message).from;
    messages_.take(message);
    asks_[node] = false;
    last_start_[node] = start;
    slots_[node].occupy_until(never);
    if (message.segment == 0) {
        timeline_.transfers[message.transfer].start = Seconds(start);
        timeline_.transfers[message.transfer].arrival = Seconds(arrival);
    }
}

void Senders::end(Messages::Message message, double sent, double end) {
    const auto& transfer = transfer_of(message);
    auto& times = timeline_.transfers[message.transfer];
    times.sent = std::max(times.sent, Seconds(sent));
    times.end = std::max(times.end, Seconds(end));
    delivered_[messages_.id(message)] = end;
    slots_[transfer.from].release(sent);
    ++ended_;
    if (steps_.deliver(message.transfer, end))
        for (std::size_t node = 0; node < before_.size(); ++node) consider(node);
    consider(transfer.from);
    consider(transfer.to);
}

schedule::Timeline Senders::take() {
    if (ended_ < messages_.count()) report_deadlock(messages_);
    return std::move(timeline_);
}

bool Senders::Later::operator()(const Request& a, const Request& b) const {
    return std::tie(a.time, a.message.transfer, a.message.segment) >
           std::tie(b.time, b.message.transfer, b.message.segment);
}

/// When all data that the message needs has been delivered; nullopt while some has no time yet.
std::optional<double> Senders::data_ready(Messages::Message message) const {
    const auto begin = steps_.begin(message.transfer);
    double ready = begin.value_or(never);
    messages_.for_each_need(message, [&](Messages::Need need) {
        // As many of its last segments as there are ports can be on their way at once.
        const std::size_t last = messages_.id({need.transfer, need.segment});
        const std::size_t ports = messages_.schedule().ports.count;
        for (std::size_t n = 0; n < std::min(ports, need.segment + 1); ++n)
            ready = std::max(ready, delivered_[last - n]);
    });
    return ready == never ? std::nullopt : std::optional(ready);
}

void Senders::consider(std::size_t node) {
    const auto message = messages_.head(node);
    if (!message || asks_[node] || slots_[node].earliest() == never) return;
    const auto ready = data_ready(*message);
    if (!ready) return;
    asks_[node] = true;
    const double open = before_[transfer_of(*message).to] - messages_.cost(*message).latency.value;
    requests_.push(
        {std::max({*ready, slots_[node].earliest(), last_start_[node], open}), *message});
}

}  // namespace espalier::simulate
