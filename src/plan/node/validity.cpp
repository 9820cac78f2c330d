#include "plan/node/validity.hpp"

#include "simulate/use.hpp"

#include <limits>
#include <vector>

namespace espalier::plan::node {

std::optional<std::size_t> find_crowded_wave(const Problem& problem, const Course<double>& course,
                                             std::span<const double> time) {
    constexpr double never = std::numeric_limits<double>::max();
    const auto ports = static_cast<double>(problem.ports);
    std::vector<simulate::Use> uses;
    for (std::size_t w = 0; w < course.waves.size(); ++w) {
        const auto& [at, run] = course.waves[w];
        const auto senders = static_cast<double>(run.count);
        uses.push_back({at, never, senders * ports, w});
        uses.push_back({at, at + time[run.class_index], senders, w});
    }
    const auto crowd = find_crowd(uses, ports * static_cast<double>(problem.nodes()));
    if (!crowd) return std::nullopt;
    return uses[*crowd].transfer;
}

}  // namespace espalier::plan::node
