#include "refine/nonlinear_rates.hpp"

#include "refine/newton.hpp"
#include "ring/rate_program.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace espalier::refine {
namespace {

using ring::RateDuals;
using ring::RateProgram;

/// The optimality conditions of a RateProgram. Unknown are the logarithms of the duals (of rows,
/// of the work, of hosts), then the excess t. At the optimum each flow has the bandwidth
/// x = sqrt(a / P), where a is what its time weighs and P the price of what it uses, so that x is
/// no unknown. The equations: each constraint's slack times its dual is `product`, written as
/// slack = product / dual; and the duals of the work and of hosts sum to 1.
class Conditions final : public Equations {
public:
    explicit Conditions(const RateProgram& program)
        : program_(program),
          rows_(program.rows().size()),
          constraints_(rows_ + 1 + program.hosts()),
          amounts_(program.flows().size()),
          prices_(program.flows().size()),
          x_(program.flows().size()) {}

    double product = 1;

    [[nodiscard]] std::size_t unknowns() const override { return constraints_ + 1; }
    [[nodiscard]] std::size_t constraints() const { return constraints_; }

    /// Interior, and of about the right size: what follows from bandwidths a little below the
    /// guess that is the program's unit.
    [[nodiscard]] std::vector<double> start() const {
        const std::vector<double> x(program_.flows().size(), 0.9);
        const double excess = 1.2 * program_.excess(x);
        auto slacks = slacks_of(x, excess);
        double total = 0;
        for (std::size_t c = rows_; c < constraints_; ++c) total += 1 / slacks[c];
        double offered = 0;
        for (std::size_t row = 0; row < rows_; ++row) offered += (1 - slacks[row]) / slacks[row];
        double wanted = 0;
        for (const auto& flow : program_.flows())
            wanted += (flow.weight / slacks[rows_] + flow.time / slacks[rows_ + 1 + flow.host]) /
                      (0.9 * total);
        std::vector<double> unknowns;
        for (std::size_t c = 0; c < constraints_; ++c)
            unknowns.push_back(std::log((c < rows_ ? wanted / offered : 1 / total) / slacks[c]));
        unknowns.push_back(excess);
        return unknowns;
    }

    bool residuals(const double* unknowns, double* result) override {
        if (!set(unknowns)) return false;
        const auto slacks = slacks_of(x_, unknowns[constraints_]);
        double total = -1;
        for (std::size_t c = 0; c < constraints_; ++c) {
            result[c] = slacks[c] - product * std::exp(-unknowns[c]);
            if (!std::isfinite(result[c])) return false;
            if (c >= rows_) total += std::exp(unknowns[c]);
        }
        result[constraints_] = total;
        return true;
    }

    void jacobian(const double* unknowns, double* const* columns) override {
        set(unknowns);
        struct Part {
            std::size_t constraint;
            double by_x;     // of what the constraint needs
            double to_root;  // how the logarithm of x goes with that of the dual
        };
        std::vector<Part> parts;
        for (std::size_t flow = 0; flow < x_.size(); ++flow) {
            const auto& [message, host, weight, time] = program_.flows()[flow];
            const double squared = x_[flow] * x_[flow];
            const std::size_t of_host = rows_ + 1 + host;
            parts.clear();
            for (const auto& [row, use] : program_.of_flow(flow))
                parts.push_back({row, use, -use * std::exp(unknowns[row]) / prices_[flow]});
            parts.push_back(
                {rows_, -weight / squared, weight * std::exp(unknowns[rows_]) / amounts_[flow]});
            parts.push_back(
                {of_host, -time / squared, time * std::exp(unknowns[of_host]) / amounts_[flow]});
            for (const auto& by : parts)
                for (const auto& of : parts)
                    columns[by.constraint][of.constraint] -= of.by_x * by.to_root * 0.5 * x_[flow];
        }
        for (std::size_t c = 0; c < constraints_; ++c) {
            columns[c][c] += product * std::exp(-unknowns[c]);
            if (c < rows_) continue;
            columns[constraints_][c] += 1;
            columns[c][constraints_] += std::exp(unknowns[c]);
        }
    }

