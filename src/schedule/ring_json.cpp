#include "schedule/ring_json.hpp"

#include "core/files.hpp"
#include "core/infinity.hpp"
#include "core/json_reader.hpp"

#include <fmt/format.h>

namespace espalier::schedule {

namespace {

StatedRing::Path read_path(const JsonValue& object) {
    object.allow_only({"from", "to", "links", "bandwidth"});
    StatedRing::Path path{object.at("from").string(), object.at("to").string(), {}, 0};
    for (const JsonValue& link : object.at("links").array()) path.links.push_back(link.string());
    const JsonValue bandwidth = object.at("bandwidth");
    path.bandwidth = path.links.empty() && bandwidth.is_null() ? infinity : bandwidth.positive();
    return path;
}

/// Reads how the ring came about: its workload and settings, beside what makes the ring itself.
void read_origin(const JsonValue& document, StatedRing& ring) {
    if (const auto work = document.find("work")) ring.work = work->positive();
    if (const auto exchange = document.find("exchange")) ring.exchange = exchange->positive();
    if (const auto sharing = document.find("sharing")) {
        const auto found = find_sharing(sharing->string());
        if (!found) sharing->fail(fmt::format("'{}' is not reserved or fair", sharing->string()));
        ring.sharing = *found;
    }
    for (const auto& [field, text] :
         {std::pair("scope", &ring.scope), std::pair("algorithm", &ring.algorithm),
          std::pair("refinement", &ring.refinement), std::pair("network", &ring.network)})
        if (const auto value = document.find(field)) *text = value->string();
}

}  // namespace

Json to_json(const Ring& ring, const network::LinksNetwork& network) {
    Json document{{"format", "espalier-ring"}, {"version", 1}};
    if (!ring.network.empty()) document["network"] = ring.network;
    if (!ring.algorithm.empty()) document["algorithm"] = ring.algorithm;
    document["refinement"] = ring.refinement;
    document["sharing"] = name_of(ring.sharing);
    document["work"] = ring.work;
    document["exchange"] = ring.exchange;
    document["step_time"] = ring.step_time;
    document["lower_bound"] = ring.lower_bound;
    document["optimal"] = ring.optimal;
    if (!ring.scope.empty()) document["scope"] = ring.scope;
    Json order = Json::array();
    Json shares = Json::object();
    for (std::size_t place = 0; place < ring.order.size(); ++place) {
        const std::string& name = network.nodes[ring.order[place]].name;
        order.push_back(name);
        shares[name] = ring.shares[place];
    }
    document["ring"] = std::move(order);
    document["shares"] = std::move(shares);
    Json paths = Json::array();
    for (const RingPath& path : ring.paths) {
        Json links = Json::array();
        for (const std::size_t link : path.links) links.push_back(network.links[link].name);
        paths.push_back({{"from", network.nodes[path.from].name},
                         {"to", network.nodes[path.to].name},
                         {"links", std::move(links)},
                         {"bandwidth", path.links.empty() ? Json() : Json(path.bandwidth)}});
    }
    document["paths"] = std::move(paths);
    return document;
}

StatedRing parse_ring(const std::string& text, const std::string& source) {
    Json storage;
    const JsonValue document = JsonValue::parse(source, text, storage);
    require_format(document, "espalier-ring");
    document.allow_only({"format", "version", "network", "algorithm", "refinement", "sharing",
                         "work", "exchange", "step_time", "lower_bound", "optimal", "scope", "ring",
                         "shares", "paths"});
    StatedRing ring;
    ring.step_time = document.at("step_time").number();
    ring.lower_bound = document.at("lower_bound").number();
    ring.optimal = document.at("optimal").boolean();
    for (const JsonValue& host : document.at("ring").array()) ring.order.push_back(host.string());
    if (ring.order.empty()) document.at("ring").fail("no host");
    for (const auto& [name, share] : document.at("shares").fields())
        ring.shares.emplace_back(name, share.number());
    for (const JsonValue& path : document.at("paths").array())
        ring.paths.push_back(read_path(path));
    read_origin(document, ring);
    return ring;
}

StatedRing read_ring(const std::string& path) { return parse_ring(read_file(path), path); }

}  // namespace espalier::schedule
