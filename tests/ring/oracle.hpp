#pragma once

#include "ring/embedding.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace espalier::test {

/// All paths from one host to another that visit no vertex twice; the listed route alone where
/// there are routes.
[[nodiscard]] std::vector<ring::Path> simple_paths(const ring::Platform& platform, ring::Host from,
                                                   ring::Host to);

/// Each ring of two hosts or more once, whatever its direction and its first host: hosts in order.
void for_each_ring(std::size_t hosts,
                   const std::function<void(const std::vector<ring::Host>&)>& visit);

/// The shortest step of any ring, tried one by one: one host alone; else with all choices of simple
/// paths for the ring if there are at most `most_choices`, and otherwise with those that changing
/// one path at a time leads to, from some. The best of those tried, if not of all.
[[nodiscard]] double least_step_time(const ring::Problem& problem, std::size_t most_choices);

}  // namespace espalier::test
