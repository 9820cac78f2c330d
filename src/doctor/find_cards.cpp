#include "core/table.hpp"
#include "core/text.hpp"
#include "doctor/addresses.hpp"
#include "doctor/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <tuple>

namespace espalier::doctor {

namespace {

/// The part of a network's ways that datagrams came back on.
double part_that_answers(const Facts& facts, std::size_t network) {
    double all = 0;
    double answered = 0;
    for (const Pair& pair : facts.pairs) {
        if (pair.network != network) continue;
        ++all;
        if (pair.round_trip_s) ++answered;
    }
    return all > 0 ? answered / all : 0;
}

bool connects_its_hosts(const Facts& facts, std::size_t network) {
    constexpr double enough = 0.5;
    return part_that_answers(facts, network) > enough;
}

/// The network of most hosts, of these the fastest.
std::optional<std::size_t> best_network(const Facts& facts) {
    std::optional<std::size_t> best;
    const auto worth = [&](std::size_t network) {
        return std::tuple(facts.networks[network].members.size(), usual_rate(facts, network));
    };
    for (std::size_t network = 0; network < facts.networks.size(); ++network)
        if (connects_its_hosts(facts, network) && (!best || worth(network) > worth(*best)))
            best = network;
    return best;
}

std::vector<std::string> entries_of(const std::string& list) {
    std::istringstream stream(list);
    std::vector<std::string> entries;
    for (std::string entry; std::getline(stream, entry, ',');)
        if (!entry.empty()) entries.push_back(entry);
    return entries;
}

/// Whether an entry of a variable means an interface: its name, its subnet, or, for NCCL, how its
/// name begins.
bool means(const std::string& variable, const std::string& entry, const Interface& card) {
    const auto in_subnet = [&](const Address& one) { return lies_in(one.text, entry); };
    if (std::ranges::any_of(card.addresses, in_subnet)) return true;
    if (!variable.starts_with("NCCL_")) return card.name == entry;
    return entry.starts_with('=') ? card.name == entry.substr(1) : card.name.starts_with(entry);
}

bool is_a_choice(const std::string& variable, const std::string& value) {
    if (variable.ends_with("_exclude") || value.starts_with('^') || value == "all") return false;
    // A colon separates a device from its port: that is no interface of the kernel's.
    return value.find(':') == std::string::npos && !value.empty();
}

/// What is wrong with a choice on a host, if anything.
class Judgement {
public:
    explicit Judgement(const Facts& facts) : facts_(facts), best_(best_network(facts)) {}

    [[nodiscard]] const std::optional<std::size_t>& best() const { return best_; }

    [[nodiscard]] std::string of_choice(std::size_t host, const std::string& variable,
                                        const std::string& value) const {
        const Interface* chosen = nullptr;
        for (const std::string& entry : entries_of(value))
            for (const Interface& card : facts_.hosts[host].interfaces)
                if (chosen == nullptr && means(variable, entry, card)) chosen = &card;
        if (chosen == nullptr) return "there is no such interface";
        if (chosen->loopback) return fmt::format("{} reaches no other host", chosen->name);
        if (!chosen->up) return fmt::format("{} is down", chosen->name);
        if (chosen->addresses.empty()) return fmt::format("{} has no address", chosen->name);
        return of_card(host, *chosen);
    }

private:
    [[nodiscard]] std::string of_card(std::size_t host, const Interface& chosen) const {
        if (!best_ || card_on(facts_, *best_, host) == chosen.name) return {};
        const double best_rate = usual_rate(facts_, *best_);
        for (std::size_t network = 0; network < facts_.networks.size(); ++network) {
            if (card_on(facts_, network, host) != chosen.name) continue;
            if (!connects_its_hosts(facts_, network))
                return fmt::format("{} does not reach the other hosts", chosen.name);
            const double rate = usual_rate(facts_, network);
            if (2 * rate < best_rate)
                return fmt::format("{} carries {}, and {} {}", chosen.name,
                                   format_rate(BytesPerSecond(rate)), card_on(facts_, *best_, host),
                                   format_rate(BytesPerSecond(best_rate)));
        }
        return {};
    }

    const Facts& facts_;
    std::optional<std::size_t> best_;
};

/// Its default leaves loopback out; whoever sets it has to do so, too.
std::string wrong_exclusion(const std::string& variable, const std::string& value) {
    if (variable != "OMPI_MCA_btl_tcp_if_exclude") return {};
    for (const std::string& entry : entries_of(value))
        if (entry == "lo" || entry.starts_with("127.")) return {};
    return "it does not leave out loopback, so that hosts connect to themselves";
}

void advise_to_choose(const Facts& facts, std::size_t best, Findings& findings) {
    std::string others;
    for (std::size_t network = 0; network < facts.networks.size(); ++network) {
        if (network == best) continue;
        const double rate = usual_rate(facts, network);
        if (connects_its_hosts(facts, network) && 2 * rate > usual_rate(facts, best)) continue;
        others += fmt::format("{}{} {}", others.empty() ? "" : ", ", facts.networks[network].name,
                              connects_its_hosts(facts, network)
                                  ? fmt::format("carries {}", format_rate(BytesPerSecond(rate)))
                                  : "does not connect the hosts");
    }
    if (others.empty()) return;
    const std::string& name = facts.networks[best].name;
    findings.push_back(
        {Finding::Kind::advice,
         "wrong-card",
         {},
         "interfaces",
         fmt::format("{} carries {}; {}; no variable says which to take", name,
                     format_rate(BytesPerSecond(usual_rate(facts, best))), others),
         fmt::format("OMPI_MCA_btl_tcp_if_include={0}, UCX_NET_DEVICES={0}, GLOO_SOCKET_IFNAME={0}",
                     name)});
}

}  // namespace

void find_cards(const Facts& facts, Findings& findings) {
    const Judgement judgement(facts);
    using Complaint = std::tuple<std::string, std::string, std::string>;
    std::map<Complaint, std::vector<std::size_t>> complaints;
    bool is_chosen = false;
    for (std::size_t host = 0; host < facts.hosts.size(); ++host)
        for (const auto& [variable, value] : facts.hosts[host].environment) {
            const bool chooses = is_a_choice(variable, value);
            is_chosen = is_chosen || chooses;
            const std::string wrong = chooses ? judgement.of_choice(host, variable, value)
                                              : wrong_exclusion(variable, value);
            if (!wrong.empty()) complaints[{variable, value, wrong}].push_back(host);
        }
    for (const auto& [complaint, hosts] : complaints) {
        const auto& [variable, value, wrong] = complaint;
        std::string card = "INTERFACE";
        if (judgement.best()) card = card_on(facts, *judgement.best(), hosts.front());
        findings.push_back({Finding::Kind::fault, "wrong-card", names_of(facts, hosts), variable,
                            fmt::format("{}={}: {}", variable, value, wrong),
                            variable.ends_with("_exclude")
                                ? fmt::format("{}=lo,{}", variable, value)
                                : fmt::format("{}={}", variable, card)});
    }
    if (!is_chosen && judgement.best()) advise_to_choose(facts, *judgement.best(), findings);
}

}  // namespace espalier::doctor
