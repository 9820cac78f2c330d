#pragma once

#include "plan/grid/problem.hpp"

#include <ostream>

namespace espalier::plan::grid {

/// Lets a failed comparison of orders be read.
inline std::ostream& operator<<(std::ostream& out, const Send& send) {
    return out << send.from << "->" << send.to;
}

}  // namespace espalier::plan::grid
