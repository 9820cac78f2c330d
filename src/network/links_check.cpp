#include "network/links_check.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <vector>

namespace espalier::network {

namespace {

using Link = LinksNetwork::Link;
using Route = LinksNetwork::Route;

class LinksChecker {
public:
    LinksChecker(const LinksNetwork& network, const std::string& source)
        : network_(network), source_(source) {}

    void check() const {
        if (network_.nodes.empty()) fail("nodes", "no node");
        check_nodes();
        std::unordered_set<std::string_view> names;
        for (const Link& link : network_.links) {
            check_name(names, link.name, "links");
            check_link(link);
        }
        check_routes();
    }

private:
    [[noreturn]] void fail(const std::string& field, const std::string& problem) const {
        throw InputError(source_, field, problem);
    }

    void check_name(std::unordered_set<std::string_view>& names, const std::string& name,
                    const std::string& field) const {
        if (name.empty()) fail(field, "an empty name");
        if (!names.insert(name).second)
            fail(field, fmt::format("the name '{}' is used twice", name));
    }

    void check_nodes() const {
        std::unordered_set<std::string_view> names;
        for (const auto& node : network_.nodes) {
            check_name(names, node.name, "nodes");
            if (node.cycle_time && !(std::isfinite(*node.cycle_time) && *node.cycle_time > 0))
                fail("nodes", fmt::format("'{}' has no positive cycle_time", node.name));
            if (!(std::isfinite(node.startup) && node.startup >= 0))
                fail("nodes", fmt::format("'{}' has a start-up that is no time", node.name));
        }
    }

    void check_link(const Link& link) const {
        const auto refuse = [&](const char* problem) {
            fail("links", fmt::format("'{}' {}", link.name, problem));
        };
        if (!link.ends && network_.routes.empty()) refuse("has no ends, and there are no routes");
        if (link.ends) {
            if (link.ends->from >= network_.nodes.size() || link.ends->to >= network_.nodes.size())
                refuse("joins a node that does not exist");
            if (link.ends->from == link.ends->to) refuse("joins a node to itself");
        }
        if (!(std::isfinite(link.bandwidth.value) && link.bandwidth.value > 0))
            refuse("has no positive bandwidth");
        if (!(std::isfinite(link.latency.value) && link.latency.value >= 0))
            refuse("has a latency that is no time");
    }

    void check_routes() const {
        if (network_.routes.empty()) return;
        const std::size_t count = network_.nodes.size();
        std::unordered_set<std::size_t> listed;
        for (std::size_t r = 0; r < network_.routes.size(); ++r) {
            const Route& route = network_.routes[r];
            const auto refuse = [&](const std::string& problem) {
                fail(fmt::format("routes[{}]", r), problem);
            };
            if (route.from >= count || route.to >= count)
                refuse("it joins a node that does not exist");
            if (route.from == route.to)
                refuse(fmt::format("it leads from '{}' to itself", name_of(route.from)));
            if (!listed.insert(route.from * count + route.to).second)
                refuse(fmt::format("one more route from '{}' to '{}'", name_of(route.from),
                                   name_of(route.to)));
            if (const auto problem = fault_of(route)) refuse(*problem);
        }
        const auto hosts = network_.hosts();
        for (const std::size_t from : hosts)
            for (const std::size_t to : hosts)
                if (from != to && !listed.contains(from * count + to))
                    fail("routes", fmt::format("there is none from '{}' to '{}'", name_of(from),
                                               name_of(to)));
    }

    /// Follows the route. A link without ends may lead anywhere, and a link with ends that comes
    /// after it may be crossed either way.
    [[nodiscard]] std::optional<std::string> fault_of(const Route& route) const {
        std::vector<std::size_t> places{route.from};  // where the message can be; empty: anywhere
        for (const std::size_t id : route.links) {
            if (id >= network_.links.size()) return "it crosses a link that does not exist";
            const Link& link = network_.links[id];
            std::vector<std::size_t> next;
            const auto can_be_at = [&](std::size_t node) {
                return places.empty() || std::ranges::find(places, node) != places.end();
            };
            if (link.ends) {
                if (can_be_at(link.ends->from)) next.push_back(link.ends->to);
                if (link.kind != LinksNetwork::Kind::directed && can_be_at(link.ends->to))
                    next.push_back(link.ends->from);
                if (next.empty()) return fault_at(places.front(), link);
            }
            places = std::move(next);
        }
        if (route.links.empty() || places.empty() ||
            std::ranges::find(places, route.to) != places.end())
            return std::nullopt;
        return fmt::format("it ends at '{}', not '{}'", name_of(places.front()), name_of(route.to));
    }

    [[nodiscard]] std::string fault_at(std::size_t node, const Link& link) const {
        return fmt::format("link '{}' does not lead on from '{}'", link.name, name_of(node));
    }

    [[nodiscard]] const std::string& name_of(std::size_t node) const {
        return network_.nodes[node].name;
    }

    const LinksNetwork& network_;
    const std::string& source_;
};

}  // namespace

void check_links(const LinksNetwork& network, const std::string& source) {
    LinksChecker(network, source).check();
}

}  // namespace espalier::network
