#pragma once

#include "network/partition.hpp"

namespace espalier::network {

/// The trivial algorithm of steffenel-2006, section 4.1.2. Pairs are taken from the nearest on;
/// each of its two nodes that has no group yet joins the first group S it fits into, the other
/// one's group being tried first, or begins a group of its own. It fits if w(a,x) and w(x,y) differ
/// by at most the tolerance for all x and y of S, that is, the larger is at most 1 + tolerance
/// times the smaller, and w(a,x) is known for all x of S.
///
/// A group of one has no pair (x,y) to compare with, so it takes whatever comes next: the condition
/// says so, and far nodes may end up together. The result also depends on the order of equal
/// distances. O(n^2 log n).
[[nodiscard]] Partition closeness(const Metric& metric, double tolerance);

}  // namespace espalier::network
