#include "network/simgrid_xml.hpp"

#include "network/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

namespace espalier::network {

namespace {

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

/// A name beside `name` that no link of the network bears.
std::string free_link_name(const LinksNetwork& network, std::string name) {
    const auto is_taken = [&](const LinksNetwork::Link& link) { return link.name == name; };
    while (std::any_of(network.links.begin(), network.links.end(), is_taken)) name += '_';
    return name;
}

class Writer {
public:
    explicit Writer(const LinksNetwork& network)
        : network_(network),
          hosts_(network.hosts()),
          nothing_(free_link_name(network, "nothing")) {}

    std::string write() {
        add("<?xml version=\"1.0\"?>\n"
            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            "<!-- A unit of work is {:g} flop. -->\n"
            "<platform version=\"4.1\">\n  <zone id=\"network\" routing=\"Full\">\n",
            simgrid_flops_per_work);
        for (const std::size_t host : hosts_)
            add("    <host id=\"{}\" speed=\"{}f\"/>\n", escaped(network_.nodes[host].name),
                simgrid_flops_per_work / *network_.nodes[host].cycle_time);
        for (const auto& link : network_.links)
            add_link(link.name, link.bandwidth.value, link.latency.value,
                     link.kind == LinksNetwork::Kind::backbone ? "FATPIPE" : "SHARED");
        for (const std::size_t host : hosts_)
            if (has_startup(host))
                add_link(startup_name(host), unlimited, network_.nodes[host].startup, "FATPIPE");
        add_link(nothing_, unlimited, 0, "FATPIPE");
        add_routes();
        add("  </zone>\n</platform>\n");
        return std::move(text_);
    }

private:
    static constexpr double unlimited = 1e18;

    template <typename... Arguments>
    void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    }

    void add_link(const std::string& name, double bandwidth, double latency,
                  std::string_view policy) {
        add("    <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}s\" sharing_policy=\"{}\"/>\n",
            escaped(name), bandwidth, latency, policy);
    }

    [[nodiscard]] bool has_startup(std::size_t host) const {
        return network_.nodes[host].startup > 0;
    }
    [[nodiscard]] std::string startup_name(std::size_t host) const {
        return free_link_name(network_, "start-up of " + network_.nodes[host].name);
    }

    void add_routes() {
        const auto paths = routes(network_, hosts_);
        for (std::size_t i = 0; i < hosts_.size(); ++i)
            for (std::size_t j = 0; j < hosts_.size(); ++j)
                if (i != j) add_route(hosts_[i], hosts_[j], paths[i][j]);
    }

    void add_route(std::size_t from, std::size_t to, const std::vector<std::size_t>& links) {
        add("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">",
            escaped(network_.nodes[from].name), escaped(network_.nodes[to].name));
        const auto cross = [&](const std::string& name) {
            add("<link_ctn id=\"{}\"/>", escaped(name));
        };
        if (has_startup(from)) cross(startup_name(from));
        for (const std::size_t link : links) cross(network_.links[link].name);
        if (has_startup(to)) cross(startup_name(to));
        // A route has to cross something.
        if (links.empty()) cross(nothing_);
        add("</route>\n");
    }

    const LinksNetwork& network_;
    std::vector<std::size_t> hosts_;
    std::string nothing_;
    std::string text_;
};

}  // namespace

std::string to_simgrid_xml(const LinksNetwork& network) { return Writer(network).write(); }

std::string to_hostfile(const LinksNetwork& network) {
    std::string text;
    for (const std::size_t host : network.hosts()) text += network.nodes[host].name + '\n';
    return text;
}

}  // namespace espalier::network
