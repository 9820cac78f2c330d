#include "support/reception_oracle.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace espalier::test {

namespace {

using schedule::Reception;
using schedule::Schedule;

constexpr double unknown = infinity;

bool reached(double now, double time) { return time <= now + 1e-12 * (1 + now); }

class Moments {
public:
    Moments(const Schedule& schedule, const simulate::Fabric& fabric) : schedule_(schedule) {
        for (const auto& transfer : schedule.transfers) {
            const Bytes bytes = schedule.bytes_of(transfer);
            const auto cost = fabric.cost(transfer.from, transfer.to, bytes);
            messages_.push_back({transfer.from, transfer.to, bytes.value, cost.gap.value,
                                 cost.latency.value, cost.gap.value});
        }
    }

    std::vector<Span> run() {
        const bool buffered = schedule_.reception.mode == Reception::Mode::buffered;
        std::size_t left = messages_.size();
        for (double now = 0; now != unknown;
             now = buffered ? next_moment(now) : work_until_next(now))
            while (buffered ? start_one_buffered(now) : start_one_interleaved(now)) --left;
        std::vector<Span> spans;
        for (const Message& m : messages_) spans.push_back({m.start, m.end});
        return left == 0 ? spans : std::vector<Span>();
    }

private:
    struct Message {
        std::size_t from;
        std::size_t to;
        std::uint64_t bytes;
        double gap;
        double latency;
        double left;
        double asked = unknown;
        double start = unknown;
        double sent = unknown;
        double end = unknown;
        bool stored = false;
        bool slowed = false;
    };

    [[nodiscard]] bool may_ask(std::size_t t, double now) const {
        const auto& mine = schedule_.transfers[t];
        std::size_t sending = 0;
        for (std::size_t u = 0; u < messages_.size(); ++u) {
            const auto& theirs = schedule_.transfers[u];
            const Message& other = messages_[u];
            if (u < t && other.from == mine.from && other.start == unknown) return false;
            if (other.from == mine.from && other.start != unknown && !reached(now, other.sent))
                ++sending;
            if (u >= t || reached(now, other.end)) continue;
            if (mine.after == u) return false;
            if (theirs.to == mine.from && theirs.chunk < mine.chunk + mine.chunks &&
                mine.chunk < theirs.chunk + theirs.chunks)
                return false;
            for (const std::size_t barrier : schedule_.barriers)
                if (u < barrier && barrier <= t) return false;
        }
        return sending < schedule_.ports.count;
    }

    bool start_one_interleaved(double now) {
        for (std::size_t t = 0; t < messages_.size(); ++t) {
            if (messages_[t].start != unknown || !may_ask(t, now)) continue;
            messages_[t].start = now;
            const auto here = [&](const Message& m) {
                return m.to == messages_[t].to && is_received(m);
            };
            const auto present = std::ranges::count_if(
                messages_, [&](const Message& m) { return here(m) && m.left > 1e-10 * (1 + now); });
            if (static_cast<std::size_t>(present) > schedule_.ports.count)
                for (Message& m : messages_)
                    if (here(m) && !m.slowed) {
                        m.left *= 1 + schedule_.reception.overhead;
                        m.slowed = true;
                    }
            return true;
        }
        return false;
    }

    [[nodiscard]] static bool is_received(const Message& m) {
        return m.start != unknown && m.sent == unknown;
    }

    /// Lets all that is being received go on until one is over, or something arrives.
    double work_until_next(double now) {
        const auto speed = [&](const Message& m) {
            const auto beside = std::ranges::count_if(messages_, [&](const Message& other) {
                return is_received(other) && other.to == m.to;
            });
            return std::min(
                1.0, static_cast<double>(schedule_.ports.count) / static_cast<double>(beside));
        };
        double next = unknown;
        std::vector<double> speeds;
        for (const Message& m : messages_) {
            speeds.push_back(is_received(m) ? speed(m) : 0);
            if (is_received(m)) next = std::min(next, now + m.left / speeds.back());
            if (m.end != unknown && m.end > now) next = std::min(next, m.end);
        }
        if (next == unknown) return next;
        for (std::size_t t = 0; t < messages_.size(); ++t) {
            Message& m = messages_[t];
            if (!is_received(m)) continue;
            m.left -= (next - now) * speeds[t];
            if (m.left > 1e-12 * (1 + next)) continue;
            m.sent = next;
            m.end = next + m.latency;
        }
        return next;
    }

    [[nodiscard]] double application_free(std::size_t node) const {
        std::vector<double> ends;
        for (const Message& m : messages_)
            if (m.to == node && m.start != unknown) ends.push_back(m.end);
        const std::size_t ports = schedule_.ports.count;
        if (ends.size() < ports) return 0;
        std::ranges::sort(ends, std::greater<>());
        return ends[ports - 1];
    }

    /// Of all that can start, the one that asked first; at the same time, the first of the list.
    bool start_one_buffered(double now) {
        for (std::size_t t = 0; t < messages_.size(); ++t)
            if (messages_[t].asked == unknown && may_ask(t, now)) messages_[t].asked = now;
        Message* first = nullptr;
        for (Message& m : messages_)
            if (m.asked != unknown && m.start == unknown &&
                (first == nullptr || m.asked < first->asked) && is_first_of_its_receiver(m) &&
                (attended_at_once(m, now) || fits(m, now)))
                first = &m;
        if (first == nullptr) return false;
        const double free = application_free(first->to);
        first->stored = !attended_at_once(*first, now);
        first->start = now;
        first->sent = now + first->gap;
        first->end = std::max(now + first->latency, free) + first->gap;
        return true;
    }

    [[nodiscard]] bool is_first_of_its_receiver(const Message& mine) const {
        for (const Message& m : messages_)
            if (m.to == mine.to && m.start == unknown && m.asked != unknown &&
                (m.asked < mine.asked || (m.asked == mine.asked && &m < &mine)))
                return false;
        return true;
    }

    [[nodiscard]] bool attended_at_once(const Message& m, double now) const {
        return reached(now + m.latency, application_free(m.to));
    }

    [[nodiscard]] bool fits(const Message& mine, double now) const {
        std::uint64_t held = mine.bytes;
        for (const Message& m : messages_)
            if (m.to == mine.to && m.stored && !reached(now, m.end)) held += m.bytes;
        return held <= schedule_.reception.buffer.value;
    }

    [[nodiscard]] double next_moment(double now) const {
        double next = unknown;
        const auto consider = [&](double time) {
            if (time != unknown && !reached(now, time)) next = std::min(next, time);
        };
        for (const Message& m : messages_) {
            consider(m.sent);
            consider(m.end);
            if (m.asked != unknown && m.start == unknown)
                consider(application_free(m.to) - m.latency);
        }
        return next;
    }

    const Schedule& schedule_;
    std::vector<Message> messages_;
};

}  // namespace

std::vector<Span> naive_reception(const Schedule& schedule, const simulate::Fabric& fabric) {
    return Moments(schedule, fabric).run();
}

}  // namespace espalier::test
