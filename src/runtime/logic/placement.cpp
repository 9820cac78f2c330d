#include "runtime/logic/placement.hpp"

#include "core/error.hpp"
#include "network/convert.hpp"
#include "network/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace espalier::runtime {

namespace {

network::GridNetwork as_grid(const network::Network& network, const std::string& source) {
    if (network.grid() != nullptr) return *network.grid();
    if (network.pairwise() != nullptr) return network::to_grid(*network.pairwise());
    throw InputError(source, "model",
                     "collectives are planned on 'grid' or 'pairwise', not on '" +
                         std::string(network.model_name()) + "'");
}

}  // namespace

PlannableNetwork::PlannableNetwork(const network::Network& network, const std::string& source)
    : measured_(std::make_shared<const network::Network>(network)),
      grid_(as_grid(network, source)),
      view_(grid_),
      fingerprint_(network::fingerprint(network)) {
    const Json& measured = network.measured();
    if (!measured.is_object()) return;
    const auto library = measured.find("mpi");
    const auto bytes = measured.find("eager_bytes");
    if (library == measured.end() || !library->is_string() || bytes == measured.end() ||
        !bytes->is_number_unsigned())
        return;
    library_ = library->get<std::string>();
    eager_ = Bytes(bytes->get<std::uint64_t>());
}

PlannableNetwork::PlannableNetwork(const PlannableNetwork& before, network::GridNetwork grid)
    : measured_(before.measured_),
      grid_(std::move(grid)),
      view_(grid_),
      fingerprint_(before.fingerprint_),
      library_(before.library_),
      eager_(before.eager_) {}

std::optional<Bytes> PlannableNetwork::eager(const std::string& library) const {
    return library == library_ ? eager_ : std::nullopt;
}

std::shared_ptr<const PlannableNetwork> read_plannable(const std::string& path) {
    return std::make_shared<PlannableNetwork>(network::read_network(path), path);
}

Placement place_hosts(const network::GridView& view, const std::vector<std::string>& hosts) {
    Placement placement;
    std::map<std::string, std::optional<network::GridView::Place>> known;
    for (const std::string& host : hosts) {
        const auto [entry, is_new] = known.try_emplace(host);
        if (is_new) {
            entry->second = view.find(host);
            if (!entry->second) placement.missing.push_back(host);
        }
        if (entry->second) placement.places.push_back(*entry->second);
    }
    if (!placement.missing.empty()) placement.places.clear();
    return placement;
}

bool in_one_leaf(const std::vector<network::GridView::Place>& places) {
    return std::all_of(places.begin(), places.end(),
                       [&](const auto& place) { return place.leaf == places.front().leaf; });
}

}  // namespace espalier::runtime
