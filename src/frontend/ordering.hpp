#pragma once

#include "core/json.hpp"
#include "frontend/library_calls.hpp"
#include "libraries/host_files.hpp"
#include "libraries/order.hpp"

#include <string>
#include <vector>

namespace espalier::frontend {

/// Hosts that are to be put in order for such calls, as people say it. Empty: not given.
struct OrderOptions : LibraryCallOptions {
    std::string library;
    std::string time_limit;
};

/// Hosts in an order that suits the network.
struct OrderedHosts {
    const libraries::HostFile* file = nullptr;
    const libraries::Library* library = nullptr;
    std::size_t slots = 1;
    std::vector<std::string> hosts;  ///< in the order that was found
    bool is_as_given = false;
    libraries::Order order;

    /// The content of the file that makes a launcher number ranks so.
    [[nodiscard]] std::string text() const { return file->text(hosts, slots); }
};

/// Throws InputError naming the option, or the line of the file of hosts.
[[nodiscard]] OrderedHosts order_hosts(const OrderOptions& options);

/// Format `espalier-order`, version 1.
[[nodiscard]] Json to_json(const OrderedHosts& ordered);

}  // namespace espalier::frontend
