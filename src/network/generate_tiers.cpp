#include "network/generate_tiers.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace espalier::network {

namespace {

/// Cycle times relative to the fastest machine, for the same LINPACK-like work: a Pentium 4 of 1.7
/// GHz and an Athlon of 1.4 GHz, over Pentium III, Celeron 400 MHz and Pentium II 350 MHz, to a
/// Pentium Pro of 200 MHz.
constexpr std::array machine_cycle_times{1.0, 1.2, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0, 10.0};

/// The ranges from which the links of one class are drawn.
struct LinkClass {
    std::string_view name;
    std::span<const double> bandwidths;  ///< Mbit/s, as a tool that probes hop by hop sees them
    double latency_s;                    ///< of a link of no length
    double latency_per_distance_s;       ///< for the whole width of the level's square
};

constexpr std::array lan_bandwidths{9.1, 9.6, 33.0, 71.0, 88.0, 94.0};
constexpr std::array lan_man_bandwidths{8.8, 17.5, 33.0, 61.0, 92.0};
constexpr std::array man_bandwidths{15.0, 32.0, 48.0, 74.0, 141.0};
constexpr std::array man_wan_bandwidths{4.4, 7.9, 14.5, 21.0, 33.0, 52.0};
constexpr std::array wan_bandwidths{1.9, 3.6, 5.8, 9.7, 17.0, 28.0, 34.0, 72.0};

constexpr LinkClass lan{"lan", lan_bandwidths, 50e-6, 0};
constexpr LinkClass lan_man{"lan-man", lan_man_bandwidths, 200e-6, 0};
constexpr LinkClass man{"man", man_bandwidths, 200e-6, 1e-3};
constexpr LinkClass man_wan{"man-wan", man_wan_bandwidths, 1e-3, 0};
constexpr LinkClass wan{"wan", wan_bandwidths, 1e-3, 40e-3};

struct Point {
    double x = 0;
    double y = 0;
};

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

void check(const RandomTiersOptions& options) {
    const std::size_t nodes = options.hosts + options.routers;
    if (options.hosts == 0) throw InputError("hosts", "", "a platform has at least one host");
    if (options.links + 1 < nodes)
        throw InputError("links", "",
                         fmt::format("{} nodes need at least {} links, not {}", nodes, nodes - 1,
                                     options.links));
    if (nodes == 1 && options.links > 0)
        throw InputError("links", "", "there is nothing to join to a single node");
    if (const auto& range = options.cycle_times)
        if (!(range->least > 0 && range->least <= range->most && std::isfinite(range->most)))
            throw InputError("cycle times", "",
                             fmt::format("the range {} to {} is not 0 < least <= most",
                                         range->least, range->most));
    if (!(options.bandwidth_factor > 0 && std::isfinite(options.bandwidth_factor)))
        throw InputError("bandwidth factor", "", "it must be positive");
}

/// The number of nodes of each level.
struct Levels {
    std::size_t wan = 0;      ///< routers
    std::size_t man = 0;      ///< routers
    std::size_t centres = 0;  ///< local networks with a router at their centre
    std::size_t lans = 0;     ///< local networks; the further ones have a host at their centre
};

std::size_t part_of(std::size_t count, double fraction) {
    return static_cast<std::size_t>(std::llround(static_cast<double>(count) * fraction));
}

/// A fifth of the routers serve the wide area and half of them the metropolitan networks, give or
/// take a little; the rest are centres of local networks of two hosts or three. A local centre
/// comes first, then a metropolitan router, then the wide area. Routers left over are metropolitan.
Levels divide(const RandomTiersOptions& options, Random& random) {
    Levels levels;
    const std::size_t routers = options.routers;
    const double wide = random.uniform(0.16, 0.24);
    const double metropolitan = random.uniform(0.45, 0.55);
    if (routers >= 3) levels.wan = std::clamp<std::size_t>(part_of(routers, wide), 1, routers - 2);
    if (routers >= 2)
        levels.man =
            std::clamp<std::size_t>(part_of(routers, metropolitan), 1, routers - levels.wan - 1);
    const std::size_t wanted = std::max<std::size_t>(1, (options.hosts + 1) / 2);
    const std::size_t rest = routers - levels.wan - levels.man;
    levels.centres = std::min(rest, wanted);
    levels.man += rest - levels.centres;
    // At most 30% of the centres are hosts.
    levels.lans = std::clamp<std::size_t>(part_of(levels.centres, 1 / 0.7), 1, wanted);
    return levels;
}

class Builder {
public:
    Builder(const RandomTiersOptions& options, Random& random)
        : options_(options), random_(random), levels_(divide(options, random)) {}

