#include "network/cluster_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <set>

namespace espalier::network {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// The common beginning of the names, without half a number or a separator at its end.
std::string common_name(const std::vector<std::string>& hosts) {
    std::string prefix = hosts.front();
    for (const std::string& host : hosts) {
        const auto [end, unused] =
            std::mismatch(prefix.begin(), prefix.end(), host.begin(), host.end());
        prefix.erase(end, prefix.end());
    }
    const bool cuts_a_number = std::any_of(hosts.begin(), hosts.end(), [&](const auto& host) {
        return host.size() > prefix.size() && is_digit(host[prefix.size()]);
    });
    while (cuts_a_number && !prefix.empty() && is_digit(prefix.back())) prefix.pop_back();
    while (!prefix.empty() && !is_alphanumeric(prefix.back())) prefix.pop_back();
    return prefix;
}

}  // namespace

std::vector<std::string> name_clusters(const std::vector<std::vector<std::string>>& clusters) {
    std::vector<std::string> names;
    std::map<std::string, std::size_t> uses;
    std::set<std::string> host_names;
    for (const auto& hosts : clusters) {
        names.push_back(hosts.size() > 1 ? common_name(hosts) : hosts.front());
        ++uses[names.back()];
        host_names.insert(hosts.begin(), hosts.end());
    }
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        const bool is_a_host = clusters[c].size() > 1 && host_names.contains(names[c]);
        if (names[c].empty() || uses[names[c]] > 1 || is_a_host) names[c] = clusters[c].front();
    }
    return names;
}

}  // namespace espalier::network
