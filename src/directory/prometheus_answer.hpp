#pragma once

#include "directory/http.hpp"
#include "directory/prometheus_settings.hpp"
#include "directory/source.hpp"

#include <vector>

namespace espalier::directory {

/// Adds to `measurements` what stands in a server's answer to one query, as far as it is of that
/// time. A value that is NaN is how Prometheus says that there was none, and is left out, as are
/// pairs of a node with itself. Throws InputError naming the server, the query and the series for
/// anything else that is no sensible answer: another status than success, no matrix, a series
/// without its labels, a time or a value that is none, negative or infinite, or a bandwidth of 0.
void read_prometheus_answer(const HttpAnswer& answer, const PrometheusSettings& settings,
                            const PrometheusSettings::Query& query, const Period& period,
                            std::vector<Measurement>& measurements);

}  // namespace espalier::directory
