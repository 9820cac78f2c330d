#pragma once

#include "plan/grid/problem.hpp"

namespace espalier::plan::grid {

/// Early Completion Edge First: always the transfer from A to B of least RT_i + g + L + F_j, with
/// RT_i the time at which i is free to send (steffenel-2006, sections 5.3 to 5.6; Bhat). They
/// differ in the look-ahead F_j; k runs over B without j.

/// F_j = 0 (section 5.3).
[[nodiscard]] Order ecef(const Problem& problem);
/// F_j = min g(j,k) + L(j,k) (section 5.4).
[[nodiscard]] Order ecef_la(const Problem& problem);
/// F_j = average of g(j,k) + L(j,k) (section 5.4).
[[nodiscard]] Order ecef_la_average_b(const Problem& problem);
/// F_j = average of g(i,k) + L(i,k) over i in A and j (section 5.4).
[[nodiscard]] Order ecef_la_average_ab(const Problem& problem);
/// F_j = min g(j,k) + L(j,k) + T_k; the paper's ECEF-LAt (section 5.5).
[[nodiscard]] Order ecef_lat_min(const Problem& problem);
/// F_j = max g(j,k) + L(j,k) + T_k; the paper's ECEF-LAT (section 5.6).
[[nodiscard]] Order ecef_lat_max(const Problem& problem);

}  // namespace espalier::plan::grid
