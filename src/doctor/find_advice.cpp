#include "core/text.hpp"
#include "doctor/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace espalier::doctor {

namespace {

double largest(const Host& host, const char* setting) {
    const auto value = host.settings.find(setting);
    if (value == host.settings.end()) return 0;
    std::istringstream words(value->second);
    double last = 0;
    for (double number = 0; words >> number;) last = number;
    return last;
}

bool is_usual(const Facts& facts, const char* setting, std::string_view value) {
    const auto has_it = [&](const Host& host) {
        const auto known = host.settings.find(setting);
        return known != host.settings.end() && known->second == value;
    };
    return 2 * std::ranges::count_if(facts.hosts, has_it) > std::ssize(facts.hosts);
}

/// The way on which most bytes are under way at its rate.
const Pair* longest_way(const Facts& facts) {
    const Pair* longest = nullptr;
    double most = 0;
    for (const Pair& pair : facts.pairs) {
        if (!pair.rate_Bps || !pair.round_trip_s) continue;
        const double under_way = *pair.rate_Bps * *pair.round_trip_s;
        if (under_way > most) longest = &pair;
        most = std::max(most, under_way);
    }
    return longest;
}

void advise_on_buffers(const Facts& facts, const Pair& way, Findings& findings) {
    const double needed = *way.rate_Bps * *way.round_trip_s;
    struct End {
        std::size_t host;
        const char* setting;
        double holds;  ///< of the buffer, what counts bytes under way
    };
    // The kernel keeps a part of a receiver's buffer for its own bookkeeping.
    for (const End& end :
         {End{way.from, "net.ipv4.tcp_wmem", 1}, {way.to, "net.ipv4.tcp_rmem", 2}}) {
        const double room = largest(facts.hosts[end.host], end.setting);
        if (room == 0 || room / end.holds >= needed) continue;
        findings.push_back(
            {Finding::Kind::advice, "buffers", names_of(facts, {end.host}), end.setting,
             fmt::format("from {} to {} {} are under way in {}, and a connection has room for {}",
                         facts.hosts[way.from].name, facts.hosts[way.to].name,
                         format_bytes(Bytes(static_cast<std::uint64_t>(needed))),
                         format_seconds(Seconds(*way.round_trip_s)),
                         format_bytes(Bytes(static_cast<std::uint64_t>(room / end.holds)))),
             fmt::format("sysctl -w {}=\"4096 131072 {:.0f}\", on all hosts", end.setting,
                         2 * needed * end.holds)});
    }
}

}  // namespace

void find_advice(const Facts& facts, Findings& findings) {
    const Pair* const way = longest_way(facts);
    if (way == nullptr) return;
    advise_on_buffers(facts, *way, findings);
    constexpr double far_s = 5e-3;
    const char* const setting = "net.ipv4.tcp_slow_start_after_idle";
    if (*way->round_trip_s < far_s || !is_usual(facts, setting, "1") ||
        is_usual(facts, "net.ipv4.tcp_congestion_control", "bbr"))
        return;
    findings.push_back({Finding::Kind::advice,
                        "setting",
                        {},
                        setting,
                        fmt::format("connections begin slowly again after each pause: between {} "
                                    "and {} several round trips of {}",
                                    facts.hosts[way->from].name, facts.hosts[way->to].name,
                                    format_seconds(Seconds(*way->round_trip_s))),
                        fmt::format("sysctl -w {}=0, on all hosts", setting)});
}

}  // namespace espalier::doctor
