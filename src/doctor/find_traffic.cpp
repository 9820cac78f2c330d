#include "core/statistics.hpp"
#include "core/text.hpp"
#include "doctor/blame.hpp"
#include "doctor/parts.hpp"
#include "doctor/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace espalier::doctor {

namespace {

/// The ways of one network, and what was found on them so far.
class Ways {
public:
    Ways(const Facts& facts, std::size_t network, const Explained& explained)
        : facts_(facts), network_(network), sites_(facts, network) {
        for (std::size_t i = 0; i < facts.pairs.size(); ++i) {
            const Pair& pair = facts.pairs[i];
            if (pair.network == network && !explained.contains(pair.from) &&
                !explained.contains(pair.to) && pair.small_sent > 0)
                pairs_.push_back(i);
        }
    }

    void find(Findings& findings) {
        if (pairs_.empty()) return;
        if (answered() * 2 < pairs_.size()) return advise_against(findings);
        find_cuts(findings);
        find_size_limits(findings);
        find_losses(findings);
        find_jitter(findings);
        find_rates(findings);
        find_stated_speeds(findings);
    }

    /// Indices of the pairs that something was found about.
    [[nodiscard]] const std::vector<std::size_t>& blamed() const { return blamed_; }

private:
    const Pair& pair(std::size_t number) const { return facts_.pairs[number]; }

    [[nodiscard]] std::size_t answered() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            pairs_, [&](std::size_t i) { return pair(i).round_trip_s.has_value(); }));
    }

    void advise_against(Findings& findings) const {
        const std::string& name = facts_.networks[network_].name;
        if (facts_.networks.size() > 1) return;
        findings.push_back({Finding::Kind::fault,
                            "unreachable",
                            {},
                            name,
                            fmt::format("most hosts answer no datagram on {}, the only network "
                                        "that they have in common",
                                        name),
                            "let hosts reach one another: routes, firewall, virtual networks"});
    }

    /// Interface of a part's host, or the network's name.
    [[nodiscard]] std::string card(const Part& part) const {
        return is_of_host(part.kind) ? card_on(facts_, network_, part.ends.front())
                                     : facts_.networks[network_].name;
    }

    void add(const Part& part, const char* cause, const std::string& evidence,
             const std::string& remedy, Findings& findings) const {
        findings.push_back({Finding::Kind::fault, cause, names_of(facts_, hosts_of(part, sites_)),
                            fmt::format("{}: {}", card(part), text_of(part, facts_, sites_)),
                            evidence, remedy});
    }

    /// What is found of a part explains whatever else is wrong on its ways.
    void drop(const Part& part) {
        blamed_.insert(blamed_.end(), part.pairs.begin(), part.pairs.end());
        std::erase_if(pairs_, [&](std::size_t i) {
            return std::ranges::find(part.pairs, i) != part.pairs.end();
        });
    }

    /// Finds parts by a rule until none is left, and tells `report` of each.
    template <typename Blame>
    void find_all(const Blame& blame,
                  const std::function<void(const Part&, const Blamed&)>& report) {
        while (true) {
            const std::vector<Part> parts = parts_of(facts_, sites_, pairs_);
            const auto worst = blame(parts);
            if (!worst) return;
            const Part& part = parts[worst->part];
            report(part, *worst);
            drop(part);
        }
    }

    void find_cuts(Findings& findings) {
        const auto cut = [&](std::size_t i) { return pair(i).round_trip_s ? 0.0 : 1.0; };
        find_all(
            [&](const auto& parts) { return blame_shift(parts, pairs_, cut, 0.5); },
            [&](const Part& part, const Blamed&) {
                const bool connects = std::ranges::any_of(
                    part.pairs, [&](std::size_t i) { return pair(i).connects.value_or(false); });
                if (connects)
                    return findings.push_back(
                        {Finding::Kind::advice, "unreachable",
                         names_of(facts_, hosts_of(part, sites_)), card(part),
                         fmt::format("{}: connections come about, datagrams get no answer: "
                                     "losses and rates are not known",
                                     text_of(part, facts_, sites_)),
                         "to see them, let UDP through"});
                add(part, "unreachable", "no datagram is answered, and no connection comes about",
                    "routes and firewalls (ip route get, nft list ruleset); the cable, or the "
                    "virtual network",
                    findings);
            });
    }

    void find_size_limits(Findings& findings) {
        constexpr double mostly = 0.8;
        const auto too_large = [&](std::size_t i) {
            const auto small = static_cast<double>(pair(i).small_received);
            const bool arrive = small > mostly * static_cast<double>(pair(i).small_sent);
            return arrive && pair(i).large_sent > 0 && pair(i).large_received == 0 ? 1.0 : 0.0;
        };
        find_all([&](const auto& parts) { return blame_shift(parts, pairs_, too_large, 0.5); },
                 [&](const Part& part, const Blamed&) {
                     add(part, "mtu",
                         "small packets arrive, those as large as the interface takes don't",
                         fmt::format("the same packet size all the way: ip link set {} mtu …",
                                     card(part)),
                         findings);
                 });
    }

    void find_losses(Findings& findings) {
        const Losses losses(facts_, pairs_);
        find_all(
            [&](const auto& parts) { return losses.blame(parts); },
            [&](const Part& part, const Blamed& blamed) {
                add(part, "loss",
                    fmt::format("{:.2g}% of {} packets lost, elsewhere {:.2g}%", 100 * blamed.value,
                                static_cast<long>(blamed.weight), 100 * blamed.usual),
                    "cable, connector, duplex and driver (ethtool -S), a full queue or a "
                    "policer on the way; until then, a congestion control that bears losses: "
                    "net.ipv4.tcp_congestion_control=bbr",
                    findings);
            });
    }

    void find_jitter(Findings& findings) {
        std::vector<double> spreads;
        for (const std::size_t i : pairs_)
            if (pair(i).spread_s) spreads.push_back(*pair(i).spread_s);
        if (spreads.empty()) return;
        const double usual = median(spreads);
        constexpr double packet = 1500;
        constexpr double least_s = 0.8e-3;
        constexpr double times_usual = 4;
        const double least = std::max(least_s, times_usual * usual);
        const auto excess = [&](std::size_t i) {
            // On a narrow way packets wait for one another, if only for these.
            const double packet_s = pair(i).rate_Bps ? packet / *pair(i).rate_Bps : 0;
            return std::max(pair(i).spread_s.value_or(usual) - usual - packet_s, 0.0);
        };
        find_all([&](const auto& parts) { return blame_shift(parts, pairs_, excess, least); },
                 [&](const Part& part, const Blamed& blamed) {
                     add(part, "jitter",
                         fmt::format("half of the packets are late by times that differ by {}, "
                                     "elsewhere by {}",
                                     format_seconds(Seconds(blamed.value + usual)),
                                     format_seconds(Seconds(usual))),
                         "a busy hypervisor, wireless or a full queue on the way; on the host, "
                         "interrupts (ethtool -c) and a saving of power",
                         findings);
                 });
    }

    void find_rates(Findings& findings);
    void report_slow(const std::vector<std::pair<Part, Blamed>>& slow, Findings& findings) const;
    void find_stated_speeds(Findings& findings) const;

    const Facts& facts_;
    std::size_t network_;
    Sites sites_;
    std::vector<std::size_t> pairs_;
    std::vector<std::size_t> blamed_;
};

