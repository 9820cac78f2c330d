#pragma once

#include "directory/source.hpp"

#include <memory>
#include <string>

namespace espalier::directory {

/// Whether a command line means a Prometheus server by that name: an URL of http or https.
[[nodiscard]] bool is_prometheus_url(const std::string& name);

/// The measurements that a Prometheus server has collected, by its HTTP query interface. The URL
/// also says which metrics they are, see prometheus_settings.hpp. Plain selectors give every sample
/// with the time of its scrape; other expressions are evaluated at every `step`. A period that
/// begins at 1970 or before has no beginning, and reaches back by `lookback` from its end, which
/// is now if it lies in the future. Nothing is asked before read(), whose errors name the server.
/// Throws InputError for an URL that makes no sense.
[[nodiscard]] std::unique_ptr<Source> open_prometheus(const std::string& url);

}  // namespace espalier::directory
