#pragma once

#include "core/json.hpp"
#include "network/network.hpp"
#include "schedule/ring.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::schedule {

/// Format `espalier-ring`, version 1. `network` is the one whose nodes and links the ring numbers.
[[nodiscard]] Json to_json(const Ring& ring, const network::LinksNetwork& network);

/// A ring as a file states it: by names, and all of it a claim until it is checked.
struct StatedRing {
    struct Path {
        std::string from;
        std::string to;
        std::vector<std::string> links;
        double bandwidth = 0;
    };
    std::vector<std::string> order;
    std::vector<std::pair<std::string, double>> shares;  ///< in the order of the file
    std::vector<Path> paths;                             ///< likewise
    double step_time = 0;
    double lower_bound = 0;
    bool optimal = false;
    std::optional<double> work;      ///< W, where the file says it
    std::optional<double> exchange;  ///< H, likewise
    RingSharing sharing = RingSharing::reserved;
    std::string scope;
    std::string algorithm;
    std::string refinement;
    std::string network;
};
/// Throws InputError naming file and field.
[[nodiscard]] StatedRing parse_ring(const std::string& text, const std::string& source);
[[nodiscard]] StatedRing read_ring(const std::string& path);

}  // namespace espalier::schedule
