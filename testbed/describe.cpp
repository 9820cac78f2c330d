#include "testbed/describe.hpp"

#include "core/table.hpp"
#include "core/text.hpp"
#include "testbed/expect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace espalier::testbed {

namespace {

/// More rows than these say no more.
constexpr std::size_t most_rows = 100;

/// Who sends and receives across a queue.
struct Users {
    std::set<std::size_t> senders;
    std::set<std::size_t> receivers;
    std::size_t paths = 0;
};

struct Cluster {
    std::string name;
    std::string site;
    std::vector<std::size_t> hosts;
};

std::vector<Cluster> clusters_of(const Topology& topology) {
    std::vector<Cluster> clusters;
    std::map<std::pair<std::string, std::string>, std::size_t> numbers;
    for (std::size_t host = 0; host < topology.hosts.size(); ++host) {
        const Host& member = topology.hosts[host];
        const auto [known, fresh] =
            numbers.try_emplace({member.site, member.cluster}, clusters.size());
        if (fresh) clusters.push_back({member.cluster, member.site, {}});
        clusters[known->second].hosts.push_back(host);
    }
    return clusters;
}

std::vector<Users> users_of(const Topology& topology) {
    std::vector<Users> users(topology.queues.size());
    for (std::size_t from = 0; from < topology.hosts.size(); ++from)
        for (std::size_t to = 0; to < topology.hosts.size(); ++to)
            for (const std::uint32_t queue : queues_of(topology.paths(from, to))) {
                users[queue].senders.insert(from);
                users[queue].receivers.insert(to);
                ++users[queue].paths;
            }
    return users;
}

/// A text with how many more rows there would be.
std::string text_of(const Table& table, std::size_t rows) {
    std::string text = table.text();
    if (rows > table.size()) text += fmt::format("  and {} more\n", rows - table.size());
    return text;
}

class Description {
public:
    explicit Description(const Topology& topology)
        : topology_(topology), clusters_(clusters_of(topology)), users_(users_of(topology)) {}

    [[nodiscard]] std::string text() const {
        std::set<std::string> sites;
        for (const Cluster& cluster : clusters_)
            if (!cluster.site.empty()) sites.insert(cluster.site);
        std::string head = fmt::format("{} in {}", counted(topology_.hosts.size(), "host"),
                                       counted(clusters_.size(), "cluster"));
        if (!sites.empty()) head += fmt::format(" on {}", counted(sites.size(), "site"));
        return head + "\n" + hosts() + shared() + paths();
    }

private:
    [[nodiscard]] std::string hosts() const {
        Table table(
            {{"cluster"}, {"site"}, {"hosts"}, {"latency inside"}, {"a host sends"}, {"receives"}});
        std::size_t rows = 0;
        for (const Cluster& cluster : clusters_) {
            if (++rows > most_rows) continue;
            const auto name = [&](std::size_t host) { return topology_.hosts[host].name; };
            std::string names = name(cluster.hosts.front());
            if (cluster.hosts.size() > 1)
                names = fmt::format("{}: {} … {}", cluster.hosts.size(), names,
                                    name(cluster.hosts.back()));
            const std::string inside =
                cluster.hosts.size() > 1
                    ? format_seconds(topology_.paths(cluster.hosts[0], cluster.hosts[1]).latency)
                    : "";
            table.add({cluster.name, cluster.site, names, inside, rates(cluster, true),
                       rates(cluster, false)});
        }
        return text_of(table, rows);
    }

    /// The rates of all hosts of a cluster: `400 Mbit/s`, `100 Mbit/s to 400 Mbit/s`.
    [[nodiscard]] std::string rates(const Cluster& cluster, bool sends) const {
        std::vector<BytesPerSecond> rates;
        for (const std::size_t host : cluster.hosts)
            if (const auto own = own_queue(host, sends))
                rates.push_back(topology_.queues[*own].rate);
        if (rates.empty()) return "";
        const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
        return *least == *most ? format_bits(*least)
                               : fmt::format("{} to {}", format_bits(*least), format_bits(*most));
    }

    /// The queue that all that a host sends, or receives, crosses first, or last, and no other
    /// host's.
    [[nodiscard]] std::optional<std::uint32_t> own_queue(std::size_t host, bool sends) const {
        if (topology_.hosts.size() < 2) return std::nullopt;
        const std::size_t other = host == 0 ? 1 : 0;
        const auto queues =
            queues_of(sends ? topology_.paths(host, other) : topology_.paths(other, host));
        if (queues.empty()) return std::nullopt;
        const std::uint32_t queue = sends ? queues.front() : queues.back();
        const Users& users = users_[queue];
        const auto& ends = sends ? users.senders : users.receivers;
        if (ends.size() == 1 && users.paths == topology_.hosts.size() - 1) return queue;
        return std::nullopt;
    }

    [[nodiscard]] std::string shared() const {
        Table table({{"shared"}, {"rate"}, {"holds"}, {"paths across", Table::Align::right}});
        std::size_t rows = 0;
        for (std::size_t q = 0; q < topology_.queues.size(); ++q) {
            const Users& users = users_[q];
            if (users.senders.size() < 2 || users.receivers.size() < 2) continue;
            const Queue& queue = topology_.queues[q];
            if (++rows <= most_rows)
                table.add({queue.name, format_bits(queue.rate), format_bytes(queue.buffer),
                           std::to_string(users.paths)});
        }
        return rows == 0 ? "" : "\n" + text_of(table, rows);
    }

    /// A table of the paths from the first host of each cluster to the first of each other.
    [[nodiscard]] std::string paths() const {
        Table table({{"from"}, {"to"}, {"latency"}, {"rate"}, {"across"}});
        std::size_t rows = 0;
        for (const Cluster& from : clusters_)
            for (const Cluster& to : clusters_)
                if (&from != &to && ++rows <= most_rows) table.add(path(from, to));
        return rows == 0 ? "" : "\n" + text_of(table, rows);
    }

    [[nodiscard]] std::vector<std::string> path(const Cluster& from, const Cluster& to) const {
        const HostPair pair{from.hosts.front(), to.hosts.front()};
        const Path& path = topology_.paths(pair.from, pair.to);
        const auto sends = own_queue(pair.from, true);
        const auto receives = own_queue(pair.to, false);
        std::vector<std::string> across;
        for (const std::uint32_t queue : queues_of(path))
            if (queue != sends && queue != receives) across.push_back(topology_.queues[queue].name);
        const BytesPerSecond rate = fair_rates(topology_, {pair}).front();
        return {from.name, to.name, format_seconds(path.latency), format_bits(rate),
                fmt::format("{}", fmt::join(across, ", "))};
    }

    const Topology& topology_;
    std::vector<Cluster> clusters_;
    std::vector<Users> users_;
};

}  // namespace

std::string describe(const Topology& topology) { return Description(topology).text(); }

std::string format_bits(BytesPerSecond rate) {
    constexpr std::array<std::string_view, 5> units{"bit/s", "kbit/s", "Mbit/s", "Gbit/s",
                                                    "Tbit/s"};
    double scaled = rate.value * 8;
    std::size_t unit = 0;
    while (scaled >= 999.5 && unit + 1 < units.size()) {
        scaled /= 1000;
        ++unit;
    }
    return fmt::format("{:.3g} {}", scaled, units.at(unit));
}

}  // namespace espalier::testbed
