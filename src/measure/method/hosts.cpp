#include "measure/method/hosts.hpp"

#include "network/grid_view.hpp"

#include <algorithm>
#include <unordered_map>

namespace espalier::measure {

std::vector<Host> group_by_host(const std::vector<std::string>& names) {
    std::vector<Host> hosts;
    // Names that mean one host have their first label in common.
    std::unordered_map<std::string, std::vector<std::size_t>> by_label;
    for (std::size_t rank = 0; rank < names.size(); ++rank) {
        const std::string& name = names[rank];
        std::vector<std::size_t>& alike = by_label[name.substr(0, name.find('.'))];
        const auto same = std::find_if(alike.begin(), alike.end(), [&](std::size_t host) {
            return network::same_host(hosts[host].name, name);
        });
        if (same == alike.end()) {
            alike.push_back(hosts.size());
            hosts.push_back({name, {rank}});
            continue;
        }
        Host& host = hosts[*same];
        host.ranks.push_back(rank);
        if (name.size() > host.name.size()) host.name = name;
    }
    return hosts;
}

std::vector<std::string> names_of(const std::vector<Host>& hosts) {
    std::vector<std::string> names;
    for (const Host& host : hosts) names.push_back(host.name);
    return names;
}

}  // namespace espalier::measure
