#pragma once

#include "doctor/diagnosis.hpp"
#include "doctor/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace espalier::doctor {

/// Hosts of sites of so many each, with one card `eth0` each and nothing wrong: 40 MB/s and 0.1 ms
/// inside, 10 MB/s and 10 ms between. Hosts are called h0, h1, …
inline Facts healthy(const std::vector<std::size_t>& sites) {
    Facts facts;
    std::vector<std::size_t> site_of;
    for (std::size_t site = 0; site < sites.size(); ++site)
        for (std::size_t i = 0; i < sites[site]; ++i) site_of.push_back(site);
    for (std::size_t i = 0; i < site_of.size(); ++i) {
        Host host;
        host.name = fmt::format("h{}", i);
        host.place = host.machine = host.name;
        host.interfaces.push_back({"lo", {{"127.0.0.1", 8}}, "", 65536, 0, true, true});
        host.interfaces.push_back({"eth0",
                                   {{fmt::format("10.0.0.{}", i + 1), 24}},
                                   "02:00:00:00:00:01",
                                   1500,
                                   0,
                                   true,
                                   false});
        host.settings = {{"net.ipv4.tcp_rmem", "4096 131072 6291456"},
                         {"net.ipv4.tcp_wmem", "4096 16384 4194304"},
                         {"net.ipv4.tcp_congestion_control", "cubic"},
                         {"net.ipv4.tcp_slow_start_after_idle", "0"}};
        host.work_s = 0.04;
        facts.hosts.push_back(host);
    }
    for (Host& host : facts.hosts)
        for (const Host& other : facts.hosts)
            host.names[other.name] = {other.interfaces[1].addresses[0].text};
    facts.networks = networks_of(facts.hosts);
    for (std::size_t from = 0; from < site_of.size(); ++from)
        for (std::size_t to = 0; to < site_of.size(); ++to) {
            if (from == to) continue;
            const bool near = site_of[from] == site_of[to];
            Pair pair;
            pair.from = from;
            pair.to = to;
            pair.small_sent = pair.small_received = 160;
            pair.large_sent = pair.large_received = 40;
            pair.round_trip_s = near ? 1e-4 : 1e-2;
            pair.spread_s = 4e-5;
            pair.rate_Bps = near ? 40e6 : 10e6;
            facts.pairs.push_back(pair);
        }
    return facts;
}

/// Changes the ways that a condition on their ends holds for.
inline void change(Facts& facts, const std::function<bool(std::size_t, std::size_t)>& is_meant,
                   const std::function<void(Pair&)>& how) {
    for (Pair& pair : facts.pairs)
        if (is_meant(pair.from, pair.to)) how(pair);
}

inline std::vector<Finding> faults_of(const Facts& facts) {
    std::vector<Finding> found = diagnose(facts);
    std::erase_if(found, [](const Finding& one) { return one.kind != Finding::Kind::fault; });
    return found;
}

/// `cause: host host`, each fault one line.
inline std::string faults_in_short(const Facts& facts) {
    std::string text;
    for (const Finding& finding : faults_of(facts)) {
        text += (text.empty() ? "" : "\n") + finding.cause + ":";
        for (const std::string& host : finding.hosts) text += " " + host;
    }
    return text;
}

}  // namespace espalier::doctor
