#include "plan/exchange/list_schedule.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace espalier::plan::exchange {

namespace {
/// Relative: what sums of rates lose in rounding.
constexpr double rounding = 1e-9;
/// Looks at messages before the next one at the meter.
constexpr std::uint64_t looks_a_check = 1000;

}  // namespace

Preferences Preferences::plain(const Problem& problem, double pace) {
    return {.sender = std::vector<double>(problem.nodes(), 1),
            .receiver = std::vector<double>(problem.nodes(), 1),
            .capacity = std::vector<double>(problem.fabric->capacities().size(), 1),
            .length = 1,
            .pace = pace};
}

ListScheduler::ListScheduler(const Problem& problem)
    : nodes_(problem.nodes()),
      ports_(problem.ports),
      messages_(nodes_ * nodes_),
      all_receivers_(nodes_, NodeSet(nodes_)),
      all_senders_(nodes_, NodeSet(nodes_)),
      most_latency_(nodes_, 0),
      senders_(nodes_),
      receivers_(nodes_),
      idle_(nodes_),
      open_(nodes_),
      waiting_(problem.fabric->capacities().size(), NodeSet(nodes_)) {
    for (const auto& capacity : problem.fabric->capacities()) limits_.push_back(capacity.limit);
    capacities_.resize(limits_.size());
    items_.reserve(problem.messages.size());
    for (std::size_t m = 0; m < problem.messages.size(); ++m) add(problem, m);
    for (const auto* machines : {&senders_, &receivers_, &capacities_})
        for (const Machine& machine : *machines) bound_ = std::max(bound_, machine.load);
}

void ListScheduler::add(const Problem& problem, std::size_t m) {
    const auto& [from, to, size, gap, latency] = problem.messages[m];
    const auto bytes = static_cast<double>(size.value);
    Item item{.from = static_cast<std::uint32_t>(from),
              .to = static_cast<std::uint32_t>(to),
              .gap = gap,
              .latency = latency,
              .rate = gap > 0 ? bytes / gap : 0,
              .bytes = bytes,
              .draws = problem.fabric->draws(from, to)};
    if (item.rate > 0)
        for (const auto c : item.draws) {
            // A last one that fits only in part slows all down.
            const double at_once = std::ceil(limits_[c] / item.rate * (1 - rounding));
            item.gap = std::max(item.gap, gap * at_once * item.rate / limits_[c]);
        }
    senders_[from].load += item.gap / static_cast<double>(ports_);
    receivers_[to].load += item.gap / static_cast<double>(ports_);
    for (const auto c : item.draws) capacities_[c].load += bytes / limits_[c];
    most_latency_[to] = std::max(most_latency_[to], latency);
    messages_[from * nodes_ + to] = static_cast<std::uint32_t>(m);
    all_receivers_[from].insert(to);
    all_senders_[to].insert(from);
    items_.push_back(item);
}

void ListScheduler::reset(const Preferences& preferences) {
    const auto restart = [](std::vector<Machine>& machines, const std::vector<double>& factors) {
        for (std::size_t i = 0; i < machines.size(); ++i) {
            machines[i].left = machines[i].load;
            machines[i].factor = factors[i];
            machines[i].due = 0;
            machines[i].next_look = infinity;
        }
    };
    restart(senders_, preferences.sender);
    restart(receivers_, preferences.receiver);
    restart(capacities_, preferences.capacity);
    receivers_left_ = all_receivers_;
    senders_left_ = all_senders_;
    busy_.assign(nodes_, 0);
    receiver_ports_.assign(nodes_, simulate::Slots(ports_, 0));
    receiver_free_.assign(nodes_, 0);
    used_.assign(limits_.size(), 0);
    for (NodeSet& senders : waiting_) senders.clear();
    roomy_.clear();
    looked_at_.clear();
    awake_.clear();
    for (std::uint32_t node = 0; node < nodes_; ++node) {
        idle_.insert(node);
        open_.insert(node);
        awake_.push_back(node);
    }
    candidates_.clear();
    events_.clear();
    started_.clear();
    looks_ = 0;
    planned_ = bound_ * preferences.pace;
    now_ = makespan_ = least_ = 0;
}

