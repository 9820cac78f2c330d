#pragma once

#include <string>

namespace espalier::testbed {

/// While it lives, hosts may be given this congestion control: some are only for the machine's own
/// network namespace, unless it allows them to others. Throws InputError where there is none of
/// that name, or where this user may not allow it.
class CongestionPermit {
public:
    explicit CongestionPermit(const std::string& name);
    CongestionPermit(const CongestionPermit&) = delete;
    CongestionPermit& operator=(const CongestionPermit&) = delete;
    ~CongestionPermit();

private:
    std::string allowed_before_;  ///< empty: nothing was changed
};

}  // namespace espalier::testbed
