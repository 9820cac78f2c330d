#include "ring/physical_network.hpp"

#include "core/error.hpp"
#include "network/to_links.hpp"

#include <fmt/format.h>

#include <cmath>

namespace espalier::ring {

network::LinksNetwork physical_network(const network::Network& network, double exchange) {
    if (const auto* links = network.links()) return *links;
    if (const auto* pairwise = network.pairwise()) return to_links(*pairwise);
    if (const auto* grid = network.grid()) {
        if (exchange != std::floor(exchange) || exchange > 0x1.0p53)
            throw InputError(fmt::format(
                "a grid's costs are for whole bytes, and the exchange is {}", exchange));
        return to_links(*grid, Bytes(static_cast<std::uint64_t>(exchange)));
    }
    throw InputError("model", "",
                     fmt::format("a {} network does not say what its nodes compute, nor what "
                                 "lies between them",
                                 network.model_name()));
}

}  // namespace espalier::ring