double ListScheduler::pass(const Preferences& preferences, double give_up, Meter& meter) {
    reset(preferences);
    std::uint64_t next_check = looks_a_check;
    while (true) {
        let_awake_send(preferences.length);
        if (least_ >= give_up) return infinity;
        if (events_.empty()) return makespan_;
        if (looks_ >= next_check) {
            if (meter.over() && !meter.affords(static_cast<double>(looks_))) return infinity;
            next_check = looks_ + looks_a_check;
        }
        go_to_next_time();
    }
}

void ListScheduler::push(Event event) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

void ListScheduler::go_to_next_time() {
    now_ = events_.front().time;
    while (!events_.empty() && events_.front().time <= now_) {
        const Event event = events_.front();
        std::pop_heap(events_.begin(), events_.end(), std::greater<>());
        events_.pop_back();
        if (event.kind == Event::Kind::left)
            release(event.of);
        else if (is_next(event))
            look(event);
    }
}

/// Another one may have come to be before it.
bool ListScheduler::is_next(const Event& event) {
    Machine& machine = (event.kind == Event::Kind::sender ? senders_ : receivers_)[event.of];
    if (event.time != machine.next_look) return false;
    machine.next_look = infinity;
    return true;
}

void ListScheduler::look(const Event& event) {
    if (event.kind == Event::Kind::sender) {
        awake_.push_back(event.of);
    } else if (opens(event.of) > now_) {
        look_at(Event::Kind::receiver, event.of, opens(event.of));
    } else {
        open_.insert(event.of);
        looked_at_.push_back(event.of);
    }
}

void ListScheduler::release(std::uint32_t message) {
    const Item& item = items_[message];
    --busy_[item.from];
    idle_.insert(item.from);
    for (const auto c : item.draws) {
        used_[c] = std::max(used_[c] - item.rate, 0.0);
        roomy_.push_back(c);
        // Who has just used it must not have it again before others had a chance.
        if (const auto sender = take_first(waiting_[c])) awake_.push_back(*sender);
    }
    awake_.push_back(item.from);
}

/// When the sender with the most latency could send to it.
double ListScheduler::opens(std::uint32_t receiver) const {
    return receiver_free_[receiver] - most_latency_[receiver];
}

/// Sees to it that it, or those that wait for it, are asked, at this time if not before.
void ListScheduler::look_at(Event::Kind kind, std::uint32_t node, double time) {
    Machine& machine = (kind == Event::Kind::sender ? senders_ : receivers_)[node];
    if (time >= machine.next_look) return;
    machine.next_look = time;
    push(Event{time, kind, node});
}

/// Those with the most left to send come first.
void ListScheduler::let_awake_send(double length) {
    for (const auto sender : awake_) push(Candidate{senders_[sender].preference(), sender});
    awake_.clear();
    for (const auto receiver : looked_at_) ask_next(receiver, {.preference = infinity});
    looked_at_.clear();
    while (!candidates_.empty()) {
        const Candidate candidate = candidates_.front();
        std::pop_heap(candidates_.begin(), candidates_.end(), std::greater<>());
        candidates_.pop_back();
        send_all(candidate.sender, length);
        if (candidate.receiver && open_.contains(*candidate.receiver))
            ask_next(*candidate.receiver, candidate);
    }
    for (const auto c : roomy_) offer(c, length);
    roomy_.clear();
}

void ListScheduler::push(Candidate candidate) {
    candidates_.push_back(candidate);
    std::push_heap(candidates_.begin(), candidates_.end(), std::greater<>());
}

/// Whoever, of the senders that wait for it and can send to it, comes first after the last one.
void ListScheduler::ask_next(std::uint32_t receiver, const Candidate& last) {
    std::optional<Candidate> first;
    senders_left_[receiver].for_each_common(idle_, [&](std::size_t sender) {
        ++looks_;
        const Candidate candidate{senders_[sender].preference(), static_cast<std::uint32_t>(sender),
                                  receiver};
        if (!(candidate > last) || (first && candidate > *first)) return;
        if (can_start(items_[message(sender, receiver)])) first = candidate;
    });
    if (first) push(*first);
}

