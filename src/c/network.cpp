#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/matrix.hpp"
#include "frontend/all_nodes.hpp"
#include "handles.hpp"
#include "network/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

using namespace espalier;
using c::guarded;
using c::required;

espalier_network::espalier_network(network::Network value, std::string called)
    : network(std::move(value)),
      name(std::move(called)),
      fingerprint(network::fingerprint(network)),
      json(to_text(to_json(network))),
      nodes(frontend::AllNodes(network).names()) {}

namespace {

template <typename Quantity>
Matrix<std::optional<Quantity>> quantities(const double* numbers, std::size_t nodes) {
    Matrix<std::optional<Quantity>> matrix(nodes, nodes);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
            if (const double number = numbers[i * nodes + j]; i != j && !std::isnan(number))
                matrix(i, j) = Quantity(number);
    return matrix;
}

}  // namespace

espalier_status espalier_network_read(const char* file, espalier_network** result) {
    return guarded([&] {
        const std::string path = &required(file, "file");
        espalier_network*& place = required(result, "network");
        place = new espalier_network(network::read_network(path), path);
    });
}

espalier_status espalier_network_parse(const char* json, const char* name,
                                       espalier_network** result) {
    return guarded([&] {
        const std::string called = name == nullptr ? "network" : name;
        espalier_network*& place = required(result, "network");
        place =
            new espalier_network(network::parse_network(&required(json, "json"), called), called);
    });
}

espalier_status espalier_network_pairwise(size_t nodes, const char* const* names,
                                          const double* startup_s, const double* bandwidth_Bps,
                                          espalier_network** result) {
    return guarded([&] {
        espalier_network*& place = required(result, "network");
        network::PairwiseNetwork pairwise;
        for (std::size_t node = 0; node < nodes; ++node)
            pairwise.nodes.push_back(names == nullptr ? fmt::format("n{}", node)
                                                      : &required(names[node], "names"));
        pairwise.startup = quantities<Seconds>(&required(startup_s, "startup_s"), nodes);
        pairwise.bandwidth =
            quantities<BytesPerSecond>(&required(bandwidth_Bps, "bandwidth_Bps"), nodes);
        place = new espalier_network(network::Network(std::move(pairwise), std::string("network")),
                                     "network");
    });
}

void espalier_network_free(espalier_network* self) { delete self; }

const char* espalier_network_model(const espalier_network* self) {
    // The names are literals, which end with a zero.
    return self == nullptr ? nullptr : self->network.model_name().data();
}

const char* espalier_network_fingerprint(const espalier_network* self) {
    return self == nullptr ? nullptr : self->fingerprint.c_str();
}

size_t espalier_network_nodes(const espalier_network* self) {
    return self == nullptr ? 0 : self->nodes.size();
}

const char* espalier_network_node(const espalier_network* self, size_t node) {
    return node < espalier_network_nodes(self) ? self->nodes[node].c_str() : nullptr;
}

const char* espalier_network_json(const espalier_network* self) {
    return self == nullptr ? nullptr : self->json.c_str();
}
