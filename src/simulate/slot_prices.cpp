#include "simulate/slot_prices.hpp"

#include "core/rounding.hpp"
#include "simulate/shortest_paths.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace espalier::simulate {

namespace {

/// Sums of rounded products: what may be lost, relatively, and has to be given back.
constexpr double slack = 1e-9;
/// So many cells of a table are filled in one step of a Meter.
constexpr std::uint64_t cells_a_step = 16;

/// Whole steps in `time`.
std::size_t steps_within(double time, double per_step, std::size_t most) {
    const double count = std::floor(time * per_step * (1 + rounding));
    return count >= static_cast<double>(most) ? most : static_cast<std::size_t>(count);
}

}  // namespace

SlotPrices::SlotPrices(const ClassedBroadcast& problem, double horizon, std::size_t steps)
    : problem_(problem),
      steps_(steps),
      step_(horizon / static_cast<double>(steps)),
      per_step_(static_cast<double>(steps) / horizon),
      width_(steps + 2),
      edges_(problem.size()),
      worth_(problem.size() * width_) {
    assert(horizon > 0 && steps >= 1);
    std::size_t shortest = steps;
    for (std::size_t i = 0; i < problem.size(); ++i)
        for (std::size_t j = 0; j < problem.size(); ++j) {
            const bool alone = problem.count[j] <= (j == i || j == problem.root ? 1U : 0U);
            if (alone) continue;
            const double needed = std::max(problem.gap(i, j) + problem.after_send[i],
                                           problem.delivery(i, j) + problem.after_receipt[j]);
            Edge edge;
            edge.to = j;
            edge.first = steps_within(needed, per_step_, steps + 1) + 1;
            if (edge.first > steps_ + 1) continue;
            edge.delivery = steps_within(problem.delivery(i, j), per_step_, steps);
            edge.gap = steps_within(problem.gap(i, j), per_step_, steps);
            shortest = std::min({shortest, edge.delivery, edge.gap});
            edges_[i].push_back(edge);
        }
    block_ = std::max<std::size_t>(shortest, 1);
}

void SlotPrices::set_prices(const std::vector<double>& prices) {
    prices_ = prices;
    demand_ = 0;
    cap_ = 0;
    for (std::size_t c = 0; c < problem_.size(); ++c) {
        const auto waiting =
            static_cast<double>(problem_.count[c] - (c == problem_.root ? 1U : 0U));
        demand_ += prices[c] * waiting;
        cap_ += std::max(prices[c], 0.0) * waiting;
    }
    std::fill(worth_.begin(), worth_.end(), 0.0);
    first_open_ = steps_ + 2;
    const double closed = demand_ - slack * std::max(cap_, std::abs(demand_));
    const double ports = static_cast<double>(problem_.ports);
    const double* root = &worth_[problem_.root * width_];
    for (std::size_t begin = 1; begin <= steps_ + 1; begin += block_) {
        const std::size_t end = std::min(begin + block_, steps_ + 2);
        fill_block(begin, end);
        for (std::size_t k = begin; k < end && first_open_ == steps_ + 2; ++k)
            if (ports * root[k] >= closed) first_open_ = k;
    }
    first_open_ = std::min(first_open_, steps_ + 1);
}

/// Sends shorter than a step would look up what is not known yet: they count as worth everything.
void SlotPrices::fill_block(std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < problem_.size(); ++i) {
        double* row = &worth_[i * width_];
        for (std::size_t k = begin; k < end; ++k) row[k] = row[k - 1];
        for (const Edge& edge : edges_[i]) {
            const std::size_t from = std::max(begin, edge.first);
            if (from >= end) continue;
            if (edge.delivery == 0 || edge.gap == 0)
                for (std::size_t k = from; k < end; ++k) row[k] = std::max(row[k], cap_);
            else
                fill_edge(&worth_[edge.to * width_], prices_[edge.to], row, edge, from, end);
        }
    }
}

void SlotPrices::fill_edge(const double* to, double price, double* row, const Edge& edge,
                           std::size_t begin, std::size_t end) const {
    const auto ports = static_cast<double>(problem_.ports);
    // Nothing earns anything before its first send is possible.
    const auto at = [](const double* values, std::size_t k, std::size_t back) {
        return k > back ? values[k - back] : 0.0;
    };
    const std::size_t reach = std::max(edge.delivery, edge.gap);
    std::size_t k = begin;
    for (; k < end && k <= reach; ++k)
        row[k] = std::max(row[k], price + ports * at(to, k, edge.delivery) + at(row, k, edge.gap));
    const double* received = to - edge.delivery;
    const double* again = row - edge.gap;
    for (; k < end; ++k) {
        const double earned = price + ports * received[k] + again[k];
        row[k] = row[k] < earned ? earned : row[k];
    }
}

