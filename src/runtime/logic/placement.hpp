#pragma once

#include "core/units.hpp"
#include "network/grid_view.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::runtime {

/// A network file as collectives are planned on it: a grid, with its leaves at hand.
class PlannableNetwork {
public:
    /// Takes a grid as it is and turns a pairwise network into one. Throws InputError naming
    /// `source` for any other model.
    PlannableNetwork(const network::Network& network, const std::string& source);
    /// The same network with other costs; its hosts are the same.
    PlannableNetwork(const PlannableNetwork& before, network::GridNetwork grid);
    PlannableNetwork(const PlannableNetwork&) = delete;
    PlannableNetwork& operator=(const PlannableNetwork&) = delete;

    [[nodiscard]] const network::GridView& view() const { return view_; }
    /// As it stands in its file.
    [[nodiscard]] const network::Network& measured() const { return *measured_; }
    [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }
    /// The eager threshold of this MPI library; nullopt if the network does not state it.
    [[nodiscard]] std::optional<Bytes> eager(const std::string& library) const;

private:
    std::shared_ptr<const network::Network> measured_;
    network::GridNetwork grid_;
    network::GridView view_;
    std::string fingerprint_;
    std::string library_;  ///< it was measured with
    std::optional<Bytes> eager_;
};

/// Reads a network file. Throws InputError naming file and field.
[[nodiscard]] std::shared_ptr<const PlannableNetwork> read_plannable(const std::string& path);

/// Where the ranks of a communicator sit.
struct Placement {
    std::vector<network::GridView::Place> places;  ///< by rank; only where nothing is missing
    std::vector<std::string> missing;  ///< hosts that the network does not have, each once
};

/// Finds each rank's host in the network; names may be short on one side and full on the other.
[[nodiscard]] Placement place_hosts(const network::GridView& view,
                                    const std::vector<std::string>& hosts);

/// Whether all of them sit in one cluster that has no clusters inside.
[[nodiscard]] bool in_one_leaf(const std::vector<network::GridView::Place>& places);

}  // namespace espalier::runtime
