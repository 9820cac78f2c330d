#pragma once

#include "network/network.hpp"

#include "common.hpp"

#include <memory>
#include <string>
#include <utility>

namespace espalier::python {

/// A network as Python holds it: the value, and what errors call it (its file, say).
class PyNetwork {
public:
    PyNetwork(network::Network network, std::string name)
        : network_(std::make_shared<const network::Network>(std::move(network))),
          name_(std::move(name)) {}

    [[nodiscard]] const network::Network& network() const { return *network_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    std::shared_ptr<const network::Network> network_;
    std::string name_;
};

}  // namespace espalier::python