const char* cause_of_slowness(Part::Kind kind) {
    if (kind == Part::Kind::host) return "slow-card";
    return is_one_direction(kind) ? "one-way" : "slow-way";
}

void Ways::find_rates(Findings& findings) {
    const Rates rates(facts_, sites_, pairs_);
    std::vector<std::pair<Part, Blamed>> slow;
    find_all([&](const auto& parts) { return rates.blame(parts); },
             [&](const Part& part, const Blamed& blamed) { slow.emplace_back(part, blamed); });
    // Many hosts of one rate are what the place has.
    std::vector<std::pair<Part, Blamed>> exceptions;
    for (const auto& one : slow) {
        constexpr double alike = 1.4;
        const auto is_like_it = [&](const auto& other) {
            return other.first.kind == one.first.kind &&
                   other.second.value < alike * one.second.value &&
                   one.second.value < alike * other.second.value;
        };
        const auto like_it = static_cast<std::size_t>(std::ranges::count_if(slow, is_like_it));
        if (!are_a_class(like_it, facts_.networks[network_].members.size()))
            exceptions.push_back(one);
    }
    report_slow(exceptions, findings);
}

void Ways::report_slow(const std::vector<std::pair<Part, Blamed>>& slow, Findings& findings) const {
    for (const auto& [part, blamed] : slow) {
        add(part, cause_of_slowness(part.kind),
            fmt::format("{} arrive, where others like it have {}",
                        format_rate(BytesPerSecond(blamed.value)),
                        format_rate(BytesPerSecond(blamed.usual))),
            is_of_host(part.kind)
                ? fmt::format(
                      "the speed that the interface and its switch agreed on (ethtool {0}), "
                      "a limit (tc qdisc show dev {0}), another interface",
                      card(part))
                : "a limit or other traffic on the way, in this direction if only there",
            findings);
        // A site may have been given less in one direction, as it can be bought.
        if (is_of_sites(part.kind)) findings.back().kind = Finding::Kind::advice;
    }
}

void Ways::find_stated_speeds(Findings& findings) const {
    std::map<std::size_t, double> speeds;
    for (const CardNetwork::Member& member : facts_.networks[network_].members) {
        const double speed = facts_.hosts[member.host].interfaces[member.interface].speed_Bps;
        if (speed > 0) speeds[member.host] = speed;
    }
    const auto usual = usual_value(speeds);
    if (!usual) return;
    for (const auto& [host, speed] : speeds) {
        const std::string name = facts_.hosts[host].name;
        const auto is_known = [&](const Finding& one) {
            return one.cause == "slow-card" &&
                   std::ranges::find(one.hosts, name) != one.hosts.end();
        };
        if (2 * speed > *usual || std::ranges::any_of(findings, is_known)) continue;
        const std::string card = card_on(facts_, network_, host);
        findings.push_back(
            {Finding::Kind::fault,
             "slow-card",
             {name},
             card,
             fmt::format("the interface agreed with its switch on {}, the others "
                         "on {}",
                         format_rate(BytesPerSecond(speed)), format_rate(BytesPerSecond(*usual))),
             fmt::format("cable and port of the switch; ethtool -r {}", card)});
    }
}

}  // namespace

std::vector<std::size_t> find_traffic(const Facts& facts, const Explained& explained,
                                      Findings& findings) {
    std::vector<std::size_t> found;
    for (std::size_t network = 0; network < facts.networks.size(); ++network) {
        Ways ways(facts, network, explained);
        ways.find(findings);
        found.insert(found.end(), ways.blamed().begin(), ways.blamed().end());
    }
    return found;
}

}  // namespace espalier::doctor
