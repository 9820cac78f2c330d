#pragma once

#include "testbed/expect.hpp"
#include "testbed/topology.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace espalier::testbed {

/// New values for some queues, or for some paths; what is not set stays as it is.
struct Change {
    std::vector<std::uint32_t> queues;  ///< numbers of Topology::queues
    std::vector<HostPair> paths;
    bool reset = false;  ///< first, all is as it was described
    std::optional<BytesPerSecond> rate;
    std::optional<BytesPerSecond> cross;
    std::optional<Seconds> latency;
    std::optional<Seconds> jitter;
    std::optional<double> loss;
};

/// `described` is the topology from which `topology` came by changes.
void apply(const Change& change, const Topology& described, Topology& topology);

/// Of everything.
[[nodiscard]] Change reset_of(const Topology& topology);

/// What can be changed, by its name. Complaints are InputErrors of `source` and `field`.
class Targets {
public:
    explicit Targets(const Topology& topology);

    /// One name: a queue's, a host's (both its queues) or a cluster's (those of all its hosts).
    /// Two: the paths from a host, cluster or site to another. A queue's name may be in several
    /// parts. A name that several bear is the queue's, else the host's, the cluster's, the site's.
    [[nodiscard]] Change find(std::span<const std::string> what, const std::string& source,
                              const std::string& field) const;

private:
    using Numbers = std::unordered_map<std::string, std::vector<std::uint32_t>>;

    [[nodiscard]] const std::vector<std::uint32_t>& hosts(const std::string& name,
                                                          const std::string& source,
                                                          const std::string& field) const;

    Numbers queues_;
    Numbers cards_;  ///< queues by host and by cluster
    Numbers hosts_;  ///< hosts by host, cluster and site
};

/// Sets `rate`, `cross`, `latency`, `jitter` or `loss` from its text. Throws InputError.
void set_quantity(Change& change, const std::string& quantity, const std::string& text,
                  const std::string& source, const std::string& field);

/// Reads what a command line says: once or more the parts of a name, then one or more
/// QUANTITY=VALUE or `reset`. Throws InputError.
[[nodiscard]] std::vector<Change> parse_changes(std::span<const std::string> words,
                                                const Topology& topology);

}  // namespace espalier::testbed
