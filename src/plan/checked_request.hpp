#pragma once

#include "plan/job.hpp"
#include "plan/request.hpp"
#include "plan/site.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan {

/// The request with what it leaves open decided by the job: how messages are cut, and whether an
/// order matters. Throws InputError for what does not fit the job.
[[nodiscard]] Request checked(const Job& job, Request request);

/// With how many ports plans are made: as many as a checked request states; else one, and where all
/// that messages share is stated, several: of what nobody measured, nothing is known of how fast
/// several messages at once are. Inside clusters trees gain nothing by several: their segments come
/// one after the other anyway.
[[nodiscard]] std::vector<std::size_t> port_counts(const Job& job, const Request& request,
                                                   const Site& site);

}  // namespace espalier::plan
