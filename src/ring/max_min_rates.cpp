#include "ring/allocation.hpp"
#include "ring/rate_program.hpp"

#include <algorithm>
#include <limits>

namespace espalier::ring {

std::vector<double> max_min(const Capacities& capacities) {
    const std::size_t flows = capacities.flows().size();
    const std::size_t rows = capacities.rows().size();
    std::vector<double> left(rows);        // for flows that still grow
    std::vector<double> crossed(rows, 0);  // how often by these
    for (std::size_t row = 0; row < rows; ++row) {
        left[row] = capacities.rows()[row].bandwidth;
        for (const auto& crossing : capacities.of_row(row)) crossed[row] += crossing.times;
    }

    std::vector<double> rates(flows, -1);
    double level = 0;
    for (std::size_t settled = 0; settled < flows;) {
        std::size_t fullest = rows;
        double lowest = std::numeric_limits<double>::infinity();
        for (std::size_t row = 0; row < rows; ++row) {
            if (crossed[row] == 0 || left[row] / crossed[row] >= lowest) continue;
            lowest = left[row] / crossed[row];
            fullest = row;
        }
        level = std::max(level, lowest);  // rounding must not let it sink
        for (const auto& [flow, unused, times] : capacities.of_row(fullest)) {
            if (rates[flow] >= 0) continue;
            rates[flow] = level;
            ++settled;
            for (const auto& crossing : capacities.of_flow(flow)) {
                left[crossing.row] -= crossing.times * level;
                crossed[crossing.row] -= crossing.times;
            }
        }
    }
    return rates;
}

Rates max_min_rates(const Problem& problem, const Embedding& embedding) {
    const Capacities capacities(problem.platform, embedding);
    return capacities.rates(embedding.size(), max_min(capacities));
}

}  // namespace espalier::ring
