#include "ring/rate_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::ring {

RateProgram::RateProgram(const Problem& problem, const Embedding& embedding,
                         const Capacities& capacities, const std::vector<double>& guess)
    : first_of_host_(embedding.size() + 1, 0) {
    // With rates that are infinite, communication takes the delays alone.
    const std::vector<double> unlimited(embedding.size(), std::numeric_limits<double>::infinity());
    slacks_ = communication_times(problem, embedding, {unlimited, unlimited});
    double lost = 0;
    for (std::size_t place = 0; place < embedding.size(); ++place) {
        const double cycle_time = problem.platform.cycle_time(embedding.order[place]);
        speed_ += 1 / cycle_time;
        lost += slacks_[place] / cycle_time;
    }
    base_ = (problem.work + lost) / speed_;
    for (double& slack : slacks_) slack = base_ - slack;

    for (std::size_t flow = 0; flow < guess.size(); ++flow) {
        const std::size_t place = capacities.flows()[flow].place;
        const double time = problem.exchange / guess[flow];
        flows_.push_back(
            {place, time / problem.platform.cycle_time(embedding.order[place]) / speed_, time});
        ++first_of_host_[place + 1];
    }
    for (std::size_t place = 0; place < embedding.size(); ++place)
        first_of_host_[place + 1] += first_of_host_[place];

    time_unit_ = excess(std::vector<double>(flows_.size(), 1));
    for (auto& flow : flows_) {
        flow.weight /= time_unit_;
        flow.time /= time_unit_;
    }
    for (double& slack : slacks_) slack /= time_unit_;
    base_ /= time_unit_;

    const auto use = [&](const Capacities::Crossing& crossing) {
        return crossing.times * guess[crossing.flow] / capacities.rows()[crossing.row].bandwidth;
    };
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
        first_of_flow_.push_back(by_flow_.size());
        for (const auto& crossing : capacities.of_flow(flow))
            by_flow_.push_back({crossing.row, use(crossing)});
    }
    first_of_flow_.push_back(by_flow_.size());
    for (std::size_t row = 0; row < capacities.rows().size(); ++row) {
        first_of_row_.push_back(by_row_.size());
        for (const auto& crossing : capacities.of_row(row))
            by_row_.push_back({crossing.flow, use(crossing)});
    }
    first_of_row_.push_back(by_row_.size());
}

double RateProgram::needed(const std::vector<double>& x) const {
    double sum = 0;
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) sum += flows_[flow].weight / x[flow];
    return sum;
}

std::vector<double> RateProgram::needed_by_host(const std::vector<double>& x) const {
    std::vector<double> needed;
    for (const double slack : slacks_) needed.push_back(-slack);
    for (std::size_t flow = 0; flow < flows_.size(); ++flow)
        needed[flows_[flow].host] += flows_[flow].time / x[flow];
    return needed;
}

double RateProgram::excess(const std::vector<double>& x) const {
    return std::max(needed(x), std::ranges::max(needed_by_host(x)));
}

void RateProgram::fit(std::vector<double>& x) const {
    std::vector<double> scale(x.size(), std::numeric_limits<double>::infinity());
    for (std::size_t row = 0; row < rows(); ++row) {
        double used = 0;
        for (const auto& [flow, use] : of_row(row)) used += use * x[flow];
        for (const auto& [flow, use] : of_row(row)) scale[flow] = std::min(scale[flow], 1 / used);
    }
    for (std::size_t flow = 0; flow < x.size(); ++flow) x[flow] *= scale[flow];
}

/// With multipliers m of the work and n_i of the hosts, which sum to 1, and prices p of the rows,
/// the Lagrangian's minimum is sum over flows of 2 sqrt(a P) - sum of p - sum of n_i slack_i, where
/// a = m weight + n_i time and P is the price of all that the flow uses; best with p scaled so that
/// the first sum is twice the second one.
double RateProgram::bound(const RateDuals& duals) const {
    double total = duals.sum;
    for (const double dual : duals.hosts) total += dual;
    double slack = 0;
    for (std::size_t host = 0; host < hosts(); ++host) slack += duals.hosts[host] * slacks_[host];
    double roots = 0;
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
        double price = 0;
        for (const auto& [row, use] : of_flow(flow)) price += use * duals.rows[row];
        roots += std::sqrt(price * (duals.sum * flows_[flow].weight +
                                    duals.hosts[flows_[flow].host] * flows_[flow].time));
    }
    double prices = 0;
    for (const double price : duals.rows) prices += price;
    return (roots * roots / prices - slack) / total;
}

}  // namespace espalier::ring
