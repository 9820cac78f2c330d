#pragma once

#include "comparison.hpp"

#include <cstddef>
#include <vector>

namespace espalier::bench {

struct FewHostsSettings {
    std::size_t seeds = 10;
    double search_seconds = 1;  ///< of `auto`, as as_much_as() means it
};

void print_reach_head();
/// `auto` against `optimal` over widest paths, 5 to 7 hosts.
void reach_few_hosts(const FewHostsSettings& settings);
/// `auto` against the greedy rings and the lower bound; `cells` of one number of hosts.
void reach_many_hosts(std::size_t hosts, const std::vector<Cell>& cells);
/// The processor time of greedy growth with 70 and with 500 hosts, one platform for each seed.
void reach_speed(std::size_t seeds, const std::vector<double>& ratios);

}  // namespace espalier::bench
