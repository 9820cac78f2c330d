#include "simulate/interleaved_receivers.hpp"

#include "simulate/slots.hpp"

namespace espalier::simulate {

InterleavedReceivers::InterleavedReceivers(std::size_t nodes, std::size_t ports, double overhead)
    : receivers_(nodes, Interleaving(ports, overhead)), version_(nodes, 0) {}

void InterleavedReceivers::add(std::size_t node, double now, std::size_t id, double work) {
    receivers_[node].add(now, id, work);
    changed(node);
}

double InterleavedReceivers::next_end() const { return ends_.empty() ? never : ends_.top().time; }

std::size_t InterleavedReceivers::finish() {
    const std::size_t node = ends_.top().node;
    const std::size_t id = receivers_[node].finish();
    changed(node);
    return id;
}

void InterleavedReceivers::changed(std::size_t node) {
    ++version_[node];
    if (receivers_[node].size() > 0)
        ends_.push({receivers_[node].next_end(), node, version_[node]});
    while (!ends_.empty() && ends_.top().version != version_[ends_.top().node]) ends_.pop();
}

}  // namespace espalier::simulate
