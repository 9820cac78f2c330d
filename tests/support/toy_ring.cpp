#include "support/toy_ring.hpp"

namespace espalier::test {

using network::LinksNetwork;
using schedule::StatedRing;

LinksNetwork toy_platform() {
    LinksNetwork network;
    for (const auto* name : {"P1", "P2", "P3", "P4", "P5", "Q", "R"})
        network.nodes.push_back({name, static_cast<double>(network.nodes.size() + 1), 0});
    const auto join = [&](const char* name, std::size_t from, std::size_t to, double bandwidth) {
        network.links.push_back({name, LinksNetwork::Ends{from, to}, BytesPerSecond(bandwidth),
                                 Seconds(0), LinksNetwork::Kind::bidirectional});
    };
    join("a", 0, 5, 6);
    join("b", 1, 5, 8);
    join("c", 1, 6, 5);
    join("d", 6, 2, 12);
    join("e", 6, 3, 9);
    join("f", 3, 1, 10);
    join("g", 5, 4, 7);
    join("h", 0, 4, 4);
    return network;
}

StatedRing toy_ring() {
    StatedRing ring;
    ring.work = 100;
    ring.exchange = 6;
    ring.order = {"P1", "P2", "P3", "P4", "P5"};
    ring.paths = {
        {"P1", "P2", {"a", "b"}, 2},      {"P1", "P5", {"h"}, 4.0 / 3},
        {"P2", "P3", {"c", "d"}, 3},      {"P2", "P1", {"b", "g", "h"}, 4.0 / 3},
        {"P3", "P4", {"d", "e"}, 3},      {"P3", "P2", {"d", "e", "f"}, 3},
        {"P4", "P5", {"f", "b", "g"}, 2}, {"P4", "P3", {"e", "d"}, 3},
        {"P5", "P1", {"h"}, 4.0 / 3},     {"P5", "P4", {"g", "b", "f"}, 2},
    };
    // H (c_pred + c_succ) of each host is 7.5, 6.5, 4, 5 and 7.5; the rest of its time is work.
    const double communication[] = {7.5, 6.5, 4, 5, 7.5};
    ring.step_time = 6890.0 / 137;
    for (std::size_t i = 0; i < 5; ++i)
        ring.shares.emplace_back(ring.order[i], (ring.step_time - communication[i]) /
                                                    (static_cast<double>(i + 1) * 100));
    ring.lower_bound = 10;
    return ring;
}

}  // namespace espalier::test
