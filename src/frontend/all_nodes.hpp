#pragma once

#include "network/grid_view.hpp"
#include "network/network.hpp"
#include "simulate/fabric.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::frontend {

/// The nodes of a network, by name, and the fabric between them; in a grid, the nodes of all
/// clusters. The network must outlive it.
class AllNodes {
public:
    explicit AllNodes(const network::Network& network);
    AllNodes(const AllNodes&) = delete;
    AllNodes& operator=(const AllNodes&) = delete;
    ~AllNodes() = default;

    [[nodiscard]] const simulate::Fabric& fabric() const { return *fabric_; }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

private:
    std::optional<network::GridView> view_;  ///< of a grid
    std::unique_ptr<const simulate::Fabric> fabric_;
    std::vector<std::string> names_;
};

}  // namespace espalier::frontend
