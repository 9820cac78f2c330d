#include "core/table.hpp"
#include "doctor/addresses.hpp"
#include "doctor/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace espalier::doctor {

namespace {

bool is_loopback(const std::string& address) { return address.starts_with("127."); }

/// What a host's name stands for elsewhere, where that is none of its addresses.
struct Mistake {
    std::size_t seen_from = 0;
    std::size_t host = 0;
    std::vector<std::string> addresses;
};

std::vector<Mistake> mistakes_of(const Facts& facts) {
    std::vector<Mistake> mistakes;
    for (std::size_t host = 0; host < facts.hosts.size(); ++host) {
        if (!facts.hosts[host].present) continue;
        const std::vector<std::string> own = addresses_of(facts.hosts[host]);
        for (std::size_t viewer = 0; viewer < facts.hosts.size(); ++viewer) {
            const auto known = facts.hosts[viewer].names.find(facts.hosts[host].name);
            if (viewer == host || known == facts.hosts[viewer].names.end()) continue;
            const auto is_own = [&](const std::string& one) {
                return std::ranges::find(own, one) != own.end();
            };
            if (std::ranges::none_of(known->second, is_own))
                mistakes.push_back({viewer, host, known->second});
        }
    }
    return mistakes;
}

std::string said(const std::vector<std::string>& addresses) {
    return addresses.empty() ? "nothing" : fmt::format("{}", fmt::join(addresses, ", "));
}

void find_equal_names(const Facts& facts, Findings& findings) {
    std::map<std::string, std::vector<std::size_t>> bearers;
    for (std::size_t host = 0; host < facts.hosts.size(); ++host)
        bearers[facts.hosts[host].name].push_back(host);
    for (const auto& [name, hosts] : bearers) {
        if (hosts.size() < 2) continue;
        std::vector<std::string> first;
        for (const std::size_t host : hosts)
            first.push_back(fmt::format("{}", fmt::join(addresses_of(facts.hosts[host]), ", ")));
        findings.push_back({Finding::Kind::fault,
                            "name",
                            {name},
                            "host name",
                            fmt::format("{} bear this name ({})", counted(hosts.size(), "host"),
                                        fmt::join(first, "; ")),
                            "hostnamectl set-hostname NAME, another on each"});
    }
}

/// Whose name stands for loopback on itself: what listens there by name, nobody else reaches.
void find_loopback_names(const Facts& facts, Findings& findings) {
    std::vector<std::size_t> hosts;
    for (std::size_t host = 0; host < facts.hosts.size(); ++host) {
        const auto own = facts.hosts[host].names.find(facts.hosts[host].name);
        if (own != facts.hosts[host].names.end() && !own->second.empty() &&
            std::ranges::all_of(own->second, is_loopback))
            hosts.push_back(host);
    }
    if (hosts.empty() || facts.networks.empty()) return;
    findings.push_back(
        {Finding::Kind::advice, "name", names_of(facts, hosts), "/etc/hosts",
         "its own name stands for a loopback address there, so that Gloo, which listens at what "
         "the name stands for, is not reached from others",
         fmt::format("GLOO_SOCKET_IFNAME={0}, or the address of {0} in /etc/hosts",
                     facts.networks.front().name)});
}

}  // namespace

void find_names(const Facts& facts, Findings& findings) {
    find_equal_names(facts, findings);
    std::vector<Mistake> mistakes = mistakes_of(facts);
    // Each mistake is its host's, whom several others have wrong, or its viewer's.
    std::map<std::size_t, std::vector<const Mistake*>> of_host;
    std::map<std::size_t, std::vector<const Mistake*>> of_viewer;
    for (const Mistake& mistake : mistakes) of_host[mistake.host].push_back(&mistake);
    std::vector<std::size_t> unknown;
    for (const auto& [host, seen] : of_host) {
        if (2 * seen.size() < facts.hosts.size() - 1) {
            for (const Mistake* mistake : seen) of_viewer[mistake->seen_from].push_back(mistake);
            continue;
        }
        if (seen.front()->addresses.empty()) {
            unknown.push_back(host);
            continue;
        }
        findings.push_back(
            {Finding::Kind::fault, "name", names_of(facts, {host}), "host name",
             fmt::format("{} take its name for {}, which it does not have ({})",
                         counted(seen.size(), "host"), said(seen.front()->addresses),
                         fmt::join(addresses_of(facts.hosts[host]), ", ")),
             fmt::format("correct the entry of {} in /etc/hosts or in the name service",
                         facts.hosts[host].name)});
    }
    if (are_a_class(unknown.size(), facts.hosts.size()) || unknown.size() == facts.hosts.size()) {
        findings.push_back({Finding::Kind::advice, "name", names_of(facts, unknown), "host name",
                            "other hosts know no address by their names",
                            "list addresses in host files, or add the names to /etc/hosts"});
        unknown.clear();
    }
    for (const std::size_t host : unknown)
        findings.push_back({Finding::Kind::fault, "name", names_of(facts, {host}), "host name",
                            "the others know no address by its name",
                            "add it to /etc/hosts or to the name service"});
    for (const auto& [viewer, wrong] : of_viewer)
        findings.push_back(
            {Finding::Kind::fault, "name", names_of(facts, {viewer}), "/etc/hosts",
             fmt::format("it takes {} for {}, which {} does not have",
                         facts.hosts[wrong.front()->host].name, said(wrong.front()->addresses),
                         wrong.size() == 1
                             ? "that host"
                             : fmt::format("that host, and {} more", wrong.size() - 1)),
             fmt::format("correct the name in /etc/hosts, or the name service, of {}",
                         facts.hosts[viewer].name)});
    find_loopback_names(facts, findings);
}

}  // namespace espalier::doctor
