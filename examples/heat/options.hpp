#pragma once

#include <espalier/ring.hpp>

#include <optional>
#include <stdexcept>
#include <string>

namespace heat {

/// Bad usage: one line.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A host that computes more slowly from some step on.
struct Slowdown {
    std::string host;
    int step = 0;
    double factor = 1;
};

struct Options {
    std::string network;
    int rows = 1024;
    int columns = 1024;
    int steps = 100;
    double work = 0;  ///< 0: the number of columns
    espalier::RingOrder order = espalier::RingOrder::planned;
    std::uint64_t seed = 1;
    double planning_seconds = 2;
    std::optional<Slowdown> slowdown;
    int adapt_every = 0;  ///< steps; 0: never
    bool check = false;
    bool help = false;
};

/// Throws UsageError.
[[nodiscard]] Options parse(int argc, char** argv);

inline constexpr const char* usage =
    "heat --network NET.json [options]: a heat equation, sliced over a ring of hosts\n"
    "  --rows N             of the grid; each neighbour gets 8 N bytes a step (1024)\n"
    "  --columns N          of the grid, to be sliced (1024)\n"
    "  --steps N            (100)\n"
    "  --work W             of a step, in the unit of the network's cycle times (the columns)\n"
    "  --order ring|speed|random:SEED\n"
    "                       plan a ring (the default), or take all hosts in the network's order\n"
    "                       or in a random one, with shares proportional to speed\n"
    "  --planning SECONDS   for each plan (2)\n"
    "  --seed N             of the planner's search (1)\n"
    "  --slow HOST:STEP:FACTOR\n"
    "                       that host takes FACTOR times as long from that step on\n"
    "  --adapt N            look every N steps whether slicing anew pays (never)\n"
    "  --check              compare with a serial run\n";

}  // namespace heat
