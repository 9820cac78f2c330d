#pragma once

#include "core/units.hpp"

namespace espalier::runtime {

/// The size that a message is planned for: `bytes` rounded up to four significant binary digits, so
/// that a program of ever-changing sizes gets along with eight plans for each doubling, and that a
/// plan is for at most an eighth more than what it moves. 0 stays 0.
[[nodiscard]] Bytes size_class(Bytes bytes);

}  // namespace espalier::runtime
