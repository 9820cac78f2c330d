#include "measure/model_link.hpp"

#include "core/infinity.hpp"

#include <algorithm>

namespace espalier::measure::test {

namespace {

struct Message {
    std::size_t probe;
    double arrives;  ///< when it begins to use the link
    double work;     ///< what it still needs of the link
    double done = 0;
};

/// Serves messages by sharing the link evenly among those present.
void share_evenly(std::vector<Message>& messages, double clock) {
    for (;;) {
        double next_arrival = infinity;
        double least_work = infinity;
        std::size_t present = 0;
        for (const Message& message : messages) {
            if (message.done > 0) continue;
            if (message.arrives > clock) {
                next_arrival = std::min(next_arrival, message.arrives);
                continue;
            }
            ++present;
            least_work = std::min(least_work, message.work);
        }
        if (present == 0 && next_arrival == infinity) return;
        const auto sharers = static_cast<double>(present);
        const double step = std::min(present > 0 ? least_work * sharers : next_arrival - clock,
                                     next_arrival - clock);
        for (Message& message : messages) {
            if (message.done > 0 || message.arrives > clock) continue;
            message.work -= step / sharers;
            if (message.work <= 1e-15) message.done = clock + step;
        }
        clock += step;
    }
}

}  // namespace

std::vector<ProbeLink::Answer> ModelLink::fire(std::span<const Probe> volley) {
    ++volleys;
    clock_ += one_way();  // the other side is told what will come
    std::vector<Answer> answers(volley.size());
    std::vector<Message> messages;
    double start = clock_;
    for (std::size_t i = 0; i < volley.size(); ++i) {
        answers[i].started = start;
        const auto bytes = static_cast<double>(volley[i].bytes);
        for (std::uint64_t k = 0; k < volley[i].count; ++k)
            messages.push_back({i, start + latency_(bytes), gap_(bytes)});
        start += volley[i].pause;
        if (i + 1 < volley.size()) longest_pause = std::max(longest_pause, volley[i].pause);
    }
    share_evenly(messages, clock_);
    for (const Message& message : messages)
        answers[message.probe].elapsed =
            std::max(answers[message.probe].elapsed,
                     message.done + one_way() - answers[message.probe].started);
    for (Answer& answer : answers) {
        answer.elapsed += noise();
        clock_ = std::max(clock_, answer.started + answer.elapsed);
    }
    return answers;
}

}  // namespace espalier::measure::test
