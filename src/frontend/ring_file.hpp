#pragma once

#include "frontend/problem_options.hpp"
#include "network/network.hpp"
#include "schedule/ring_json.hpp"
#include "simulate/check_ring.hpp"

#include <string>

namespace espalier::frontend {

/// Values for what a ring file may leave out; empty: not given.
struct RingOptions {
    std::string work;
    std::string exchange;
};

/// Throws InputError where they are given for a file that holds no ring.
void refuse_ring_options(const std::string& file, const RingOptions& options);

/// Whether a file says that it holds a ring. Throws InputError where it can't be read at all.
[[nodiscard]] bool is_ring(const std::string& file);

/// A ring as `file` states it, what it is to run on, and whether it is valid there.
struct CheckedRing {
    schedule::StatedRing stated;
    network::LinksNetwork platform;
    simulate::RingCheck check;
};
/// Warns where it was planned for another network than that of `network_file`. Throws InputError
/// where it can't be checked.
[[nodiscard]] CheckedRing examine_ring(schedule::StatedRing ring, const std::string& file,
                                       const RingOptions& options, const network::Network& network,
                                       const std::string& network_file, const Warn& warn);

/// `--work`: a number > 0. Throws InputError naming the option.
[[nodiscard]] double parse_work(const std::string& text);
/// `--exchange`: a number > 0 in the network's own unit, or a size in bytes.
[[nodiscard]] double parse_exchange(const std::string& text);

}  // namespace espalier::frontend
