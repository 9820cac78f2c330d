#include "plan/exchange/list_schedule.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace espalier::plan::exchange {

namespace {
/// Relative: what sums of rates lose in rounding.
constexpr double rounding = 1e-9;
/// Part of the bound: no sender that waits for the pace looks more often.
constexpr double look_every = 1.0 / 512;

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
      all_groups_(nodes_),
      senders_(nodes_),
      receivers_(nodes_),
      waiting_(problem.fabric->capacities().size()) {
    for (const auto& capacity : problem.fabric->capacities()) limits_.push_back(capacity.limit);
    capacities_.resize(limits_.size());
    for (std::size_t m = 0; m < problem.messages.size(); ++m) add(problem, m);
    for (const auto* machines : {&senders_, &receivers_, &capacities_})
        for (const Machine& machine : *machines) bound_ = std::max(bound_, machine.load);
}

void ListScheduler::add(const Problem& problem, std::size_t m) {
    const Message& message = problem.messages[m];
    const auto bytes = static_cast<double>(message.bytes.value);
    Item item{m, message.to, message.gap, message.latency, 0, bytes};
    item.rate = message.gap > 0 ? bytes / message.gap : 0;
    const auto draws = problem.fabric->draws(message.from, message.to);
    if (item.rate > 0)
        for (const auto c : draws) {
            // A last one that fits only in part slows all down.
            const double at_once = std::ceil(limits_[c] / item.rate * (1 - rounding));
            item.gap = std::max(item.gap, message.gap * at_once * item.rate / limits_[c]);
        }
    senders_[message.from].load += item.gap / static_cast<double>(ports_);
    receivers_[message.to].load += item.gap / static_cast<double>(ports_);
    for (const auto c : draws) capacities_[c].load += bytes / limits_[c];

    auto& groups = all_groups_[message.from];
    auto group = std::ranges::find_if(
        groups, [&](const Group& g) { return std::ranges::equal(g.capacities, draws); });
    if (group == groups.end()) group = groups.insert(group, {{draws.begin(), draws.end()}, {}});
    group->items.push_back(item);
}

void ListScheduler::reset(const Preferences& preferences) {
    const auto restart = [](std::vector<Machine>& machines, const std::vector<double>& factors) {
        for (std::size_t i = 0; i < machines.size(); ++i) {
            machines[i].left = machines[i].load;
            machines[i].factor = factors[i];
        }
    };
    restart(senders_, preferences.sender);
    restart(receivers_, preferences.receiver);
    restart(capacities_, preferences.capacity);
    groups_ = all_groups_;
    busy_.assign(nodes_, 0);
    receiver_ports_.assign(nodes_, simulate::Slots(ports_, 0));
    receiver_free_.assign(nodes_, 0);
    used_.assign(limits_.size(), 0);
    for (auto& senders : waiting_) senders.clear();
    awake_.clear();
    opened_.clear();
    is_awake_.assign(nodes_, 0);
    events_.clear();
    started_.clear();
    now_ = makespan_ = least_ = 0;
}

double ListScheduler::pass(const Preferences& preferences, double give_up) {
    reset(preferences);
    const double planned = bound_ * preferences.pace;
    for (std::size_t sender = 0; sender < nodes_; ++sender) wake(sender);
    while (true) {
        let_awake_send(now_ < planned ? 1 - now_ / planned : 0, preferences.length);
        if (least_ >= give_up) return infinity;
        if (events_.empty()) return makespan_;
        awake_for_next_time();
    }
}

void ListScheduler::push(Event event) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

void ListScheduler::wake(std::size_t sender) {
    if (is_awake_[sender] != 0) return;
    is_awake_[sender] = 1;
    awake_.push_back(static_cast<std::uint32_t>(sender));
}

void ListScheduler::awake_for_next_time() {
    now_ = events_.front().time;
    while (!events_.empty() && events_.front().time <= now_) {
        const Event event = events_.front();
        std::pop_heap(events_.begin(), events_.end(), std::greater<>());
        events_.pop_back();
        if (event.group) release(event);
        wake(event.sender);
    }
}

void ListScheduler::release(const Event& event) {
    --busy_[event.sender];
    for (const auto c : groups_[event.sender][*event.group].capacities) {
        used_[c] = std::max(used_[c] - event.rate, 0.0);
        opened_.push_back(c);
        // Who has just used it must not have it again before others had a chance.
        if (const auto sender = take_first(waiting_[c])) wake(*sender);
    }
}

/// Those with the most left to send come first.
void ListScheduler::let_awake_send(double pace, double length) {
    std::sort(awake_.begin(), awake_.end(), [&](std::uint32_t a, std::uint32_t b) {
        const double first = senders_[a].preference();
        const double second = senders_[b].preference();
        return first != second ? first > second : a < b;
    });
    for (const auto sender : awake_) {
        is_awake_[sender] = 0;
        send_all(sender, pace, length);
    }
    awake_.clear();
    for (const auto c : opened_) offer(c, pace, length);
    opened_.clear();
}

/// To the senders that waited for it, one after the other, until it is full again.
void ListScheduler::offer(std::uint32_t capacity, double pace, double length) {
    while (!is_full(capacity)) {
        const auto sender = take_first(waiting_[capacity]);
        if (!sender) return;
        send_all(*sender, pace, length);
    }
}

/// Who has the most left to send. Those that are busy with something else look again anyway.
std::optional<std::uint32_t> ListScheduler::take_first(std::vector<std::uint32_t>& waiting) const {
    std::erase_if(waiting, [&](std::uint32_t sender) { return busy_[sender] == ports_; });
    const auto first = std::ranges::max_element(
        waiting, {}, [&](std::uint32_t sender) { return senders_[sender].preference(); });
    if (first == waiting.end()) return std::nullopt;
    const std::uint32_t sender = *first;
    waiting.erase(first);
    return sender;
}

void ListScheduler::send_all(std::size_t sender, double pace, double length) {
    while (busy_[sender] < ports_ && send_one(sender, pace, length)) {
    }
}

/// The best message that can start now; where there is none, sees to it that the sender looks
/// again.
bool ListScheduler::send_one(std::size_t sender, double pace, double length) {
    std::optional<std::uint32_t> best_group;
    std::size_t best = 0;
    double most = -infinity;
    double next = infinity;
    bool ahead = false;
    for (std::uint32_t g = 0; g < groups_[sender].size(); ++g) {
        const Group& group = groups_[sender][g];
        if (group.items.empty() || has_to_wait(sender, group)) continue;
        double urgency = 0;
        bool behind = senders_[sender].behind(pace);
        for (const auto c : group.capacities) {
            urgency = std::max(urgency, capacities_[c].preference());
            behind = behind || capacities_[c].behind(pace);
        }
        for (std::size_t place = 0; place < group.items.size(); ++place) {
            const Item& item = group.items[place];
            const double ready = receiver_free_[item.to] - item.latency;
            if (ready > now_) {
                next = std::min(next, ready);
                continue;
            }
            const Machine& receiver = receivers_[item.to];
            if (!behind && !receiver.behind(pace)) {
                ahead = true;
                continue;
            }
            const double preference = urgency + receiver.preference() + length * item.gap;
            if (preference <= most) continue;
            most = preference;
            best_group = g;
            best = place;
        }
    }
    if (best_group) {
        start(sender, *best_group, best);
        return true;
    }
    // The pace changes all the time: looking now and then will do.
    if (ahead) next = std::min(next, now_ + bound_ * look_every);
    if (next < infinity) push({next, static_cast<std::uint32_t>(sender)});
    return false;
}

/// For a capacity that is full; sees to it that it is offered to the sender.
bool ListScheduler::has_to_wait(std::size_t sender, const Group& group) {
    const auto full =
        std::ranges::find_if(group.capacities, [&](std::uint32_t c) { return is_full(c); });
    if (full == group.capacities.end()) return false;
    auto& waiting = waiting_[*full];
    if (std::ranges::find(waiting, sender) == waiting.end())
        waiting.push_back(static_cast<std::uint32_t>(sender));
    return true;
}

/// Enough room for a part of a message is enough: the others make place.
bool ListScheduler::is_full(std::uint32_t capacity) const {
    return used_[capacity] > 0 && used_[capacity] >= limits_[capacity] * (1 - rounding);
}

void ListScheduler::start(std::size_t sender, std::uint32_t g, std::size_t place) {
    Group& group = groups_[sender][g];
    const Item item = group.items[place];
    group.items.erase(group.items.begin() + static_cast<std::ptrdiff_t>(place));
    const double sent = now_ + item.gap;
    const double end = sent + item.latency;
    receiver_ports_[item.to].occupy_until(end);
    receiver_free_[item.to] = receiver_ports_[item.to].earliest();
    ++busy_[sender];
    const double share = item.gap / static_cast<double>(ports_);
    senders_[sender].left = std::max(senders_[sender].left - share, 0.0);
    receivers_[item.to].left = std::max(receivers_[item.to].left - share, 0.0);
    makespan_ = std::max(makespan_, end);
    least_ = std::max({least_, end, now_ + senders_[sender].left, now_ + receivers_[item.to].left});
    for (const auto c : group.capacities) {
        used_[c] += item.rate;
        capacities_[c].left = std::max(capacities_[c].left - item.bytes / limits_[c], 0.0);
        least_ = std::max(least_, now_ + capacities_[c].left);
    }
    push({sent, static_cast<std::uint32_t>(sender), g, item.rate});
    started_.push_back(item.message);
}

}  // namespace espalier::plan::exchange
