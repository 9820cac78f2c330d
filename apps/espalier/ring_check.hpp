#pragma once

#include "network/network.hpp"
#include "result.hpp"

#include <string>

namespace espalier::cli {

/// A ring file to be checked, and what the file may not say itself.
struct RingCheckOptions {
    std::string file;
    std::string network_file;
    std::string work;
    std::string exchange;
    ResultOptions result;
};

/// Whether a file says that it holds a ring. Throws InputError where it can't be read at all.
[[nodiscard]] bool is_ring(const std::string& file);

/// Checks it, and delivers what was found; throws InvalidError where it is not valid.
void check_ring_file(const RingCheckOptions& options, const network::Network& network);

/// `--work`: a number > 0. Throws InputError naming the option.
[[nodiscard]] double parse_work(const std::string& text);
/// `--exchange`: a number > 0 in the network's own unit, or a size in bytes.
[[nodiscard]] double parse_exchange(const std::string& text);

}  // namespace espalier::cli