SlotPrices::Excess SlotPrices::excess(std::size_t index) {
    const std::size_t classes = problem_.size();
    const auto ports = static_cast<double>(problem_.ports);
    Excess result{ports * worth_[problem_.root * width_ + index] - demand_,
                  std::vector<double>(classes, 0.0)};
    slots_.assign(classes * width_, 0.0);
    slots_[problem_.root * width_ + index] = ports;
    for (std::size_t k = index; k > 0; --k)
        for (std::size_t i = 0; i < classes; ++i) {
            const double free = slots_[i * width_ + k];
            const double* row = &worth_[i * width_];
            if (free == 0 || row[k] == 0) continue;
            const Edge* best = nullptr;
            for (const Edge& edge : edges_[i]) {
                if (k < edge.first || edge.delivery == 0 || edge.gap == 0) continue;
                const double later = k > edge.gap ? row[k - edge.gap] : 0;
                const double there =
                    k > edge.delivery ? worth_[edge.to * width_ + k - edge.delivery] : 0;
                if (prices_[edge.to] + ports * there + later == row[k]) best = &edge;
            }
            if (best == nullptr) {  // it earns what it did a step later
                slots_[i * width_ + k - 1] += free;
                continue;
            }
            result.served[best->to] += free;
            if (k > best->gap) slots_[i * width_ + k - best->gap] += free;
            if (k > best->delivery) slots_[best->to * width_ + k - best->delivery] += ports * free;
        }
    return result;
}

namespace {

/// The greatest unit of which all times are multiples, if it goes at most `most` times into
/// `horizon`; else 0.
double common_unit(const ClassedBroadcast& problem, double horizon, std::size_t most) {
    const double least = horizon / static_cast<double>(most);
    const double tolerance = least * 1e-6;
    double unit = 0;
    const auto fits = [&](double time) {
        double other = time;
        while (other > tolerance) {
            if (unit <= tolerance)
                std::swap(unit, other);
            else {
                unit = std::fmod(unit, other);
                std::swap(unit, other);
            }
        }
        return unit == 0 || unit >= least;
    };
    const std::size_t classes = problem.size();
    for (std::size_t i = 0; i < classes; ++i) {
        if (!fits(problem.after_receipt[i]) || !fits(problem.after_send[i])) return 0;
        for (std::size_t j = 0; j < classes; ++j) {
            if (i == j && problem.count[i] < 2) continue;
            if (!fits(problem.gap(i, j)) || !fits(problem.delivery(i, j))) return 0;
        }
    }
    return unit;
}

/// When the first node of each class would end if it alone had to be served.
std::vector<double> ends_alone(const ClassedBroadcast& problem) {
    auto ends = shortest_paths(problem.size(), problem.root, [&](std::size_t from, std::size_t to) {
        return problem.delivery(from, to);
    });
    for (std::size_t c = 0; c < problem.size(); ++c) ends[c] += problem.after_receipt[c];
    return ends;
}

/// Prices by subgradient steps: those that the best sends of the relaxed problem serve too often
/// get cheaper, those that they leave out dearer.
class Subgradient {
public:
    Subgradient(const ClassedBroadcast& problem, double from, double enough, Meter& meter)
        : problem_(problem), enough_(enough), meter_(meter), result_{from, {}} {}

    PricedBound run() {
        const std::size_t steps = price_search.steps;
        const auto coarse = time_grid(problem_, enough_, steps, steps);
        SlotPrices table(problem_, coarse.horizon, coarse.steps);
        std::vector<double> prices = first_prices(table);
        do try_prices(table, prices);
        while (result_.bound < enough_ && stalled_ <= price_search.patience && !meter_.over() &&
               improve(table, prices));
        if (result_.bound < enough_ && worth_refining(table)) refine();
        return result_;
    }

private:
    void try_prices(SlotPrices& table, const std::vector<double>& prices) {
        meter_.spend(table.cells() / cells_a_step);
        table.set_prices(prices);
        const double bound = table.infeasible_deadline() * (1 - rounding);
        if (table.first_open() > best_open_) {
            best_open_ = table.first_open();
            best_ = table.prices();
            stalled_ = 0;
        } else {
            ++stalled_;
        }
        if (bound <= result_.bound) return;
        result_ = {std::min(bound, enough_), table.prices()};
    }

