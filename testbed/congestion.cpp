#include "testbed/congestion.hpp"

#include "core/error.hpp"
#include "testbed/system.hpp"

#include <fmt/format.h>

namespace espalier::testbed {

namespace {

constexpr const char* available_file = "/proc/sys/net/ipv4/tcp_available_congestion_control";
constexpr const char* allowed_file = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

bool has_word(const std::string& line, const std::string& word) {
    return (" " + line + " ").find(" " + word + " ") != std::string::npos;
}

}  // namespace

CongestionPermit::CongestionPermit(const std::string& name) {
    if (name.empty()) return;
    const std::string allowed = first_line(allowed_file);
    if (has_word(allowed, name)) return;
    if (name.find(' ') != std::string::npos || !put(allowed_file, allowed + " " + name)) {
        const std::string available = first_line(available_file);
        throw InputError(
            "--congestion", "",
            has_word(available, name)
                ? fmt::format("{} is not allowed to others than root here (allowed: {})", name,
                              allowed)
                : fmt::format("this kernel has no {} (it has: {})", name, available));
    }
    allowed_before_ = allowed;
}

CongestionPermit::~CongestionPermit() {
    if (!allowed_before_.empty()) (void)put(allowed_file, allowed_before_);
}

}  // namespace espalier::testbed
