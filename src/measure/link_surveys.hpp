#pragma once

#include "measure/channel.hpp"
#include "measure/job_map.hpp"
#include "measure/method/sessions.hpp"
#include "measure/method/shape.hpp"
#include "measure/method/survey_record.hpp"

#include <functional>
#include <vector>

namespace espalier::measure {

// The surveys (survey.hpp) of a job's links, each between two of its ranks, and as many at a time
// as do not meet. Collective; what was found comes to rank 0. `deadline` on the channel's clock.

/// Measures in each cluster the link between its first two hosts, then that between two ranks of
/// one host.
[[nodiscard]] std::vector<SurveyRecord> survey_clusters(const Channel& channel, const JobMap& job,
                                                        double deadline);

/// Measures the links between the coordinators of clusters. `shape` is that of costs inside
/// clusters, if it is known. `progress` is called after each link, on the rank that drove its
/// survey.
[[nodiscard]] std::vector<SurveyRecord> survey_links(const Channel& channel, const JobMap& job,
                                                     const std::vector<Session>& sessions,
                                                     const Shape& shape, double deadline,
                                                     const std::function<void()>& progress);

}  // namespace espalier::measure
