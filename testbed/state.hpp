#pragma once

#include "testbed/topology.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::testbed {

/// A host as those outside see it.
struct HostEntry {
    std::string name;
    std::string address;
    std::string cluster;
    std::string site;
};

/// The address of host i.
[[nodiscard]] std::string address_of(std::size_t host);
/// The host that has it; the number may be that of no host.
[[nodiscard]] std::size_t host_at(std::uint32_t address);

/// The files by which a testbed that is up is found: ${XDG_RUNTIME_DIR:-/tmp}/espalier-testbed-UID,
/// a folder below it for each.
class State {
public:
    explicit State(std::string name);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& folder() const { return folder_; }
    [[nodiscard]] std::string socket() const { return folder_ + "/keeper"; }
    [[nodiscard]] std::string hosts_file() const { return folder_ + "/hosts"; }
    [[nodiscard]] std::string name_file(const std::string& host) const {
        return folder_ + "/name-" + host;
    }
    /// A name of this program under which it takes the place of ssh.
    [[nodiscard]] std::string agent() const;

    /// Makes the folder and its files. Throws InputError where a testbed of that name is up; what a
    /// dead one left is removed.
    void create(const Topology& topology) const;
    void remove() const;

    /// A connection to the keeper; -1 where there is none.
    [[nodiscard]] int connect() const;
    /// Throws InputError where no such testbed is up.
    [[nodiscard]] std::vector<HostEntry> hosts() const;

private:
    std::string name_;
    std::string base_;
    std::string folder_;
};

/// The name in the option, else in ESPALIER_TESTBED, else `default`.
[[nodiscard]] std::string name_of_testbed(const std::optional<std::string>& option);

}  // namespace espalier::testbed
