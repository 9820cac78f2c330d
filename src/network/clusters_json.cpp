#include "network/clusters_json.hpp"

#include "core/files.hpp"
#include "core/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace espalier::network {

NamedPartition with_names(const Partition& partition, const std::vector<std::string>& names) {
    NamedPartition named{partition.tolerance, {}, {}};
    for (const auto& cluster : partition.clusters) {
        auto& members = named.clusters.emplace_back();
        for (const std::size_t node : cluster) members.push_back(names.at(node));
    }
    for (const std::size_t node : partition.unplaced) named.unplaced.push_back(names.at(node));
    return named;
}

Json to_json(const NamedPartition& partition) {
    Json document{{"format", "espalier-clusters"},
                  {"version", 1},
                  {"tolerance", partition.tolerance},
                  {"clusters", partition.clusters}};
    if (!partition.unplaced.empty()) document["unplaced"] = partition.unplaced;
    return document;
}

NamedPartition parse_clusters(const std::string& text, const std::string& source) {
    Json storage;
    const JsonValue document = JsonValue::parse(source, text, storage);
    require_format(document, "espalier-clusters");
    document.allow_only({"format", "version", "tolerance", "clusters", "unplaced"});

    NamedPartition partition{document.at("tolerance").number(), {}, {}};
    std::unordered_set<std::string> seen;
    for (const JsonValue& cluster : document.at("clusters").array()) {
        auto& members = partition.clusters.emplace_back();
        for (const JsonValue& member : cluster.array()) {
            members.push_back(member.string());
            if (!seen.insert(members.back()).second)
                member.fail(fmt::format("'{}' is in a cluster already", members.back()));
        }
        if (members.empty()) cluster.fail("an empty cluster");
    }
    if (const auto unplaced = document.find("unplaced")) {
        std::unordered_set<std::string> named;
        for (const JsonValue& node : unplaced->array()) {
            const std::vector<std::string> alone{node.string()};
            if (std::find(partition.clusters.begin(), partition.clusters.end(), alone) ==
                partition.clusters.end())
                node.fail(fmt::format("'{}' is not a cluster of one", alone.front()));
            if (!named.insert(alone.front()).second)
                node.fail(fmt::format("'{}' stands there twice", alone.front()));
            partition.unplaced.push_back(alone.front());
        }
    }
    return partition;
}

NamedPartition read_clusters(const std::string& path) {
    return parse_clusters(read_file(path), path);
}

}  // namespace espalier::network
