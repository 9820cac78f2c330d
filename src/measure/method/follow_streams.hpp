#pragma once

#include "core/matrix.hpp"
#include "measure/method/findings.hpp"

namespace espalier::measure {

/// Lets the costs of links between clusters follow what streams got alone, in bytes a second, also
/// of those that there was no time for, which get what the fastest does. `round_trips` of the
/// clusters' coordinators are in seconds; `noisy` says whether the clock is known to be so. Short
/// paths keep what bursts told of them.
void follow_streams(Findings& findings, const Matrix<double>& round_trips,
                    const Matrix<double>& alone, bool noisy);

}  // namespace espalier::measure