    LinksNetwork build() {
        make_wide_area();
        make_metropolitan_networks();
        make_local_networks();
        while (network_.links.size() < options_.links) add_loop();
        number_hosts();
        return std::move(network_);
    }

private:
    std::size_t add_node(std::string name, Point place) {
        network_.nodes.push_back({.name = std::move(name), .cycle_time = std::nullopt});
        places_.push_back(place);
        return network_.nodes.size() - 1;
    }

    /// Adds a host without a name, which it gets from number_hosts().
    std::size_t add_host() {
        const std::size_t host = add_node({}, {});
        double& time = network_.nodes[host].cycle_time.emplace();
        if (const auto& range = options_.cycle_times)
            time =
                std::clamp(std::exp(random_.uniform(std::log(range->least), std::log(range->most))),
                           range->least, range->most);
        else
            time = machine_cycle_times.at(random_.below(machine_cycle_times.size()));
        return host;
    }

    Point draw_place() {
        const double x = random_.uniform();
        return {x, random_.uniform()};
    }

    void join(std::size_t from, std::size_t to, const LinkClass& link) {
        const double rate = link.bandwidths[random_.below(link.bandwidths.size())];
        const double latency =
            link.latency_s + link.latency_per_distance_s * distance(places_[from], places_[to]);
        network_.links.push_back({.name = fmt::format("{}-{}", link.name, count_[link.name]++),
                                  .ends = LinksNetwork::Ends{from, to},
                                  .bandwidth = BytesPerSecond(rate * options_.bandwidth_factor),
                                  .latency = Seconds(options_.latencies ? latency : 0),
                                  .kind = LinksNetwork::Kind::bidirectional});
        class_of_link_.push_back(&link);
        joined_.insert(std::minmax(from, to));
    }

    /// A spanning tree of least length (Prim).
    void join_all(const std::vector<std::size_t>& nodes, const LinkClass& link) {
        std::vector<double> nearest(nodes.size(), infinity);
        std::vector<std::size_t> partner(nodes.size(), 0);
        std::vector<char> reached(nodes.size(), 0);
        std::size_t newest = 0;
        for (std::size_t joined = 1; joined < nodes.size(); ++joined) {
            reached[newest] = 1;
            std::size_t next = nodes.size();
            for (std::size_t node = 0; node < nodes.size(); ++node) {
                if (reached[node] != 0) continue;
                const double length = distance(places_[nodes[newest]], places_[nodes[node]]);
                if (length < nearest[node]) {
                    nearest[node] = length;
                    partner[node] = newest;
                }
                if (next == nodes.size() || nearest[node] < nearest[next]) next = node;
            }
            join(nodes[partner[next]], nodes[next], link);
            newest = next;
        }
    }

    void make_wide_area() {
        for (std::size_t k = 0; k < levels_.wan; ++k)
            wan_.push_back(add_node(fmt::format("wan-{}", k), draw_place()));
        join_all(wan_, wan);
    }

    /// Three routers each, more or less; every wide area router gets one before any gets a second.
    void make_metropolitan_networks() {
        if (levels_.man == 0) return;
        const std::size_t count =
            wan_.empty() ? 1
                         : std::clamp<std::size_t>(part_of(levels_.man, 1.0 / 3), 1, levels_.man);
        std::vector<std::size_t> sizes(count, 1);
        for (std::size_t k = count; k < levels_.man; ++k) ++sizes[random_.below(count)];
        std::vector<std::size_t> turns = shuffled(wan_);
        for (std::size_t m = 0; m < count; ++m) {
            std::vector<std::size_t> routers;
            for (std::size_t k = 0; k < sizes[m]; ++k)
                routers.push_back(add_node(fmt::format("man-{}-{}", m, k), draw_place()));
            join_all(routers, man);
            if (!wan_.empty()) join(routers.front(), turns[m % turns.size()], man_wan);
            for (const std::size_t router : routers) {
                man_.push_back(router);
                man_of_.push_back(m);
            }
            mans_.push_back(std::move(routers));
        }
    }

