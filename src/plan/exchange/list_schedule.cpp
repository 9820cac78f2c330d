#include "plan/exchange/list_schedule.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace espalier::plan::exchange {

namespace {

constexpr std::size_t word_bits = 64;

std::uint64_t bit(std::size_t node) { return std::uint64_t{1} << (node % word_bits); }

/// Calls `use(node)` for each member of the intersection of two sets.
template <typename Use>
void for_each_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t words, Use use) {
    for (std::size_t word = 0; word < words; ++word)
        for (std::uint64_t rest = a[word] & b[word]; rest != 0; rest &= rest - 1)
            use(word * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
}

}  // namespace

bool ListScheduler::understands(const Problem& problem) {
    return !problem.shares() && std::ranges::all_of(problem.messages, [](const Message& message) {
        return message.latency == 0;
    });
}

ListScheduler::ListScheduler(const Problem& problem)
    : nodes_(problem.nodes()),
      words_((nodes_ + word_bits - 1) / word_bits),
      ports_(problem.ports),
      message_(nodes_ * nodes_, 0) {
    for (Side* side : {&senders_, &receivers_}) {
        side->duration.assign(nodes_ * nodes_, 0);
        side->peers.assign(nodes_ * words_, 0);
        side->load.assign(nodes_, 0);
    }
    for (std::size_t m = 0; m < problem.messages.size(); ++m) {
        const Message& message = problem.messages[m];
        message_[message.from * nodes_ + message.to] = static_cast<std::uint32_t>(m);
        add(senders_, message.from, message.to, message.gap);
        add(receivers_, message.to, message.from, message.gap);
    }
    for (const Side* side : {&senders_, &receivers_})
        for (const double load : side->load)
            bound_ = std::max(bound_, load / static_cast<double>(ports_));
    started_.reserve(problem.messages.size());
}

void ListScheduler::add(Side& own, std::size_t node, std::size_t other, double duration) const {
    own.duration[node * nodes_ + other] = duration;
    own.peers[node * words_ + other / word_bits] |= bit(other);
    own.load[node] += duration;
}

void ListScheduler::reset(Side& own, const std::vector<double>& factors) const {
    own.waiting = own.peers;
    own.left = own.load;
    own.busy.assign(nodes_, 0);
    own.idle.assign(words_, 0);
    for (std::size_t node = 0; node < nodes_; ++node) own.idle[node / word_bits] |= bit(node);
    own.factor = factors;
}

double ListScheduler::pass(const Preferences& preferences, double give_up) {
    reset(senders_, preferences.sender);
    reset(receivers_, preferences.receiver);
    under_way_.clear();
    started_.clear();
    now_ = makespan_ = least_ = 0;
    const double planned = bound_ * preferences.pace;
    while (true) {
        const double pace = now_ < planned ? 1 - now_ / planned : 0;
        // Were all to wait, nothing would ever happen.
        if (!match(pace, preferences.length) && under_way_.empty()) match(0, preferences.length);
        if (least_ >= give_up) return infinity;
        if (under_way_.empty()) return makespan_;
        run_to_next_end();
    }
}

void ListScheduler::run_to_next_end() {
    now_ = under_way_.front().first;
    while (!under_way_.empty() && under_way_.front().first <= now_) {
        const std::size_t place = under_way_.front().second;
        std::pop_heap(under_way_.begin(), under_way_.end(), std::greater<>());
        under_way_.pop_back();
        release(senders_, place / nodes_);
        release(receivers_, place % nodes_);
    }
}

/// Starts what is to start now, the most urgent first; whether that is anything.
bool ListScheduler::match(double pace, double length) {
    const std::size_t before = started_.size();
    std::size_t begin = before;
    do {
        begin = started_.size();
        find_urgent(senders_, receivers_, pace);
        find_urgent(receivers_, senders_, pace);
        auto sender = senders_.urgent.begin();
        auto receiver = receivers_.urgent.begin();
        while (sender != senders_.urgent.end() || receiver != receivers_.urgent.end()) {
            const bool sends = receiver == receivers_.urgent.end() ||
                               (sender != senders_.urgent.end() &&
                                senders_.preference(*sender) >= receivers_.preference(*receiver));
            const Side& own = sends ? senders_ : receivers_;
            const std::size_t node = sends ? *sender++ : *receiver++;
            if (own.busy[node] == ports_) continue;
            const std::size_t peer = best_peer(own, node, sends ? receivers_ : senders_, length);
            if (peer != none) sends ? start(node, peer) : start(peer, node);
        }
    } while (ports_ > 1 && started_.size() > begin);
    return started_.size() > before;
}

void ListScheduler::find_urgent(Side& own, const Side& other, double pace) const {
    own.urgent.clear();
    for_each_common(own.idle.data(), own.idle.data(), words_, [&](std::size_t node) {
        if (own.left[node] >= own.load[node] * pace && has_idle_peer(own, node, other))
            own.urgent.push_back(node);
    });
    if (own.urgent.size() > 1)
        std::sort(own.urgent.begin(), own.urgent.end(), [&](std::size_t a, std::size_t b) {
            const double first = own.preference(a);
            const double second = own.preference(b);
            return first != second ? first > second : a < b;
        });
}

bool ListScheduler::has_idle_peer(const Side& own, std::size_t node, const Side& other) const {
    const std::uint64_t* waiting = &own.waiting[node * words_];
    for (std::size_t word = 0; word < words_; ++word)
        if ((waiting[word] & other.idle[word]) != 0) return true;
    return false;
}

std::size_t ListScheduler::best_peer(const Side& own, std::size_t node, const Side& other,
                                     double length) const {
    std::size_t best = none;
    double most = -infinity;
    const double* durations = &own.duration[node * nodes_];
    for_each_common(&own.waiting[node * words_], other.idle.data(), words_, [&](std::size_t peer) {
        const double preference = other.preference(peer) + length * durations[peer];
        if (preference <= most) return;
        most = preference;
        best = peer;
    });
    return best;
}

void ListScheduler::start(std::size_t from, std::size_t to) {
    const std::size_t place = from * nodes_ + to;
    const double duration = senders_.duration[place];
    occupy(senders_, from, to, duration);
    occupy(receivers_, to, from, duration);
    const double end = now_ + duration;
    const double left = std::max(senders_.left[from], receivers_.left[to]);
    makespan_ = std::max(makespan_, end);
    least_ = std::max(
        {least_, end, ports_ == 1 ? end + left : now_ + left / static_cast<double>(ports_)});
    under_way_.emplace_back(end, static_cast<std::uint32_t>(place));
    std::push_heap(under_way_.begin(), under_way_.end(), std::greater<>());
    started_.push_back(message_[place]);
}

void ListScheduler::occupy(Side& own, std::size_t node, std::size_t other, double duration) const {
    own.waiting[node * words_ + other / word_bits] &= ~bit(other);
    // Without the residue of rounding that the last one would leave.
    own.left[node] = std::max(own.left[node] - duration, 0.0);
    if (++own.busy[node] == ports_) own.idle[node / word_bits] &= ~bit(node);
}

void ListScheduler::release(Side& own, std::size_t node) const {
    --own.busy[node];
    own.idle[node / word_bits] |= bit(node);
}

}  // namespace espalier::plan::exchange
