#pragma once

#include "plan/local/problem.hpp"

namespace espalier::plan::local {

/// A complete tree of the degree that suits the network (steffenel-2006 section 4.2 names the
/// family, and gives no formula): position i sends to di + 1, ..., di + d. Degree 1 is the chain, P
/// - 1 the flat tree.
[[nodiscard]] Strategy d_ary();

/// When the last node of a complete tree of degree `degree` (1 .. P-1) holds the last of `segments`
/// segments of s = ceil(m / k) bytes: exact under pLogP if k divides m. P >= 2.
[[nodiscard]] Seconds d_ary_time(const Problem& problem, std::size_t degree, std::size_t segments);

/// The degree of least d_ary_time, the smallest one among equals; 1 for a single node.
[[nodiscard]] std::size_t best_degree(const Problem& problem, std::size_t segments);

}  // namespace espalier::plan::local
