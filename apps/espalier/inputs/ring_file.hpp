#pragma once

#include "network/network.hpp"
#include "schedule/ring_json.hpp"
#include "simulate/check_ring.hpp"

#include <CLI/App.hpp>

#include <string>

namespace espalier::cli {

/// Values for what a ring file may leave out; empty: not given.
struct RingOptions {
    std::string work;
    std::string exchange;
};

void add_ring_options(CLI::App& app, RingOptions& options);
/// Throws InputError where they are given for a file that holds no ring.
void refuse_ring_options(const std::string& file, const RingOptions& options);

/// Whether a file says that it holds a ring. Throws InputError where it can't be read at all.
[[nodiscard]] bool is_ring(const std::string& file);

/// A ring file, what it is to run on, and whether it is valid there.
struct CheckedRing {
    schedule::StatedRing stated;
    network::LinksNetwork platform;
    simulate::RingCheck check;
};
/// Warns where it was planned for another network than that of `network_file`. Throws InputError
/// where it can't be checked.
[[nodiscard]] CheckedRing examine_ring(const std::string& file, const RingOptions& options,
                                       const network::Network& network,
                                       const std::string& network_file);

/// `--work`: a number > 0. Throws InputError naming the option.
[[nodiscard]] double parse_work(const std::string& text);
/// `--exchange`: a number > 0 in the network's own unit, or a size in bytes.
[[nodiscard]] double parse_exchange(const std::string& text);

}  // namespace espalier::cli
