#pragma once

#include "schedule/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace espalier::simulate {

/// Why a transfer can't start before another one is over.
enum class Bond : std::uint8_t {
    receiver,  ///< its receiver takes in that one first
    sender,    ///< its sender's port does that one first
    data,      ///< it passes on what that one brings
    answer,    ///< it is told to wait for that one (Transfer::after)
    barrier,   ///< that one is the last of the step before
    buffer,    ///< its receiver's buffer has no room for it before
    turn,      ///< a node of several ports begins with that one first; it need not be over
    inside,    ///< one of its ends is busy inside its own group
};
/// What a transfer waits for, in words that continue the sentence "waits for": `the sender's port`.
[[nodiscard]] std::string_view words_for(Bond bond);

struct Dependence {
    std::size_t transfer = 0;  ///< that has to be over, or to have begun
    Bond bond = Bond::sender;
    friend bool operator==(const Dependence&, const Dependence&) = default;
};

/// The dependence graph of a schedule (bhat-1998, Theorem 2): a node for each transfer, and an edge
/// to it from each that it waits for, of all that follow from others only the last. The order of a
/// port that serves whatever comes, or several at once, is that of the timeline. A transfer in
/// segments counts as one, though those that depend on it may begin while it lasts. Where messages
/// are received interleaved, none waits for its receiver.
class Dependences {
public:
    /// Throws std::invalid_argument where the timeline is not one of that schedule.
    Dependences(const schedule::Schedule& schedule, const schedule::Timeline& timeline);

    [[nodiscard]] std::size_t size() const { return first_.size() - 1; }
    /// The dependences of a transfer: what it waits for.
    [[nodiscard]] std::span<const Dependence> of(std::size_t transfer) const {
        return {all_.data() + first_[transfer], all_.data() + first_[transfer + 1]};
    }

private:
    std::vector<Dependence> all_;
    std::vector<std::size_t> first_{0};
};

/// Why a schedule takes as long as it does: a chain of transfers from time 0 to the makespan, each
/// of which begins when the one before it is over, or reaches its receiver then. Times that a file
/// states may have it wait for longer than that, and so may what the graph does not know. Shared
/// capacities stretch transfers, and so do messages received together: the chain goes through such
/// a transfer, and does not tell who slowed it down. In a pipeline the next one begins while the
/// one before it lasts: then `ends` is when the next one took over.
struct CriticalPath {
    struct Step {
        std::size_t transfer = 0;
        /// What it waits for, at the step before; `inside` in the first step stands for a local
        /// part; nullopt: for nothing.
        std::optional<Bond> bond;
        Seconds begins;  ///< when it is what everyone waits for
        Seconds ends;
        Seconds idle;  ///< before `begins`, in which nothing accounts for the wait
    };
    std::vector<Step> steps;
    std::optional<std::size_t> local_first;  ///< the local part that it begins with
    std::optional<std::size_t> local_last;   ///< and the one that it ends in
    Seconds idle;                            ///< of all steps
};
[[nodiscard]] CriticalPath critical_path(const schedule::Schedule& schedule,
                                         const schedule::Timeline& timeline,
                                         const Dependences& dependences);

}  // namespace espalier::simulate
