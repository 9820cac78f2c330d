#include "simulate/messages.hpp"

#include <algorithm>
#include <unordered_map>

namespace espalier::simulate {

Messages::Messages(const schedule::Schedule& schedule, const Fabric& fabric)
    : schedule_(schedule),
      fabric_(fabric),
      nodes_(schedule.nodes.size()),
      half_duplex_(schedule.ports.duplex == schedule::Ports::Duplex::half),
      receives_in_order_(schedule.reception.mode == schedule::Reception::Mode::serial),
      queues_(half_duplex_ ? nodes_ : 2 * nodes_) {
    chunk_offset_.push_back(0);
    for (const auto& chunk : schedule.chunks)
        chunk_offset_.push_back(chunk_offset_.back() + chunk.bytes.value);
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        const auto& transfer = schedule.transfers[t];
        segments_.push_back(schedule.segments_of(transfer));
        sizes_.emplace_back(chunk_offset_[transfer.chunk + transfer.chunks] -
                            chunk_offset_[transfer.chunk]);
        first_.push_back(total_);
        total_ += segments_.back();
        full_cost_.push_back(fabric.cost(transfer.from, transfer.to,
                                         schedule::segment_bytes(sizes_[t], segments_[t], 0)));
    }
    find_orders();
    if (!schedule.barriers.empty()) find_steps();
    find_needs();
}

void Messages::find_orders() {
    std::vector<std::size_t> received(nodes_, 0);
    for (std::size_t t = 0; t < schedule_.transfers.size(); ++t)
        received[schedule_.transfers[t].to] += segments_[t];
    in_order_.assign(schedule_.transfers.size(), 0);
    for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
        queues_[out_port(t)].transfers.push_back(t);
        const bool crowded = received[schedule_.transfers[t].to] > schedule_.ports.count;
        if (!receives_in_order_ || !(crowded || half_duplex_ || fabric_.capacities().empty()))
            continue;
        in_order_[t] = 1;
        queues_[in_port(t)].transfers.push_back(t);
    }
}

void Messages::find_steps() {
    const auto& barriers = schedule_.barriers;
    std::size_t step = 0;
    for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
        while (step < barriers.size() && barriers[step] <= t) ++step;
        step_.push_back(step);
    }
    for (Queue& queue : queues_) {
        queue.later.assign(queue.transfers.rbegin(), queue.transfers.rend());
        queue.transfers.clear();
        begin_next_step(queue);
    }
}

void Messages::begin_next_step(Queue& queue) const {
    queue.segment = 0;
    for (auto& later = queue.later;
         !later.empty() &&
         (queue.transfers.empty() || step_[later.back()] == step_[queue.transfers.front()]);
         later.pop_back())
        queue.transfers.push_back(later.back());
}

/// Finds for each transfer the earlier-listed transfers to its sender that carry any of its chunks.
void Messages::find_needs() {
    std::unordered_map<std::size_t, std::vector<std::size_t>> delivered;  // by (node, chunk)
    const auto key = [&](std::size_t node, std::size_t chunk) {
        return node * schedule_.chunks.size() + chunk;
    };
    need_first_.push_back(0);
    for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
        const auto& transfer = schedule_.transfers[t];
        const auto begin = static_cast<std::ptrdiff_t>(needs_.size());
        for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c) {
            if (schedule_.chunks[c].control) continue;
            if (const auto found = delivered.find(key(transfer.from, c)); found != delivered.end())
                needs_.insert(needs_.end(), found->second.begin(), found->second.end());
            delivered[key(transfer.to, c)].push_back(t);
        }
        std::sort(needs_.begin() + begin, needs_.end());
        needs_.erase(std::unique(needs_.begin() + begin, needs_.end()), needs_.end());
        need_first_.push_back(needs_.size());
    }
}

std::optional<Messages::Message> Messages::head(std::size_t port) const {
    const Queue& queue = queues_[port];
    if (queue.transfers.empty()) return std::nullopt;
    return Message{queue.transfers[queue.position], queue.segment};
}

bool Messages::is_next(Message message) const {
    return head(out_port(message.transfer)) == message &&
           (in_order_[message.transfer] == 0 || head(in_port(message.transfer)) == message);
}

void Messages::take(Message message) {
    advance(queues_[out_port(message.transfer)]);
    if (in_order_[message.transfer] != 0) advance(queues_[in_port(message.transfer)]);
}

void Messages::advance(Queue& queue) const {
    if (++queue.position < queue.transfers.size()) return;
    queue.position = 0;
    ++queue.segment;
    std::erase_if(queue.transfers, [&](std::size_t t) { return segments_[t] <= queue.segment; });
    if (queue.transfers.empty()) begin_next_step(queue);
}

MessageCost Messages::cost(Message message) const {
    const std::size_t t = message.transfer;
    const Bytes size = bytes(message);
    if (size == schedule::segment_bytes(sizes_[t], segments_[t], 0)) return full_cost_[t];
    return fabric_.cost(schedule_.transfers[t].from, schedule_.transfers[t].to, size);
}

std::optional<std::size_t> Messages::needed_segment(Message message, std::size_t upstream) const {
    const std::size_t t = message.transfer;
    const std::size_t last = segments_[upstream] - 1;
    if (sizes_[t].value == 0 || sizes_[upstream].value == 0)
        return segments_[t] == segments_[upstream] ? message.segment : last;
    const std::uint64_t base = chunk_offset_[schedule_.transfers[t].chunk];
    const std::uint64_t upstream_base = chunk_offset_[schedule_.transfers[upstream].chunk];
    const std::uint64_t begin =
        base + schedule::segment_offset(sizes_[t], segments_[t], message.segment);
    const std::uint64_t end =
        base + schedule::segment_offset(sizes_[t], segments_[t], message.segment + 1);
    if (end <= upstream_base || begin >= upstream_base + sizes_[upstream].value)
        return std::nullopt;
    if (begin == end) return std::nullopt;  // nothing is left for it
    const std::uint64_t last_byte =
        std::min(end, upstream_base + sizes_[upstream].value) - upstream_base - 1;
    const std::uint64_t size =
        (sizes_[upstream].value + segments_[upstream] - 1) / segments_[upstream];
    return last_byte / size;
}

}  // namespace espalier::simulate
