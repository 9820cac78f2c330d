#include "network/links_json.hpp"

#include "core/json_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

namespace espalier::network {

namespace {

using Kind = LinksNetwork::Kind;

/// Numbers by name, and a complaint about names that nobody bears.
class Index {
public:
    explicit Index(std::string_view what) : what_(what) {}

    void add(const JsonValue& name, std::size_t number) {
        if (!numbers_.emplace(name.string(), number).second)
            name.fail(fmt::format("the name '{}' is used twice", name.string()));
    }
    [[nodiscard]] std::size_t operator[](const JsonValue& name) const {
        const auto found = numbers_.find(name.string());
        if (found == numbers_.end())
            name.fail(fmt::format("no {} is named '{}'", what_, name.string()));
        return found->second;
    }

private:
    std::string_view what_;
    std::unordered_map<std::string, std::size_t> numbers_;
};

Kind read_kind(const JsonValue& kind) {
    const std::string name = kind.string();
    if (name == "directed") return Kind::directed;
    if (name == "bidirectional") return Kind::bidirectional;
    if (name != "backbone")
        kind.fail(fmt::format("'{}' is not directed, bidirectional or backbone", name));
    return Kind::backbone;
}

LinksNetwork::Node read_node(const JsonValue& object) {
    object.allow_only({"name", "cycle_time", "startup_s"});
    LinksNetwork::Node node{object.at("name").string(), std::nullopt, 0};
    if (const auto time = object.find("cycle_time")) node.cycle_time = time->positive();
    if (const auto startup = object.find("startup_s")) node.startup = startup->number();
    return node;
}

LinksNetwork::Link read_link(const JsonValue& object, const Index& nodes) {
    object.allow_only({"name", "from", "to", "bandwidth", "latency", "kind"});
    std::optional<LinksNetwork::Ends> ends;
    if (object.has("from") || object.has("to"))
        ends = LinksNetwork::Ends{nodes[object.at("from")], nodes[object.at("to")]};
    return {object.at("name").string(), ends, BytesPerSecond(object.at("bandwidth").positive()),
            Seconds(object.at("latency").number()), read_kind(object.at("kind"))};
}

LinksNetwork::Route read_route(const JsonValue& object, const Index& nodes, const Index& links) {
    object.allow_only({"from", "to", "links"});
    LinksNetwork::Route route{nodes[object.at("from")], nodes[object.at("to")], {}};
    for (const auto& name : object.at("links").array()) route.links.push_back(links[name]);
    return route;
}

Json link_json(const LinksNetwork& network, const LinksNetwork::Link& link) {
    constexpr std::array<const char*, 3> kinds{"directed", "bidirectional", "backbone"};
    Json object{{"name", link.name}};
    if (link.ends) {
        object["from"] = network.nodes[link.ends->from].name;
        object["to"] = network.nodes[link.ends->to].name;
    }
    object["bandwidth"] = link.bandwidth.value;
    object["latency"] = link.latency.value;
    object["kind"] = kinds.at(static_cast<std::size_t>(link.kind));
    return object;
}

}  // namespace

LinksNetwork read_links(const JsonValue& document) {
    document.allow_only({"format", "version", "model", "nodes", "links", "routes"});
    LinksNetwork network;
    Index nodes("node");
    for (const auto& object : document.at("nodes").array()) {
        network.nodes.push_back(read_node(object));
        nodes.add(object.at("name"), network.nodes.size() - 1);
    }
    Index links("link");
    for (const auto& object : document.at("links").array()) {
        network.links.push_back(read_link(object, nodes));
        links.add(object.at("name"), network.links.size() - 1);
    }
    if (const auto routes = document.find("routes"))
        for (const auto& object : routes->array())
            network.routes.push_back(read_route(object, nodes, links));
    return network;
}

void write_links(const LinksNetwork& network, Json& document) {
    document["nodes"] = Json::array();
    for (const auto& node : network.nodes) {
        Json object{{"name", node.name}};
        if (node.cycle_time) object["cycle_time"] = *node.cycle_time;
        if (node.startup > 0) object["startup_s"] = node.startup;
        document["nodes"].push_back(std::move(object));
    }
    document["links"] = Json::array();
    for (const auto& link : network.links) document["links"].push_back(link_json(network, link));
    if (network.routes.empty()) return;
    document["routes"] = Json::array();
    for (const auto& route : network.routes) {
        Json names = Json::array();
        for (const std::size_t link : route.links) names.push_back(network.links[link].name);
        document["routes"].push_back({{"from", network.nodes[route.from].name},
                                      {"to", network.nodes[route.to].name},
                                      {"links", std::move(names)}});
    }
}

}  // namespace espalier::network
