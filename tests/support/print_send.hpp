#pragma once

#include "plan/grid/problem.hpp"

#include <ostream>

namespace espalier::plan::grid {

inline void PrintTo(const Send& send, std::ostream* out) { *out << send.from << "->" << send.to; }

}  // namespace espalier::plan::grid
