#pragma once

#include "sender/result.hpp"

#include <span>
#include <string_view>

namespace espalier::sender {

/// The techniques by which a search through the sequences of classes leaves some out. Each can be
/// switched off by itself; what is found stays optimal.
struct Techniques {
    /// Broadcast: faster nodes are tried first, and where the root is a fastest node, all fastest
    /// nodes come before all others (liu-2002, Theorem 4.3, which fails for other given roots).
    /// Reduction: slower nodes are tried first. Without: in the order of the classes.
    bool order = true;
    /// Broadcast: no node but a given root sends to a faster one (liu-2002, Theorem 4.2).
    /// Reduction: no node starts after a faster one that completed since the last start before, and
    /// the last one is a fastest (liu-2000, Lemma 1; the safe form of Corollary 1).
    bool exchange = true;
    /// Whether to cut a sequence that can't end before the best one known.
    bool bound = true;
    /// With `bound`, whether to cut also what could only be as good as the best. The papers do not:
    /// they cut only what is worse, and look at two to five times as much.
    bool equal = false;
};

/// One of the papers' techniques by its name, as the command line takes it.
struct Technique {
    std::string_view name;
    std::string_view description;
    bool Techniques::*flag;
};
[[nodiscard]] std::span<const Technique> techniques();

/// The branch and bound of liu-2002 (section 5) and liu-2000 (section 6): through all sequences of
/// classes, depth first. `effort` counts every partial sequence that is begun, also where the bound
/// cuts it off at once, and the whole sequences. Takes time exponential in the nodes, and stops at
/// the limits with the best that it has. Beyond a million nodes it does not begin.
[[nodiscard]] Result paper_search(const Problem& problem, const Limits& limits);
[[nodiscard]] Result paper_search(const Problem& problem, const Limits& limits,
                                  const Techniques& techniques);

/// The plain branch and bound that liu-2002 compares with. Its published counts, 21% of the tree
/// for ten nodes and 4% for 21, are those of a search that tries classes in order, bounds, and does
/// nothing else.
[[nodiscard]] Result generic_search(const Problem& problem, const Limits& limits);

}  // namespace espalier::sender
