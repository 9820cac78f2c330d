#pragma once

#include <cstddef>
#include <vector>

namespace espalier::simulate {

/// The messages that one node receives at once (schedule::Reception::Mode::interleaved; bhat-1998,
/// 6.1). As many messages as it has ports come in at full speed; more share that fairly. From the
/// moment that a message is first received together with more than its node has ports for, the rest
/// of it takes 1 + overhead times as long. Work and times are in seconds.
class Interleaving {
public:
    Interleaving(std::size_t ports, double overhead)
        : ports_(static_cast<double>(ports)), overhead_(overhead) {}

    /// Message `id` begins at `now`, and would take `work` alone. `now` is no less than that of
    /// the call before, and no greater than next_end().
    void add(double now, std::size_t id, double work);
    /// When the first of its messages ends if no other begins before; infinite if it has none.
    [[nodiscard]] double next_end() const;
    /// Goes on to next_end() and returns the message that is over then.
    std::size_t finish();

    [[nodiscard]] std::size_t size() const { return messages_.size(); }
    /// The work left at `now`, which is as for add().
    [[nodiscard]] double work_left(double now) const;

private:
    /// A message is over when each message's share of the work done has reached `until`.
    struct Message {
        double until = 0;
        std::size_t id = 0;
        bool slowed = false;
    };
    [[nodiscard]] static bool later(const Message& a, const Message& b);
    [[nodiscard]] double speed_of_each() const;
    [[nodiscard]] double done_at(double now) const;
    [[nodiscard]] bool is_full(double now) const;

    double ports_;
    double overhead_;
    double now_ = 0;
    double done_ = 0;                ///< work on each message that has been here since it was idle
    double total_until_ = 0;         ///< of all messages
    std::vector<Message> messages_;  ///< a heap, the first to be over on top
    std::size_t unslowed_ = 0;
};

}  // namespace espalier::simulate
