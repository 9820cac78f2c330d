#include "network/generate_sizes.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace espalier::network {

namespace {

/// Draws a set of so many of the nodes, each set with the same probability.
std::vector<bool> draw_servers(std::size_t nodes, double part, Random& random) {
    auto left = static_cast<std::size_t>(std::llround(part * static_cast<double>(nodes)));
    std::vector<bool> serves(nodes, false);
    for (std::size_t node = 0; node < nodes; ++node)
        if (random.below(nodes - node) < left) {
            serves[node] = true;
            --left;
        }
    return serves;
}

/// A whole number of bytes from `low` to `high`, both included.
Bytes draw_size(Bytes low, Bytes high, Random& random) {
    return Bytes(low.value + random.below(high.value - low.value + 1));
}

}  // namespace

Matrix<Bytes> random_sizes(const RandomSizesOptions& options, Random& random) {
    if (options.nodes == 0) throw InputError("nodes", "", "an exchange has at least one node");
    if (options.small > options.large)
        throw InputError("small", "",
                         fmt::format("{} bytes are more than the {} of a large message",
                                     options.small.value, options.large.value));
    if (!(options.servers >= 0 && options.servers <= 1))
        throw InputError("servers", "",
                         fmt::format("{} is not a part from 0 to 1", options.servers));

    const std::size_t n = options.nodes;
    const std::vector<bool> serves = options.pattern == SizePattern::servers
                                         ? draw_servers(n, options.servers, random)
                                         : std::vector<bool>(n, false);
    const auto draw = [&](std::size_t from, std::size_t to) {
        switch (options.pattern) {
            case SizePattern::small:
                return options.small;
            case SizePattern::large:
                return options.large;
            case SizePattern::uniform:
                return draw_size(options.small, options.large, random);
            case SizePattern::mixed:
                return random.below(2) == 0 ? options.small : options.large;
            case SizePattern::servers:
                return serves[from] && !serves[to] ? options.large : options.small;
        }
        return Bytes(0);
    };
    Matrix<Bytes> sizes(n, n);
    for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to)
            if (from != to) sizes(from, to) = draw(from, to);
    return sizes;
}

}  // namespace espalier::network
