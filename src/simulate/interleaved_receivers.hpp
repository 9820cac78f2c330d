#pragma once

#include "simulate/interleaving.hpp"

#include <compare>
#include <cstddef>
#include <functional>
#include <queue>
#include <vector>

namespace espalier::simulate {

/// An Interleaving for each node, and which message of all is over first; of equals the one of the
/// first node. Times are in seconds.
class InterleavedReceivers {
public:
    InterleavedReceivers(std::size_t nodes, std::size_t ports, double overhead);

    [[nodiscard]] const Interleaving& operator[](std::size_t node) const {
        return receivers_[node];
    }
    /// Begins a message at this node; see Interleaving::add().
    void add(std::size_t node, double now, std::size_t id, double work);
    /// When the first message ends if no other begins before; infinite if there is none.
    [[nodiscard]] double next_end() const;
    /// Goes on to next_end() and returns the message that is over then.
    std::size_t finish();

private:
    /// When a node's first message ends, unless something has changed there since.
    struct End {
        double time = 0;
        std::size_t node = 0;
        std::size_t version = 0;
        friend auto operator<=>(const End&, const End&) = default;
    };
    void changed(std::size_t node);

    std::vector<Interleaving> receivers_;
    std::vector<std::size_t> version_;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;  ///< the top one holds
};

}  // namespace espalier::simulate
