#pragma once

#include "core/units.hpp"
#include "directory/http.hpp"
#include "directory/measurement.hpp"

#include <string>
#include <vector>

namespace espalier::directory {

/// The address of a Prometheus, and the queries that tell about the network.
struct PrometheusSettings {
    /// The query of one quantity: an expression of PromQL, and the factor from its unit to ours.
    struct Query {
        Quantity quantity = Quantity::latency;
        std::string expression;
        double factor = 1;
    };

    HttpAddress address;
    std::vector<Query> queries;
    /// Labels that name the two ends of a pair, who measured, and the bytes of a message.
    std::string from_label = "from";
    std::string to_label = "to";
    std::string by_label = "by";
    std::string bytes_label = "bytes";
    Seconds lookback{3600};  ///< how far a period without beginning reaches back
    Seconds step{15};        ///< between values of expressions that are not plain selectors
    Seconds timeout{30};     ///< of each question
};

/// Reads an URL such as
/// `http://host:9090/?latency=probe_rtt_seconds&latency_factor=0.5&from=source`. What is not given
/// has the defaults above, and the metrics `espalier_latency_seconds`,
/// `espalier_bandwidth_bytes_per_second` and `espalier_gap_seconds`; an empty expression leaves
/// its quantity out. Throws InputError naming the server and the parameter.
[[nodiscard]] PrometheusSettings parse_prometheus_url(const std::string& url);

/// Whether an expression is a plain selector, `name{label="value"}` or a part of it, so that its
/// samples can be had as they were scraped.
[[nodiscard]] bool is_plain_selector(const std::string& expression);

}  // namespace espalier::directory
