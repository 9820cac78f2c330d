#pragma once

#include "libraries/call.hpp"
#include "schedule/rounds.hpp"

#include <vector>

namespace espalier::libraries {

using schedule::Message;
using schedule::Round;
using schedule::Rounds;

/// The rounds as a schedule. `ports`: the number of messages that a rank sends, or receives, at
/// once.
[[nodiscard]] schedule::Schedule schedule_of(const Call& call, const Rounds& rounds,
                                             std::size_t ports = 1);

/// An edge of a tree.
struct Edge {
    std::size_t parent = 0;
    std::size_t child = 0;
};
/// Edges in the order in which parents serve them; an edge to a rank comes before those from it.
using Tree = std::vector<Edge>;

/// Each message follows what its sender received, down the tree.
[[nodiscard]] Rounds down(const Tree& tree, Bytes bytes);
/// The tree's broadcast or reduction, in segments of at most that size; 0: whole.
[[nodiscard]] schedule::Schedule schedule_of(const Call& call, const Tree& tree, Bytes segment);

/// Which ranks take part in rounds of pairs: as many as the greatest power of two. The first
/// ranks, two for each that is too many, first become one (2i hands over to 2i + 1).
class Pairs {
public:
    explicit Pairs(std::size_t ranks);

    [[nodiscard]] std::size_t size() const { return size_; }
    /// Rank of the `i`-th that takes part.
    [[nodiscard]] std::size_t rank(std::size_t i) const {
        return i < folded_ ? 2 * i + 1 : i + folded_;
    }
    /// The messages by which ranks hand over; none where they are a power of two.
    [[nodiscard]] Rounds fold(Bytes bytes) const;
    /// Everyone with the one at this distance.
    [[nodiscard]] Round exchange(std::size_t distance, Bytes bytes) const;

private:
    std::size_t size_;
    std::size_t folded_;
};

}  // namespace espalier::libraries
