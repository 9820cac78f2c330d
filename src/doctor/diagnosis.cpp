#include "doctor/diagnosis.hpp"

#include "core/statistics.hpp"
#include "doctor/rules.hpp"

#include <algorithm>

namespace espalier::doctor {

std::vector<Finding> diagnose(const Facts& facts) {
    Findings findings;
    Explained explained;
    find_duplicates(facts, findings, explained);
    find_absent(facts, findings, explained);
    find_slow_hosts(facts, findings, explained);
    (void)find_traffic(facts, explained, findings);
    find_cards(facts, findings);
    find_settings(facts, findings);
    find_names(facts, findings);
    find_advice(facts, findings);
    std::ranges::stable_sort(findings, {}, &Finding::kind);
    return findings;
}

std::vector<std::size_t> suspicious_pairs(const Facts& facts) {
    Findings findings;
    Explained explained;
    find_duplicates(facts, findings, explained);
    find_absent(facts, findings, explained);
    return find_traffic(facts, explained, findings);
}

std::vector<std::string> names_of(const Facts& facts, const std::vector<std::size_t>& hosts) {
    std::vector<std::string> names;
    for (const std::size_t host : hosts) names.push_back(facts.hosts[host].name);
    return names;
}

std::string card_on(const Facts& facts, std::size_t network, std::size_t host) {
    for (const CardNetwork::Member& member : facts.networks[network].members)
        if (member.host == host) return facts.hosts[host].interfaces[member.interface].name;
    return {};
}

double usual_rate(const Facts& facts, std::size_t network) {
    std::vector<double> rates;
    for (const Pair& pair : facts.pairs)
        if (pair.network == network && pair.rate_Bps) rates.push_back(*pair.rate_Bps);
    return rates.empty() ? 0 : median(rates);
}

}  // namespace espalier::doctor
