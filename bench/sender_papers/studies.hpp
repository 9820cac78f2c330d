#pragma once

#include "instances.hpp"

#include <cstddef>

namespace espalier::sender_papers {

struct Settings {
    std::size_t runs = 50;       ///< clusters of each size
    std::size_t broadcast = 21;  ///< most nodes
    std::size_t reduction = 16;  ///< most nodes
    double time_limit = 60;      ///< seconds, of each search
    std::uint64_t slowest = 10;
};

/// Prints Table 1 of liu-2002 beside what paper-search and generic-search do here.
void print_broadcasts(const Settings& settings);
/// Prints Table 1 of liu-2000 beside what paper-search does here.
void print_reductions(const Settings& settings);
/// Prints how long `optimal` and paper-search take for the same clusters.
void print_race(schedule::Kind kind, const Settings& settings);

}  // namespace espalier::sender_papers
