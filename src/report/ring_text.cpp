#include "report/ring_text.hpp"

#include "report/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::report {

namespace {

/// The set of rings among which an optimal one is the best.
std::string_view words_for_scope(std::string_view scope) {
    if (scope == "widest-paths") return " over all rings with widest paths";
    if (scope == "shortest-paths") return " over all rings with shortest paths";
    if (scope == "all-paths") return " over all rings and all simple paths";
    if (scope == "routes") return " over all rings along the network's routes";
    return "";
}

}  // namespace

std::string format_number(double value) { return fmt::format("{:.6g}", value); }

std::string title_of(const schedule::Ring& ring, const network::LinksNetwork& network) {
    std::string out =
        fmt::format("Ring of {} of {} hosts", ring.order.size(), network.hosts().size());
    if (!ring.algorithm.empty()) out += ", by " + ring.algorithm;
    if (ring.refinement != "none" && !ring.refinement.empty()) out += " with " + ring.refinement;
    return out;
}

std::string distance_from_best(const schedule::Ring& ring) {
    if (ring.optimal) return fmt::format("proven optimal{}", words_for_scope(ring.scope));
    if (ring.lower_bound <= 0) return "";
    return percent_over(Seconds(ring.step_time), Seconds(ring.lower_bound)) +
           " over the best possible";
}

std::string subtitle_of(const schedule::Ring& ring) {
    std::string out = "step time " + format_number(ring.step_time);
    if (const std::string distance = distance_from_best(ring); !distance.empty())
        out += ", " + distance;
    if (ring.lower_bound > 0) out += " · lower bound " + format_number(ring.lower_bound);
    return out +
           fmt::format(" · work {} · exchange {} · bandwidth {}", format_number(ring.work),
                       format_number(ring.exchange),
                       ring.sharing == schedule::RingSharing::fair ? "shared fairly" : "reserved");
}

std::vector<LinkUse> link_use(const schedule::Ring& ring, const network::LinksNetwork& network) {
    std::vector<LinkUse> uses(network.links.size());
    for (std::size_t id = 0; id < uses.size(); ++id) uses[id].link = id;
    for (const schedule::RingPath& path : ring.paths) {
        const double rate = ring.sharing == schedule::RingSharing::fair
                                ? ring.exchange / ring.step_time
                                : path.bandwidth;
        for (const std::size_t id : path.links) {
            const network::LinksNetwork::Link& link = network.links[id];
            LinkUse& use = uses[id];
            const double part = rate / link.bandwidth.value;
            ++use.paths;
            use.part = link.kind == network::LinksNetwork::Kind::backbone ? std::max(use.part, part)
                                                                          : use.part + part;
        }
    }
    return uses;
}

}  // namespace espalier::report