    /// Makes the local networks: every metropolitan router gets one before any gets a second.
    void make_local_networks() {
        const std::size_t central_hosts =
            options_.routers == 0 ? 1 : levels_.lans - std::min(levels_.lans, levels_.centres);
        std::size_t leaves = options_.hosts - central_hosts;
        std::vector<std::size_t> sizes(levels_.lans, 0);
        for (std::size_t k = 0; k < sizes.size() && leaves > 0; ++k, --leaves) sizes[k] = 1;
        for (; leaves > 0; --leaves) ++sizes[random_.below(sizes.size())];
        const std::vector<std::size_t> turns = shuffled(man_);
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            const std::size_t centre = k < sizes.size() - central_hosts
                                           ? add_node(fmt::format("lan-{}", k), {})
                                           : add_host();
            if (!turns.empty()) join(centre, turns[k % turns.size()], lan_man);
            lan_centres_.push_back(centre);
            for (std::size_t leaf = 0; leaf < sizes[k]; ++leaf) join(add_host(), centre, lan);
        }
    }

    /// The nearest of the nodes that is not joined to this one yet.
    [[nodiscard]] std::optional<std::size_t> nearest_stranger(
        std::size_t node, const std::vector<std::size_t>& others) const {
        std::optional<std::size_t> best;
        for (const std::size_t other : others) {
            if (other == node || joined_.contains(std::minmax(node, other))) continue;
            if (!best ||
                distance(places_[node], places_[other]) < distance(places_[node], places_[*best]))
                best = other;
        }
        return best;
    }

    /// Adds a link between nodes that are not joined yet, of a class that is drawn: wide area half
    /// of the time. False if there are no such nodes.
    bool add_new_link() {
        const double drawn = random_.uniform();
        const auto any = [&](const auto& list) { return list[random_.below(list.size())]; };
        if (drawn < 0.5) return !wan_.empty() && join_nearest(any(wan_), wan_, wan);
        if (man_.empty()) return false;
        const std::size_t turn = random_.below(man_.size());
        if (drawn < 0.7) return join_nearest(man_[turn], mans_[man_of_[turn]], man);
        if (drawn < 0.9) return !wan_.empty() && join_nearest(man_[turn], {any(wan_)}, man_wan);
        return join_nearest(any(lan_centres_), mans_[man_of_[turn]], lan_man);
    }

    bool join_nearest(std::size_t node, const std::vector<std::size_t>& others,
                      const LinkClass& link) {
        const auto other = nearest_stranger(node, others);
        if (other) join(node, *other, link);
        return other.has_value();
    }

    void add_loop() {
        constexpr int attempts = 64;
        for (int attempt = 0; attempt < attempts; ++attempt)
            if (add_new_link()) return;
        const std::size_t twin = random_.below(network_.links.size());
        const LinksNetwork::Ends ends = *network_.links[twin].ends;
        join(ends.from, ends.to, *class_of_link_[twin]);
    }

    void number_hosts() {
        std::size_t next = 0;
        for (auto& node : network_.nodes)
            if (node.cycle_time) node.name = fmt::format("h{}", next++);
    }

    std::vector<std::size_t> shuffled(std::vector<std::size_t> list) {
        for (std::size_t k = list.size(); k > 1; --k)
            std::swap(list[k - 1], list[random_.below(k)]);
        return list;
    }

    const RandomTiersOptions& options_;
    Random& random_;
    Levels levels_;
    LinksNetwork network_;
    std::vector<Point> places_;  ///< of each node, in the square of its own network
    std::vector<const LinkClass*> class_of_link_;
    std::map<std::string_view, std::size_t> count_;  ///< of links of each class
    std::set<std::pair<std::size_t, std::size_t>> joined_;
    std::vector<std::size_t> wan_;
    std::vector<std::size_t> man_;                ///< routers of all metropolitan networks
    std::vector<std::size_t> man_of_;             ///< and to which of them each belongs
    std::vector<std::vector<std::size_t>> mans_;  ///< routers of each
    std::vector<std::size_t> lan_centres_;
};

}  // namespace

std::size_t default_tiers_routers(std::size_t hosts) { return part_of(hosts, 47.0 / 37); }

std::size_t default_tiers_links(std::size_t hosts, std::size_t routers) {
    const std::size_t nodes = hosts + routers;
    return nodes - 1 + nodes * 8 / 84;
}

LinksNetwork random_tiers(const RandomTiersOptions& options, Random& random) {
    check(options);
    return Builder(options, random).build();
}

}  // namespace espalier::network
