#include "ring/allocation.hpp"

#include "core/infinity.hpp"
#include "ring/rate_program.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::ring {
namespace {

/// Gives what rounding has left over, or takes back where it has gone too far.
void fill_up(const RateProgram& program, std::vector<double>& x) {
    for (std::size_t flow = 0; flow < x.size(); ++flow) {
        double room = infinity;
        for (const auto& [row, own] : program.of_flow(flow)) {
            double left = 1;
            for (const auto& [other, use] : program.of_row(row)) left -= use * x[other];
            room = std::min(room, left / own);
        }
        x[flow] += room;
    }
}

}  // namespace

Rates max_min_rates(const Problem& problem, const Embedding& embedding) {
    const auto program = RateProgram::of_ring(problem, embedding);
    return program.rates(program.max_min());
}

Optimum optimal_rates(const Problem& problem, const Embedding& embedding, double tolerance,
                      const Rates* start) {
    Optimum optimum;
    optimum.prices.assign(problem.platform.links(), 0);
    auto program = RateProgram::of_ring(problem, embedding);
    if (program.flows().empty()) {
        optimum.rates = program.rates({});
        optimum.division = divide_work(problem, embedding, optimum.rates);
        return optimum;
    }
    std::vector<double> guess = start != nullptr ? program.of_flows(*start) : program.max_min();
    if (start != nullptr) program.fit(guess);
    program.set_units(guess);
    // Where messages hardly count, rates and prices shall still make sense.
    constexpr double of_excess = 1e3;
    const auto [x, duals] = solve(program, tolerance, of_excess * tolerance);
    optimum.rates = program.rates(x);
    optimum.division = divide_work(problem, embedding, optimum.rates);

    // Where communication alone decides, no work is lost: prices are as if all hosts made up for
    // it.
    constexpr double least_share = 1e-6;
    const double per_work = program.time_unit() / (duals.sum > least_share ? duals.sum : 1);
    double speed = 0;
    for (const Host host : embedding.order) speed += 1 / problem.platform.cycle_time(host);
    for (std::size_t row = 0; row < program.rows().size(); ++row) {
        const auto& [link, bandwidth] = program.rows()[row];
        optimum.prices[link] += duals.rows[row] * per_work * speed / bandwidth;
    }
    return optimum;
}

FourRates four_rates(const Platform& platform, std::span<const double> left,
                     const std::array<const Path*, 4>& paths, const FourRates& weights) {
    constexpr double precision = 1e-14;
    std::array<RateProgram::Message, 4> messages;
    for (std::size_t path = 0; path < 4; ++path) {
        for (const LinkId link : *paths[path])
            if (left[link] <= 0) return {};
        messages[path] = {paths[path], 0, weights[path], 0};
    }
    RateProgram program(platform, left, messages, {0});
    std::vector<double> x = program.max_min();
    if (program.rows().size() == 1) {
        double sum = 0;
        for (std::size_t flow = 0; flow < x.size(); ++flow) {
            const double use = program.of_flow(flow).front().use;
            x[flow] = std::sqrt(program.flows()[flow].weight / use);
            sum += x[flow] * use;
        }
        for (double& rate : x) rate /= sum;
    } else if (!x.empty()) {
        program.set_units(x);
        x = solve(program, precision, precision).x;
        const std::vector<double> fair(x.size(), 1);
        if (!(program.needed(x) < program.needed(fair))) x = fair;
        fill_up(program, x);
    }
    FourRates rates{};
    std::ranges::copy(program.bandwidths(x), rates.begin());
    return rates;
}

}  // namespace espalier::ring
