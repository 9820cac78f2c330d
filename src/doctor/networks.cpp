#include "core/text.hpp"
#include "doctor/addresses.hpp"
#include "doctor/facts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace espalier::doctor {

namespace {

using Member = CardNetwork::Member;

/// The first address that no other host has, else the first.
const Address& usual_address(const Interface& card, const std::map<std::string, int>& bearers) {
    const auto own = std::ranges::find_if(
        card.addresses, [&](const Address& one) { return bearers.at(one.text) == 1; });
    return own == card.addresses.end() ? card.addresses.front() : *own;
}

/// Interfaces that were put together so far.
class Groups {
public:
    explicit Groups(const std::vector<Member>& cards)
        : parent_(cards.size()), hosts_(cards.size()) {
        std::iota(parent_.begin(), parent_.end(), 0U);
        for (std::size_t i = 0; i < cards.size(); ++i) hosts_[i].insert(cards[i].host);
    }

    [[nodiscard]] std::size_t find(std::size_t card) const {
        while (parent_[card] != card) card = parent_[card];
        return card;
    }
    /// Unless a host would have two of one group.
    void join(std::size_t a, std::size_t b) {
        a = find(a);
        b = find(b);
        if (a == b) return;
        const auto shared = [&](std::size_t host) { return hosts_[b].contains(host); };
        if (std::ranges::any_of(hosts_[a], shared)) return;
        hosts_[a].merge(hosts_[b]);
        parent_[b] = a;
    }

private:
    std::vector<std::size_t> parent_;
    std::vector<std::set<std::size_t>> hosts_;
};

/// Joins cards of which something is the same, in their order.
template <typename Key>
void join_alike(Groups& groups, std::size_t cards, const Key& key_of) {
    std::map<decltype(key_of(0)), std::size_t> first;
    for (std::size_t card = 0; card < cards; ++card) {
        const auto [place, is_new] = first.try_emplace(key_of(card), card);
        if (!is_new) groups.join(place->second, card);
    }
}

std::string most_frequent_name(const std::vector<Host>& hosts, const std::vector<Member>& members) {
    std::map<std::string, int> counts;
    for (const Member& member : members)
        ++counts[hosts[member.host].interfaces[member.interface].name];
    return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })
        ->first;
}

}  // namespace

std::vector<CardNetwork> networks_of(const std::vector<Host>& hosts) {
    const std::map<std::string, int> bearers = bearers_of(hosts);
    std::vector<Member> cards;
    std::vector<Address> addresses;
    for (std::size_t host = 0; host < hosts.size(); ++host)
        for (std::size_t i = 0; hosts[host].present && i < hosts[host].interfaces.size(); ++i) {
            const Interface& card = hosts[host].interfaces[i];
            if (card.loopback || !card.up || card.addresses.empty()) continue;
            addresses.push_back(usual_address(card, bearers));
            cards.push_back({host, i, addresses.back().text});
        }
    Groups groups(cards);
    join_alike(groups, cards.size(), [&](std::size_t card) { return subnet_of(addresses[card]); });
    join_alike(groups, cards.size(), [&](std::size_t card) {
        return hosts[cards[card].host].interfaces[cards[card].interface].name;
    });
    std::map<std::size_t, std::vector<Member>> found;
    for (std::size_t card = 0; card < cards.size(); ++card)
        found[groups.find(card)].push_back(cards[card]);
    std::vector<CardNetwork> networks;
    for (auto& [first, members] : found)
        if (members.size() > 1)
            networks.push_back({most_frequent_name(hosts, members), std::move(members)});
    return networks;
}

}  // namespace espalier::doctor
