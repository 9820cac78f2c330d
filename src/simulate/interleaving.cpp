#include "simulate/interleaving.hpp"

#include "simulate/slots.hpp"
#include "simulate/use.hpp"

#include <algorithm>
#include <tuple>

namespace espalier::simulate {

void Interleaving::add(double now, std::size_t id, double work) {
    done_ = done_at(now);
    now_ = now;
    const bool full = is_full(now);
    if (full && unslowed_ > 0) {
        for (Message& message : messages_) {
            if (message.slowed) continue;
            const double more = (message.until - done_) * overhead_;
            message.until += more;
            total_until_ += more;
            message.slowed = true;
        }
        std::make_heap(messages_.begin(), messages_.end(), later);
        unslowed_ = 0;
    }
    messages_.push_back({done_ + work * (full ? 1 + overhead_ : 1), id, full});
    total_until_ += messages_.back().until;
    std::push_heap(messages_.begin(), messages_.end(), later);
    if (!full) ++unslowed_;
}

double Interleaving::next_end() const {
    if (messages_.empty()) return never;
    return now_ + std::max(0.0, messages_.front().until - done_) / speed_of_each();
}

std::size_t Interleaving::finish() {
    now_ = next_end();
    std::pop_heap(messages_.begin(), messages_.end(), later);
    const Message message = messages_.back();
    messages_.pop_back();
    if (!message.slowed) --unslowed_;
    total_until_ = messages_.empty() ? 0 : total_until_ - message.until;
    done_ = messages_.empty() ? 0 : std::max(done_, message.until);
    return message.id;
}

double Interleaving::work_left(double now) const {
    return std::max(0.0, total_until_ - done_at(now) * static_cast<double>(messages_.size()));
}

bool Interleaving::later(const Message& a, const Message& b) {
    return std::tie(a.until, a.id) > std::tie(b.until, b.id);
}

double Interleaving::speed_of_each() const {
    return std::min(1.0, ports_ / static_cast<double>(messages_.size()));
}

double Interleaving::done_at(double now) const {
    return messages_.empty() ? 0 : done_ + (now - now_) * speed_of_each();
}

/// Whether all its ports are in use. What ends as another begins, but for rounding, is over.
bool Interleaving::is_full(double now) const {
    const double speed = messages_.empty() ? 1 : speed_of_each();
    double present = 0;
    for (auto message = messages_.rbegin(); message != messages_.rend() && present < ports_;
         ++message)
        if (clearly_less(now, now + (message->until - done_) / speed)) ++present;
    return present >= ports_;
}

}  // namespace espalier::simulate
