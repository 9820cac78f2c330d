#include "testbed/builder.hpp"

#include "core/error.hpp"
#include "testbed/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace espalier::testbed {

namespace {

constexpr std::size_t longest_name = 63;  // of a label in DNS, and Linux has 64 for it all

bool alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool may_stand_in_a_name(char c) { return alphanumeric(c) || c == '-' || c == '.' || c == '_'; }

bool is_host_name(const std::string& name) {
    return !name.empty() && name.size() <= longest_name && alphanumeric(name.front()) &&
           std::all_of(name.begin(), name.end(), may_stand_in_a_name);
}

std::string lower_case(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

/// What of a name may stand in a host name.
std::string as_host_name(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !may_stand_in_a_name(c); }, '-');
    const auto first = std::find_if(name.begin(), name.end(), alphanumeric);
    name.erase(name.begin(), first);
    name.resize(std::min(name.size(), longest_name));
    return name.empty() ? "host" : name;
}

}  // namespace

Bytes usual_buffer(BytesPerSecond rate) {
    constexpr double least = 64.0 * 1024;
    constexpr double most = 1024.0 * 1024;
    return Bytes(static_cast<std::uint64_t>(std::clamp(rate.value * 0.1, least, most)));
}

void require_rate(BytesPerSecond rate, const std::string& source, const std::string& field) {
    constexpr double least = static_cast<double>(full_frame) / 2;
    if (!(rate.value >= least))
        throw InputError(source, field,
                         fmt::format("{:.4g} bytes/s: a frame of {} bytes would take over 2 s",
                                     rate.value, full_frame));
}

void Builder::require_room(const std::string& field) const {
    if (topology_.hosts.size() == most_hosts)
        throw InputError(source_, field, fmt::format("a testbed has at most {} hosts", most_hosts));
}

void Builder::add_host(Host host, const std::string& field) {
    require_room(field);
    if (!is_host_name(host.name))
        throw InputError(
            source_, field,
            fmt::format("'{}' can't be a host name: at most {} letters, digits, '-', '.' or '_'",
                        host.name, longest_name));
    if (lower_case(host.name) == "localhost")
        throw InputError(source_, field, "every host is its own localhost");
    if (!taken_.insert(lower_case(host.name)).second)
        throw InputError(source_, field, fmt::format("the name '{}' is used twice", host.name));
    topology_.hosts.push_back(std::move(host));
}

void Builder::add_renamed_host(Host host) {
    require_room("");
    const std::string base = as_host_name(host.name);
    host.name = base;
    for (std::size_t number = 2;
         lower_case(host.name) == "localhost" || !taken_.insert(lower_case(host.name)).second;
         ++number) {
        const std::string suffix = fmt::format("-{}", number);
        host.name = base.substr(0, longest_name - suffix.size()) + suffix;
    }
    topology_.hosts.push_back(std::move(host));
}

std::uint32_t Builder::add_queue(std::string name, BytesPerSecond rate, Bytes buffer,
                                 const std::string& field) {
    require_rate(rate, source_, field);
    if (buffer.value < full_frame)
        throw InputError(source_, field,
                         fmt::format("a buffer of {} bytes does not hold a frame of {}",
                                     buffer.value, full_frame));
    topology_.queues.push_back({std::move(name), rate, buffer});
    return static_cast<std::uint32_t>(topology_.queues.size() - 1);
}

void Builder::lay_paths() {
    topology_.paths = Matrix<Path>(topology_.hosts.size(), topology_.hosts.size());
}

Topology Builder::finish() && {
    if (topology_.hosts.empty()) throw InputError(source_, "", "it has no host");
    return std::move(topology_);
}

}  // namespace espalier::testbed
