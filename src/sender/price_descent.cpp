#include "sender/price_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace espalier::sender {

namespace {

constexpr double memory = 0.3;  // of the direction before
constexpr double enough = 1e100;

// Of exclude():
constexpr double first_softness = 0.3;
constexpr double last_softness = 0.02;
constexpr double cooling = 0.95;
constexpr double aim = 0.05;         // of all nodes
constexpr std::size_t patience = 6;  // rounds without a gain before going back to the best
constexpr Ticks steps_ahead = 1000;  // of the lattice's length: how far beyond what is excluded

}  // namespace

PriceDescent::PriceDescent(const TickProblem& problem, std::vector<Ticks> at, Ticks end)
    : end_(end),
      lattice_(rounding_lattice(problem, std::move(at), end)),
      window_(problem, lattice_, lattice_.size() - 1),
      flow_(window_),
      all_(problem.classes()),
      themselves_(problem.classes()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
    std::iota(themselves_.begin(), themselves_.end(), std::uint16_t{0});
    begin();
}

void PriceDescent::add_slots(Position& position, Ticks at, std::uint64_t count,
                             std::optional<std::size_t> sender) const {
    for (; at < end_; at += window_.problem().time[*sender]) {
        position.waiting.push_back({window_.lone_slot(point(at)), count});
        if (!sender) break;
    }
}

Position PriceDescent::start(Ticks at) const {
    const TickProblem& problem = window_.problem();
    Position position{.left = problem.count, .waiting = {}};
    if (!problem.root) {
        add_slots(position, at, 1, {});
        return position;
    }
    const std::size_t root = *problem.root;
    --position.left[root];
    if (!problem.is_broadcast())
        add_slots(position, at, problem.ports, {});
    else if (const Ticks first = at + problem.time[root]; first < end_)
        position.waiting.push_back({window_.stream(point(first), root), problem.ports});
    return position;
}

double PriceDescent::surplus(const Position& position, std::span<const double> price,
                             std::span<const std::size_t> able, std::size_t from) {
    valuation_.price = in_units(price);
    window_.evaluate(valuation_, from, able);
    return window_.surplus(valuation_, position) / static_cast<double>(window_.unit());
}

std::vector<std::int64_t> PriceDescent::in_units(std::span<const double> price) const {
    std::vector<std::int64_t> units;
    for (const double nodes : price)
        units.push_back(std::llround(nodes * static_cast<double>(window_.unit())));
    return units;
}

void PriceDescent::improve(const Position& position, double surplus,
                           std::span<const std::size_t> able, const Step& step,
                           std::vector<double>& price) {
    used_.resize(window_.classes());
    if (step.softness > 0)
        flow_.share(valuation_, able, position, step.softness, used_, nullptr);
    else
        flow_.follow(valuation_.choice, themselves_, position, enough, used_);
    double length = 0;
    for (const std::size_t c : able) {
        const auto needed = static_cast<double>(position.left[c]);
        const double scale = std::max(1.0, needed);
        double excess = used_[c] - needed;
        if (price[c] == 0) excess = std::max(excess, 0.0);
        direction_[c] = memory * direction_[c] + excess / scale;
        length += direction_[c] * direction_[c] * scale;
    }
    if (length == 0) return;
    const double pace = step.pace * (surplus + step.aim) / length;
    for (const std::size_t c : able)
        price[c] = std::max(0.0, price[c] + std::clamp(pace * direction_[c], -1.0, 1.0));
}

std::vector<double> PriceDescent::flow(const Position& position, std::span<const double> price,
                                       double softness, std::vector<Flow::Share>* shares) {
    (void)surplus(position, price, all_, 0);
    std::vector<double> used(window_.classes());
    flow_.share(valuation_, all_, position, softness, used, shares);
    return used;
}

/// The first start, in ticks, that the prices exclude. Found by bisection: the later a start, the
/// less can be reached.
Ticks PriceDescent::first_excluded(std::span<const double> price) {
    (void)surplus({.left = window_.problem().count, .waiting = {}}, price, all_, 0);
    Ticks low = 0;
    Ticks high = end_;
    while (low < high) {
        const Ticks middle = low + (high - low) / 2;
        if (window_.surplus(valuation_, start(middle)) < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

Prices PriceDescent::exclude(std::vector<double> price, std::size_t rounds, Meter& meter) {
    const Ticks ahead = std::max<Ticks>(1, end_ / steps_ahead);
    const double total = static_cast<double>(window_.problem().nodes());
    Step step{.pace = 2, .aim = aim * total, .softness = first_softness};
    begin();
    Prices best{price, first_excluded(price)};
    std::size_t idle = 0;
    for (std::size_t round = 0; round < rounds && !meter.over(); ++round) {
        const Position position = start(std::max<Ticks>(0, best.from - ahead));
        const double surplus =
            window_.surplus(valuation_, position) / static_cast<double>(window_.unit());
        improve(position, surplus, all_, step, price);
        // Nobody wants a node that is dearer than a faster one.
        for (std::size_t c = 1; c < price.size(); ++c) price[c] = std::min(price[c], price[c - 1]);
        meter.spend(window_.points() * window_.classes());
        step.softness = std::max(last_softness, step.softness * cooling);
        const Ticks from = first_excluded(price);
        if (from < best.from) {
            if (from + ahead / 4 < best.from) idle = 0;
            best = {price, from};
            step.pace = std::min(3.0, step.pace * 1.3);
        } else if (++idle > patience) {
            idle = 0;
            price = best.of;
            (void)first_excluded(price);
            step.pace = std::max(0.04, step.pace * 0.5);
            begin();
        }
    }
    return best;
}

}  // namespace espalier::sender
