#pragma once

#include "core/file_descriptor.hpp"

#include <string>

namespace espalier::testbed {

/// Where the machine says what there is, and what others than its own network namespace may have;
/// and where a permit notes what it added to that, for the next one if it comes to no end itself.
struct CongestionFiles {
    std::string available = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    std::string allowed = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";
    std::string added = "/run/espalier-testbed-congestion";
};

/// While it lives, hosts may be given this congestion control: some are only for the machine's own
/// network namespace, unless it allows them to others. At the end the machine is as before: at
/// once, or when the next permit begins, where this process was killed. One process has a permit
/// that changes something at a time, and others wait for it. Throws InputError where there is none
/// of that name, or where this user may not allow it.
class CongestionPermit {
public:
    explicit CongestionPermit(const std::string& name, CongestionFiles files = {});
    CongestionPermit(const CongestionPermit&) = delete;
    CongestionPermit& operator=(const CongestionPermit&) = delete;
    ~CongestionPermit();

private:
    [[nodiscard]] std::string allowed() const;
    [[nodiscard]] bool add(const std::string& name);
    void take_back();

    const CongestionFiles files_;
    FileDescriptor added_;  ///< locked as long as it is open
};

}  // namespace espalier::testbed
