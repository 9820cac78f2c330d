#include "core/table.hpp"
#include "doctor/rules.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>
#include <string_view>

namespace espalier::doctor {

namespace {

/// A setting that is a number of bytes, of which the last counts; less than half of the others' is
/// too little.
constexpr std::array<std::string_view, 4> sizes{"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem",
                                                "net.core.rmem_max", "net.core.wmem_max"};
constexpr std::array<std::string_view, 6> switches{"net.ipv4.tcp_slow_start_after_idle",
                                                   "net.ipv4.tcp_congestion_control",
                                                   "net.ipv4.tcp_window_scaling",
                                                   "net.ipv4.tcp_sack",
                                                   "net.ipv4.tcp_timestamps",
                                                   "net.ipv4.tcp_moderate_rcvbuf"};

double last_number(const std::string& text) {
    std::istringstream words(text);
    double last = 0;
    for (double number = 0; words >> number;) last = number;
    return last;
}

/// The values of a setting on the hosts that have it.
std::map<std::size_t, std::string> values_of(const Facts& facts, const std::string& name) {
    std::map<std::size_t, std::string> values;
    for (std::size_t host = 0; host < facts.hosts.size(); ++host) {
        const auto value = facts.hosts[host].settings.find(name);
        if (value != facts.hosts[host].settings.end()) values.emplace(host, value->second);
    }
    return values;
}

/// Hosts that differ, by what they have in place of the usual value.
std::map<std::string, std::vector<std::size_t>> others(
    const std::map<std::size_t, std::string>& values, const std::string& usual) {
    std::map<std::string, std::vector<std::size_t>> found;
    for (const auto& [host, value] : values)
        if (value != usual) found[value].push_back(host);
    return found;
}

void report(const Facts& facts, const char* cause, const std::string& setting,
            const std::string& value, const std::string& usual,
            const std::vector<std::size_t>& hosts, Findings& findings) {
    findings.push_back(
        {Finding::Kind::fault, cause, names_of(facts, hosts), setting,
         fmt::format("{} = {}, on the others {}", setting, value, usual),
         fmt::format("sysctl -w {}=\"{}\" (and in /etc/sysctl.d, to stay)", setting, usual)});
}

void find_packet_sizes(const Facts& facts, Findings& findings) {
    for (std::size_t network = 0; network < facts.networks.size(); ++network) {
        std::map<std::size_t, unsigned> sizes_of_hosts;
        for (const CardNetwork::Member& member : facts.networks[network].members)
            sizes_of_hosts[member.host] = facts.hosts[member.host].interfaces[member.interface].mtu;
        const auto usual = usual_value(sizes_of_hosts);
        for (const auto& [host, size] : sizes_of_hosts) {
            if (!usual || size == *usual) continue;
            const std::string card = card_on(facts, network, host);
            findings.push_back(
                {Finding::Kind::fault, "mtu", names_of(facts, {host}), card,
                 fmt::format("packets of at most {} bytes, on the others {}", size, *usual),
                 fmt::format("ip link set {} mtu {}", card, *usual)});
        }
    }
}

}  // namespace

void find_settings(const Facts& facts, Findings& findings) {
    for (const std::string_view name : sizes) {
        const std::string setting(name);
        const auto values = values_of(facts, setting);
        const auto usual = usual_value(values);
        if (!usual) continue;
        for (const auto& [value, hosts] : others(values, *usual))
            if (last_number(value) < last_number(*usual) / 2)
                report(facts, "buffers", setting, value, *usual, hosts, findings);
    }
    for (const std::string_view name : switches) {
        const std::string setting(name);
        const auto values = values_of(facts, setting);
        const auto usual = usual_value(values);
        if (!usual) continue;
        for (const auto& [value, hosts] : others(values, *usual))
            report(facts, "setting", setting, value, *usual, hosts, findings);
    }
    find_packet_sizes(facts, findings);
}

}  // namespace espalier::doctor
