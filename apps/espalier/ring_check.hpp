#pragma once

#include "network/network.hpp"
#include "result.hpp"
#include "schedule/ring_json.hpp"
#include "simulate/check_ring.hpp"

#include <string>

namespace espalier::cli {

/// A ring file, and what it may not say itself; empty: not given.
struct RingFile {
    std::string file;
    std::string network_file;
    std::string work;
    std::string exchange;
};

/// Whether a file says that it holds a ring. Throws InputError where it can't be read at all.
[[nodiscard]] bool is_ring(const std::string& file);

/// A ring file, what it is to run on, and whether it is valid there.
struct CheckedRing {
    schedule::StatedRing stated;
    network::LinksNetwork platform;
    simulate::RingCheck check;
};
/// Warns where it was planned for another network. Throws InputError where it can't be checked.
[[nodiscard]] CheckedRing examine_ring(const RingFile& file, const network::Network& network);

/// Delivers what was found; throws InvalidError where it is not valid.
void check_ring_file(const RingFile& file, const network::Network& network,
                     const ResultOptions& result);

/// `--work`: a number > 0. Throws InputError naming the option.
[[nodiscard]] double parse_work(const std::string& text);
/// `--exchange`: a number > 0 in the network's own unit, or a size in bytes.
[[nodiscard]] double parse_exchange(const std::string& text);

}  // namespace espalier::cli
