#include "ring/wandering_routes.hpp"

#include "ring/routes.hpp"

#include <utility>

namespace espalier::test {

network::LinksNetwork with_wandering_routes(Random& random, network::LinksNetwork network) {
    const ring::Platform platform(network);
    const auto routes = ring::shortest_routes(platform);
    for (ring::Host from = 0; from < platform.hosts(); ++from)
        for (ring::Host to = 0; to < platform.hosts(); ++to) {
            if (from == to) continue;
            const auto& route = routes(from, to);
            network::LinksNetwork::Route listed{
                platform.vertex_of(from), platform.vertex_of(to), {route.begin(), route.end()}};
            // To the end of a link and back again.
            if (random.uniform() < 0.3 &&
                network.links[route.front()].kind != network::LinksNetwork::Kind::directed)
                listed.links.insert(listed.links.begin(), 2, route.front());
            network.routes.push_back(std::move(listed));
        }
    return network;
}

}  // namespace espalier::test
