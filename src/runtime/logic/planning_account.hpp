#pragma once

#include "core/units.hpp"

#include <cstdint>

namespace espalier::runtime {

/// Whether planning new signatures pays, as the leader of a communicator accounts for it. Nobody
/// knows how often a signature will be called, and plans that were forgotten, or were never called
/// again, brought back less than they cost. What all of them together still owe may be as much as a
/// few of them cost, and a small part of what calls took, whatever it is that makes them owe it.
class PlanningAccount {
public:
    /// Planning and dealing out cost so much, for a signature that owed `debt` until then. A debt
    /// below zero has been paid back, and is no other's gain.
    void charge(Seconds& debt, Seconds cost);
    /// A call of that signature took so much less than MPI's own would have.
    void pay(Seconds& debt, Seconds gain);
    /// A call of whatever signature took so long.
    void add(Seconds time);

    /// A call by a plan that was predicted to take `predicted` took `time`.
    void compare(Seconds predicted, Seconds time);
    /// What calls that are predicted to take so long are expected to take, since predictions are
    /// too high here: the same where they are not, or nothing was compared.
    [[nodiscard]] Seconds as_seen(Seconds predicted) const;

    /// The number of calls to be left to MPI before another new signature is worth planning; 0:
    /// none. At most as many as there were calls, since the next ones may be others.
    [[nodiscard]] std::uint64_t pause() const;

private:
    void owe(Seconds& debt, Seconds more);

    Seconds spent_;
    std::uint64_t charges_ = 0;
    Seconds owed_;  ///< by all signatures that owe something, forgotten ones as well
    Seconds taken_;
    std::uint64_t calls_ = 0;
    Seconds predicted_;  ///< of the calls that were compared
    Seconds seen_;
};

}  // namespace espalier::runtime
