#include "core/statistics.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "doctor/addresses.hpp"
#include "doctor/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace espalier::doctor {

namespace {

/// Where an address is on a host: the interface's name, or nothing.
std::string bearer(const Host& host, const std::string& address) {
    for (const Interface& card : host.interfaces)
        for (const Address& own : card.addresses)
            if (own.text == address && !card.loopback) return card.name;
    return {};
}

std::uint64_t misled_to(const Facts& facts, const std::vector<std::size_t>& hosts) {
    std::uint64_t misled = 0;
    for (const Pair& pair : facts.pairs)
        if (std::ranges::find(hosts, pair.to) != hosts.end()) misled += pair.misled;
    return misled;
}

/// What containers' and virtual machines' bridges have on every host is meant to be the same.
void advise_to_leave_out(const Facts& facts, const std::string& address,
                         const std::vector<std::size_t>& hosts, Findings& findings) {
    const std::string card = bearer(facts.hosts[hosts.front()], address);
    findings.push_back(
        {Finding::Kind::advice, "duplicate-address", names_of(facts, hosts), card,
         fmt::format("{} hosts have {} on {}, as bridges for containers do; an MPI library that "
                     "connects to it reaches the wrong host",
                     hosts.size(), address, card),
         fmt::format("OMPI_MCA_btl_tcp_if_exclude=lo,{}", card)});
}

}  // namespace

void find_duplicates(const Facts& facts, Findings& findings, Explained& explained) {
    for (const auto& [address, count] : bearers_of(facts.hosts)) {
        if (count < 2) continue;
        std::vector<std::size_t> hosts;
        for (std::size_t host = 0; host < facts.hosts.size(); ++host)
            if (!bearer(facts.hosts[host], address).empty()) hosts.push_back(host);
        if (are_a_class(hosts.size(), facts.hosts.size())) {
            advise_to_leave_out(facts, address, hosts, findings);
            continue;
        }
        explained.insert(hosts.begin(), hosts.end());
        std::string evidence = fmt::format("{} is on", address);
        for (const std::size_t host : hosts)
            evidence += fmt::format("{} {} of {}", host == hosts.front() ? "" : " and",
                                    bearer(facts.hosts[host], address), facts.hosts[host].name);
        if (const std::uint64_t misled = misled_to(facts, hosts); misled > 0)
            evidence += fmt::format("; {} went to the wrong one", counted(misled, "datagram"));
        const std::string& second = facts.hosts[hosts.back()].name;
        findings.push_back(
            {Finding::Kind::fault, "duplicate-address", names_of(facts, hosts), address, evidence,
             fmt::format("take it off the one that it was not meant for, such as: "
                         "ip address del {} dev {} (on {})",
                         address, bearer(facts.hosts[hosts.back()], address), second)});
    }
}

void find_absent(const Facts& facts, Findings& findings, Explained& explained) {
    for (std::size_t host = 0; host < facts.hosts.size(); ++host) {
        if (facts.hosts[host].present || explained.contains(host)) continue;
        explained.insert(host);
        std::vector<std::string> addresses;
        for (const Interface& card : facts.hosts[host].interfaces)
            for (const Address& address : card.addresses) addresses.push_back(address.text);
        findings.push_back(
            {Finding::Kind::fault, "unreachable", names_of(facts, {host}), "",
             fmt::format("its process started, but made no connection to {} ({})",
                         facts.hosts.front().name, fmt::join(addresses, ", ")),
             fmt::format("let TCP connections from it to {} through: routes, firewall, addresses",
                         facts.hosts.front().name)});
    }
}

void find_slow_hosts(const Facts& facts, Findings& findings, Explained& explained) {
    constexpr double slow = 1.7;
    std::vector<double> times;
    for (const Host& host : facts.hosts)
        if (host.work_s > 0) times.push_back(host.work_s);
    constexpr std::size_t few = 3;
    if (times.size() < few) return;
    const double usual = median(times);
    std::vector<std::size_t> hosts;
    for (std::size_t host = 0; host < facts.hosts.size(); ++host)
        if (facts.hosts[host].work_s > slow * usual) hosts.push_back(host);
    if (are_a_class(hosts.size(), facts.hosts.size())) return;
    for (const std::size_t host : hosts) {
        explained.insert(host);
        findings.push_back(
            {Finding::Kind::fault, "slow-host", names_of(facts, {host}), "processor",
             fmt::format("a piece of work takes {}, on the others {}",
                         format_seconds(Seconds(facts.hosts[host].work_s)),
                         format_seconds(Seconds(usual))),
             "look for other programs (top), a limit (/sys/fs/cgroup: cpu.max), a saving of power "
             "(cpupower frequency-info) or heat (sensors)"});
    }
}

}  // namespace espalier::doctor
