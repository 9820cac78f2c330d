#pragma once

#include "plan/grid/problem.hpp"

namespace espalier::plan::grid {

/// Serves the waiting cluster that would end last even if it were next and came from its best
/// sender: the greatest, over j in B, of the least RT_i + g + L + T_j over i in A (steffenel-2006,
/// section 5.7, with the ready time that its formula leaves out).
[[nodiscard]] Order bottom_up(const Problem& problem);

/// BottomUp that looks one relay ahead, so that the receiver is a good sender at his turn (section
/// 6 asks for it and leaves it open): each waiting cluster k may be reached through another one, j,
/// at arrival_j + g(j,k) + L(j,k). The cluster that would end last by its best path is the one to
/// care for, and the first cluster on that path is served. Of equal paths the direct one, then the
/// relay of least index.
[[nodiscard]] Order bottom_up_la(const Problem& problem);

}  // namespace espalier::plan::grid