/// To the senders that waited for it, one after the other, until it is full again.
void ListScheduler::offer(std::uint32_t capacity, double length) {
    while (!is_full(capacity)) {
        const auto sender = take_first(waiting_[capacity]);
        if (!sender) return;
        send_all(*sender, length);
    }
}

/// Who has the most left to send. Those that are busy with something else look again anyway.
std::optional<std::uint32_t> ListScheduler::take_first(NodeSet& waiting) const {
    std::optional<std::uint32_t> first;
    waiting.keep_only(idle_);
    waiting.for_each_common(idle_, [&](std::size_t sender) {
        if (!first || senders_[sender].preference() > senders_[*first].preference())
            first = static_cast<std::uint32_t>(sender);
    });
    if (first) waiting.erase(*first);
    return first;
}

void ListScheduler::send_all(std::size_t sender, double length) {
    while (busy_[sender] < ports_ && send_one(sender, length)) {
    }
}

/// The best message that can start now, if there is one.
bool ListScheduler::send_one(std::size_t sender, double length) {
    std::optional<std::uint32_t> best;
    double most = -infinity;
    receivers_left_[sender].for_each_common(open_, [&](std::size_t receiver) {
        ++looks_;
        const std::uint32_t m = message(sender, receiver);
        const Item& item = items_[m];
        const double preference =
            urgency(item) + receivers_[receiver].preference() + length * item.gap;
        if (preference <= most || !can_start(item)) return;
        most = preference;
        best = m;
    });
    if (best) start(*best);
    return best.has_value();
}

/// Of the capacities on its way.
double ListScheduler::urgency(const Item& item) const {
    double most = 0;
    for (const auto c : item.draws) most = std::max(most, capacities_[c].preference());
    return most;
}

/// Whether it can start now and need not wait for the pace; if not, sees to it that its sender is
/// asked again.
bool ListScheduler::can_start(const Item& item) {
    const double ready = receiver_free_[item.to] - item.latency;
    double due = receivers_[item.to].due;
    for (const auto c : item.draws) due = std::min(due, capacities_[c].due);
    if (due > now_ && senders_[item.from].due > now_) {
        look_at(Event::Kind::sender, item.from, senders_[item.from].due);
        look_at(Event::Kind::receiver, item.to, std::max(due, ready));
        return false;
    }
    if (ready > now_) {
        look_at(Event::Kind::receiver, item.to, ready);
        return false;
    }
    const auto full = std::ranges::find_if(item.draws, [&](auto c) { return is_full(c); });
    if (full == item.draws.end()) return true;
    waiting_[*full].insert(item.from);
    return false;
}

/// Enough room for a part of a message is enough: the others make place.
bool ListScheduler::is_full(std::uint32_t capacity) const {
    return used_[capacity] > 0 && used_[capacity] >= limits_[capacity] * (1 - rounding);
}

void ListScheduler::start(std::uint32_t message) {
    const Item& item = items_[message];
    receivers_left_[item.from].erase(item.to);
    senders_left_[item.to].erase(item.from);
    const double sent = now_ + item.gap;
    const double end = sent + item.latency;
    receiver_ports_[item.to].occupy_until(end);
    receiver_free_[item.to] = receiver_ports_[item.to].earliest();
    if (receiver_free_[item.to] > now_) {
        if (opens(item.to) > now_) open_.erase(item.to);
        look_at(Event::Kind::receiver, item.to, std::max(opens(item.to), now_));
    }
    if (++busy_[item.from] == ports_) idle_.erase(item.from);
    const double share = item.gap / static_cast<double>(ports_);
    senders_[item.from].begin(share, planned_);
    receivers_[item.to].begin(share, planned_);
    makespan_ = std::max(makespan_, end);
    least_ =
        std::max({least_, end, now_ + senders_[item.from].left, now_ + receivers_[item.to].left});
    for (const auto c : item.draws) {
        used_[c] += item.rate;
        capacities_[c].begin(item.bytes / limits_[c], planned_);
        least_ = std::max(least_, now_ + capacities_[c].left);
    }
    push(Event{sent, Event::Kind::left, message});
    started_.push_back(message);
}

}  // namespace espalier::plan::exchange
