#include "plan/node/incremental.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace espalier::plan::node {

IncrementalBroadcast::IncrementalBroadcast(const std::vector<Node>& nodes,
                                           const std::optional<std::string>& root,
                                           std::size_t ports)
    : ports_(ports), root_is_given_(root.has_value()) {
    if (nodes.empty()) throw InputError("broadcast", "nodes", "there are none");
    if (ports == 0) throw InputError("broadcast", "ports", "a node needs one");
    std::vector<Step> order;
    for (const Node& node : nodes) order.push_back({.name = node.name, .key = enroll(node)});
    std::ranges::sort(order, {}, &Step::key);
    if (root) {
        const auto given = std::ranges::find(order, *root, &Step::name);
        if (given == order.end())
            throw InputError("broadcast", "root", fmt::format("no node is called '{}'", *root));
        std::rotate(order.begin(), given, given + 1);
    }
    for (const Step& step : order) serve(step);
}

IncrementalBroadcast::Change IncrementalBroadcast::join(const Node& node) {
    const Key key = enroll(node);
    return redo(place_of(key), [&](std::vector<Step>& tail) {
        tail.insert(tail.begin(), {.name = node.name, .key = key});
    });
}

IncrementalBroadcast::Change IncrementalBroadcast::leave(const std::string& name) {
    const auto found = keys_.find(name);
    if (found == keys_.end())
        throw InputError("broadcast", "nodes", fmt::format("no node is called '{}'", name));
    if (size() == 1)
        throw InputError("broadcast", "nodes", fmt::format("'{}' is the last one", name));
    if (root_is_given_ && steps_.front().name == name)
        throw InputError("broadcast", "root", fmt::format("'{}' is to send", name));
    const std::size_t place = place_of(found->second);
    keys_.erase(found);
    return redo(place, [](std::vector<Step>& tail) { tail.erase(tail.begin()); });
}

std::vector<IncrementalBroadcast::Node> IncrementalBroadcast::sequence() const {
    std::vector<Node> nodes;
    for (const Step& step : steps_) nodes.push_back({step.name, step.key.time});
    return nodes;
}

schedule::Schedule IncrementalBroadcast::schedule() const {
    schedule::Schedule schedule;
    schedule.collective = {
        .kind = schedule::Kind::broadcast, .nodes = steps_.size(), .root = 0, .bytes = Bytes(1)};
    schedule.ports = {schedule::Ports::Duplex::half, ports_};
    schedule.chunks = {{.bytes = Bytes(1)}};
    for (const Step& step : steps_) schedule.nodes.push_back(step.name);
    for (std::size_t i = 1; i < steps_.size(); ++i)
        schedule.transfers.push_back({.from = place_of(steps_[i].sender), .to = i});
    return schedule;
}

IncrementalBroadcast::Key IncrementalBroadcast::enroll(const Node& node) {
    if (!(node.time > 0) || !std::isfinite(node.time))
        throw InputError("broadcast", node.name, "its time must be positive and finite");
    const Key key{node.time, joined_};
    if (!keys_.emplace(node.name, key).second)
        throw InputError("broadcast", "nodes", fmt::format("two nodes are called '{}'", node.name));
    ++joined_;
    return key;
}

/// Where it is, or would be, in the sequence.
std::size_t IncrementalBroadcast::place_of(const Key& key) const {
    if (!steps_.empty() && steps_.front().key == key) return 0;
    const auto sorted = steps_.begin() + (root_is_given_ ? 1 : 0);
    const auto at = std::lower_bound(sorted, steps_.end(), key,
                                     [](const Step& step, const Key& k) { return step.key < k; });
    return static_cast<std::size_t>(at - steps_.begin());
}

IncrementalBroadcast::Transfer IncrementalBroadcast::transfer_of(const Step& step) const {
    return {steps_[place_of(step.sender)].name, step.name, step.ready};
}

std::vector<IncrementalBroadcast::Transfer> IncrementalBroadcast::transfers_from(
    std::size_t place) const {
    std::vector<Transfer> transfers;
    for (std::size_t i = std::max<std::size_t>(place, 1); i < steps_.size(); ++i)
        transfers.push_back(transfer_of(steps_[i]));
    return transfers;
}

/// Hands out the steps from that place on. The last receiver has sent nothing yet, and what it was
/// sent is its sender's next delivery again.
std::vector<IncrementalBroadcast::Step> IncrementalBroadcast::undo_from(std::size_t place) {
    for (std::size_t i = steps_.size(); i-- > place;) {
        const Step& step = steps_[i];
        for (std::size_t port = 0; port < ports_; ++port)
            deliveries_.erase({step.ready + step.key.time, step.key, port});
        if (i == 0) break;
        deliveries_.erase({step.ready + step.sender.time, step.sender, step.port});
        deliveries_.insert({step.ready, step.sender, step.port});
    }
    const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(place);
    std::vector<Step> tail(std::make_move_iterator(first), std::make_move_iterator(steps_.end()));
    steps_.erase(first, steps_.end());
    return tail;
}

/// Whoever can deliver the earliest delivers to this one.
void IncrementalBroadcast::serve(Step step) {
    if (steps_.empty()) {
        step.ready = 0;
    } else {
        const Delivery next = *deliveries_.begin();
        deliveries_.erase(deliveries_.begin());
        deliveries_.insert({next.at + next.sender.time, next.sender, next.port});
        step.ready = next.at;
        step.sender = next.sender;
        step.port = next.port;
    }
    for (std::size_t port = 0; port < ports_; ++port)
        deliveries_.insert({step.ready + step.key.time, step.key, port});
    steps_.push_back(std::move(step));
}

template <typename Edit>
IncrementalBroadcast::Change IncrementalBroadcast::redo(std::size_t place, const Edit& edit) {
    Change change{.kept = place, .gone = transfers_from(place), .added = {}};
    auto tail = undo_from(place);
    edit(tail);
    for (Step& step : tail) serve(std::move(step));
    change.added = transfers_from(place);
    std::unordered_map<std::string_view, const Transfer*> now;
    for (const Transfer& transfer : change.added) now.emplace(transfer.to, &transfer);
    std::unordered_set<std::string> same;
    for (const Transfer& transfer : change.gone)
        if (const auto found = now.find(transfer.to);
            found != now.end() && *found->second == transfer)
            same.insert(transfer.to);
    const auto unchanged = [&](const Transfer& transfer) { return same.contains(transfer.to); };
    std::erase_if(change.gone, unchanged);
    std::erase_if(change.added, unchanged);
    return change;
}

}  // namespace espalier::plan::node
