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

/// The numbers of ports with which plans are made: as many as a checked request states; otherwise
/// one, and several if every capacity that messages share is stated. If none is stated, nothing is
/// known of how fast several messages at once are. Inside clusters trees gain nothing by several
/// ports, since their segments come one after the other anyway.
[[nodiscard]] std::vector<std::size_t> port_counts(const Job& job, const Request& request,
                                                   const Site& site);

}  // namespace espalier::plan