    /// Takes the bandwidths and slacks that follow from `unknowns`; false where they overflow.
    bool set(const double* unknowns) {
        for (std::size_t flow = 0; flow < x_.size(); ++flow) {
            const auto& [message, host, weight, time] = program_.flows()[flow];
            prices_[flow] = 0;
            for (const auto& [row, use] : program_.of_flow(flow))
                prices_[flow] += use * std::exp(unknowns[row]);
            amounts_[flow] =
                weight * std::exp(unknowns[rows_]) + time * std::exp(unknowns[rows_ + 1 + host]);
            x_[flow] = std::sqrt(amounts_[flow] / prices_[flow]);
            if (!(x_[flow] > 0) || !std::isfinite(x_[flow])) return false;
        }
        return true;
    }

    [[nodiscard]] const std::vector<double>& x() const { return x_; }
    [[nodiscard]] RateDuals duals(const std::vector<double>& unknowns) const {
        RateDuals duals;
        for (std::size_t c = 0; c < constraints_; ++c) {
            const double dual = std::exp(unknowns[c]);
            if (c < rows_)
                duals.rows.push_back(dual);
            else if (c == rows_)
                duals.sum = dual;
            else
                duals.hosts.push_back(dual);
        }
        return duals;
    }
    [[nodiscard]] std::vector<double> slacks_of(const std::vector<double>& x, double excess) const {
        std::vector<double> slacks(constraints_);
        for (std::size_t row = 0; row < rows_; ++row) {
            slacks[row] = 1;
            for (const auto& [flow, use] : program_.of_row(row)) slacks[row] -= use * x[flow];
        }
        slacks[rows_] = excess - program_.needed(x);
        const auto needed = program_.needed_by_host(x);
        for (std::size_t host = 0; host < needed.size(); ++host)
            slacks[rows_ + 1 + host] = excess - needed[host];
        return slacks;
    }

private:
    const RateProgram& program_;
    std::size_t rows_;
    std::size_t constraints_;
    std::vector<double> amounts_;
    std::vector<double> prices_;
    std::vector<double> x_;
};

/// Follows the solutions for ever smaller products of slacks and duals. The best bandwidths, if
/// their duals prove that they are.
std::optional<std::vector<double>> solve(const RateProgram& program) {
    Conditions conditions(program);
    auto unknowns = conditions.start();
    Newton newton(conditions);
    const double constraints = static_cast<double>(conditions.constraints());
    constexpr double first_product = 0.1;
    constexpr double last_gap = 1e-8;
    constexpr double longest_stride = 0.1;
    constexpr double shortest_stride = 0.9;
    auto solved = unknowns;
    double solved_product = 0;  // none yet
    double stride = longest_stride;
    conditions.product = first_product;
    while (true) {
        std::vector<double> scales;
        for (std::size_t c = 0; c < conditions.constraints(); ++c)
            scales.push_back(1 / (1 + conditions.product * std::exp(-unknowns[c])));
        scales.push_back(1);
        if (newton.solve(unknowns, scales, 0.1 * conditions.product)) {
            conditions.set(unknowns.data());
            auto x = conditions.x();
            program.fit(x);
            const double excess = program.excess(x);
            const double gap = excess - program.bound(conditions.duals(unknowns));
            if (gap <= last_gap * (program.base() + excess) && gap <= 100 * last_gap * excess)
                return x;
            if (constraints * conditions.product < 1e-4 * last_gap * excess) return std::nullopt;
            solved = unknowns;
            solved_product = conditions.product;
            stride = std::max(stride * stride, longest_stride);
        } else {
            if (solved_product == 0 || stride > shortest_stride) return std::nullopt;
            unknowns = solved;
            stride = std::sqrt(stride);
        }
        // A constraint that has room keeps it, and one that has none keeps its dual.
        for (std::size_t c = 0; c < conditions.constraints(); ++c) {
            const double dual = std::exp(unknowns[c]);
            const double slack = solved_product / dual;
            unknowns[c] += std::log(stride) * slack / (slack + dual);
        }
        conditions.product = stride * solved_product;
    }
}

}  // namespace

std::optional<ring::Rates> nonlinear_rates(const ring::Problem& problem,
                                           const ring::Embedding& embedding,
                                           const ring::Rates& start) {
    auto program = RateProgram::of_ring(problem, embedding);
    if (program.flows().empty()) return program.rates({});
    auto guess = program.of_flows(start);
    program.fit(guess);
    program.set_units(guess);
    const auto x = solve(program);
    if (!x) return std::nullopt;
    return program.rates(*x);
}

}  // namespace espalier::refine