    /// Rounding costs a few steps, not more.
    [[nodiscard]] bool worth_refining(const SlotPrices& table) const {
        return !best_.empty() &&
               static_cast<double>(best_open_ + 16) * table.step() > result_.bound;
    }

    /// The best of: the same price for the classes that would end last by themselves, no matter
    /// which others are served, and none for the rest.
    [[nodiscard]] std::vector<double> first_prices(SlotPrices& table) {
        const auto ends = ends_alone(problem_);
        std::vector<std::size_t> latest;
        for (std::size_t c = 0; c < ends.size(); ++c)
            if (waiting(c) > 0) latest.push_back(c);
        std::stable_sort(latest.begin(), latest.end(),
                         [&](std::size_t a, std::size_t b) { return ends[a] > ends[b]; });
        std::vector<double> prices(problem_.size(), 0.0);
        for (std::size_t count = 1, next = 0;; count *= 2) {
            for (; next < std::min(count, latest.size()); ++next) prices[latest[next]] = 1;
            try_prices(table, prices);
            if (count >= latest.size()) break;
        }
        return best_.empty() ? prices : best_;
    }

    /// A step towards prices that exclude a deadline somewhat beyond the best that is excluded.
    bool improve(SlotPrices& table, std::vector<double>& prices) {
        const std::size_t target = std::min(table.steps(), best_open_ + reach_);
        const auto [amount, served] = table.excess(target);
        double norm = 0;
        double total = 0;
        for (std::size_t c = 0; c < served.size(); ++c) {
            const double wanted = waiting(c);
            if (wanted == 0) continue;
            norm += (served[c] - wanted) * (served[c] - wanted) / wanted;
        }
        if (norm == 0) return false;
        // Aim a little below what proves the target, and shorter the longer nothing comes of it.
        const double aim = std::max(amount, 0.0) + 0.02 * std::abs(table.demand());
        const double length = aim / norm * std::pow(0.97, static_cast<double>(stalled_));
        for (std::size_t c = 0; c < served.size(); ++c) {
            const double wanted = waiting(c);
            if (wanted > 0) prices[c] -= length * (served[c] - wanted) / wanted;
            total += prices[c] * wanted;
        }
        if (!(total > 0)) return false;
        double nodes = 0;
        for (std::size_t c = 0; c < served.size(); ++c) nodes += waiting(c);
        for (double& price : prices) price *= nodes / total;
        return true;
    }

    /// The best prices again, with less lost by rounding times to steps.
    void refine() {
        const std::size_t steps = price_search.fine_steps;
        const auto fine = time_grid(problem_, enough_, steps, steps);
        SlotPrices table(problem_, fine.horizon, fine.steps);
        try_prices(table, best_);
    }

    [[nodiscard]] double waiting(std::size_t c) const {
        return static_cast<double>(problem_.count[c] - (c == problem_.root ? 1U : 0U));
    }

    const ClassedBroadcast& problem_;
    double enough_;
    Meter& meter_;
    PricedBound result_;
    std::vector<double> best_;
    std::size_t best_open_ = 0;
    std::size_t reach_ = 4;
    std::size_t stalled_ = 0;
};

}  // namespace

TimeGrid time_grid(const ClassedBroadcast& problem, double horizon, std::size_t steps,
                   std::size_t most) {
    const double unit = common_unit(problem, horizon, most);
    if (unit == 0) return {horizon, steps};
    const double units = std::ceil(horizon / unit * (1 - rounding));
    return {units * unit, static_cast<std::size_t>(units)};
}

PricedBound find_prices(const ClassedBroadcast& problem, double from, double enough, Meter& meter) {
    PricedBound best{from, {}};
    if (!(from > 0) || problem.size() > most_priced(meter)) return best;
    // The table reaches a little beyond the bound, and further once all of that is excluded.
    while (best.bound < enough * (1 - rounding)) {
        const double horizon = std::min(enough, best.bound * price_search.first_horizon);
        PricedBound found = Subgradient(problem, best.bound, horizon, meter).run();
        if (!found.prices.empty()) best = std::move(found);
        if (best.bound < horizon * (1 - 2 * rounding) || meter.over()) break;
    }
    return best;
}

/// The first prices fill a table for each power of two up to the number of classes.
std::size_t most_priced(const Meter& meter) {
    const std::uint64_t fills = meter.work_left() / price_search.steps * cells_a_step;
    std::size_t most = 1;
    while (most * most * 4 * static_cast<std::size_t>(std::bit_width(most)) < fills) most *= 2;
    return most;
}

}  // namespace espalier::simulate
