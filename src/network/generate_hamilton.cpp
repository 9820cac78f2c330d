#include "network/generate_hamilton.hpp"

#include "core/error.hpp"
#include "core/matrix.hpp"

#include <fmt/format.h>

namespace espalier::network {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

Matrix<char> adjacency(std::size_t vertices, const Edges& edges) {
    if (vertices < 2)
        throw InputError("graph", "vertices", fmt::format("{}: at least 2 are needed", vertices));
    Matrix<char> joined(vertices, vertices, 0);
    for (const auto& [a, b] : edges) {
        const auto fail = [&, one = a, other = b](const char* problem) {
            throw InputError("graph", "edges", fmt::format("{}-{}: {}", one, other, problem));
        };
        if (a >= vertices || b >= vertices) fail("no such vertex");
        if (a == b) fail("joins a vertex to itself");
        if (joined(a, b) != 0) fail("listed twice");
        joined(a, b) = joined(b, a) = 1;
    }
    return joined;
}

}  // namespace

HamiltonPlatform hamilton_platform(std::size_t vertices, const Edges& edges, double epsilon,
                                   HamiltonPaths paths) {
    const Matrix<char> joined = adjacency(vertices, edges);
    if (!(epsilon > 0 && epsilon < 0.5))
        throw InputError("graph", "epsilon", fmt::format("{}: not between 0 and 1/2", epsilon));

    HamiltonPlatform platform;
    platform.bound = 1 + 2 * epsilon;
    LinksNetwork& network = platform.network;
    const auto add = [&](std::string name, std::size_t from, std::size_t to, double bandwidth) {
        network.links.push_back({std::move(name), LinksNetwork::Ends{from, to},
                                 BytesPerSecond(bandwidth), Seconds(0),
                                 LinksNetwork::Kind::directed});
    };
    for (std::size_t v = 0; v < vertices; ++v)
        network.nodes.push_back({fmt::format("v{}", v), static_cast<double>(vertices), 0});
    const bool guarded = paths == HamiltonPaths::guarded;
    for (std::size_t v = 0; guarded && v < vertices; ++v) {
        const std::size_t entrance = network.nodes.size();
        network.nodes.push_back({fmt::format("in{}", v), {}, 0});
        network.nodes.push_back({fmt::format("out{}", v), {}, 0});
        add(fmt::format("in{}", v), entrance, v, 2 / epsilon);
        add(fmt::format("out{}", v), v, entrance + 1, 2 / epsilon);
    }
    const auto entrance = [&](std::size_t v) { return guarded ? vertices + 2 * v : v; };
    const auto exit = [&](std::size_t v) { return guarded ? vertices + 2 * v + 1 : v; };
    for (std::size_t from = 0; from < vertices; ++from) {
        for (std::size_t to = 0; to < vertices; ++to) {
            if (from == to) continue;
            if (paths == HamiltonPaths::direct)
                network.routes.push_back({from, to, {network.links.size()}});
            add(fmt::format("{}-{}", from, to), exit(from), entrance(to),
                joined(from, to) != 0 ? 1 / epsilon : 0.5);
        }
    }
    return platform;
}

}  // namespace espalier::network
