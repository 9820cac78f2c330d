#include "sender/many_classes.hpp"

#include "core/infinity.hpp"
#include "sender/price_descent.hpp"
#include "sender/quick_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace espalier::sender {

namespace {

/// Joined classes: `first` is the first class of the problem in each, and its end the last.
struct Coarse {
    TickProblem problem;
    std::vector<std::size_t> first;
};

/// How finely a problem is looked at.
struct Grain {
    std::size_t classes;
    std::size_t ticks;  ///< until the makespan of a known schedule
    std::size_t rounds;
    bool orders;  ///< worth making schedules of
};
/// Prices of few classes come soon and are a good start for those of more.
constexpr std::array<Grain, 4> grains{{{16, 4096, 200, false},
                                       {40, 8192, 100, false},
                                       {80, 8192, 150, true},
                                       {140, 16384, 60, true}}};
constexpr std::size_t evening_rounds = 60;
constexpr double evening_step = 0.5;  // in softnesses, for e times too many
constexpr Grain quick_grain{40, 4096, 150, false};

/// A time too short for a tick would be rounded to nothing, and one that spans few is rounded by
/// much; more ticks than this take too long.
constexpr std::size_t most_ticks = std::size_t{1} << 20;
constexpr double least_ticks = 64;
constexpr std::size_t most_cells = std::size_t{1} << 22;

Coarse join(const Problem& problem, double horizon, std::size_t ticks, double width) {
    Coarse coarse;
    TickProblem& joined = coarse.problem;
    joined.kind = problem.kind;
    joined.ports = problem.ports;
    joined.horizon = static_cast<Ticks>(ticks);
    joined.tick = horizon / static_cast<double>(ticks);
    const auto in_ticks = [&](double time) {
        return static_cast<Ticks>(std::min(time / joined.tick, static_cast<double>(ticks + 1)));
    };
    const auto nodes = static_cast<double>(problem.nodes());
    double before = 0;
    for (std::size_t c = 0; c < problem.classes.size();) {
        const double time = problem.classes[c].time;
        const Ticks start = in_ticks(time);
        // Fast nodes send the most, and there the rounding costs the most.
        const double share = std::max(before / nodes, 1e-3);
        const Ticks end = std::max(start + 1, in_ticks(time * (1 + width * std::sqrt(share))));
        std::uint64_t count = 0;
        coarse.first.push_back(c);
        for (; c < problem.classes.size() && in_ticks(problem.classes[c].time) < end; ++c) {
            count += problem.classes[c].count;
            if (problem.root == c) joined.root = joined.classes();
        }
        joined.time.push_back(start);
        joined.count.push_back(count);
        before += static_cast<double>(count);
    }
    return coarse;
}

/// The problem with its times rounded, so that about so many classes are left at most. It has more
/// ticks, and then fewer classes, if the fastest time needs them; nullopt if it would have too
/// many.
std::optional<Coarse> coarsen(const Problem& problem, double horizon, const Grain& grain) {
    const double fastest = problem.classes.front().time;
    std::size_t ticks = grain.ticks;
    while (static_cast<double>(ticks) < least_ticks * horizon / fastest && ticks < most_ticks)
        ticks *= 2;
    if (fastest * static_cast<double>(ticks) < 2 * horizon) return std::nullopt;
    const auto classes = std::clamp<std::size_t>(most_cells / ticks, 4, grain.classes);
    double narrow = 1e-9;
    double wide = 1e9;
    Coarse coarse = join(problem, horizon, ticks, narrow);
    if (coarse.problem.classes() <= classes) return coarse;
    for (int i = 0; i < 40 && wide > narrow * 1.02; ++i) {
        const double width = std::sqrt(narrow * wide);
        coarse = join(problem, horizon, ticks, width);
        (coarse.problem.classes() > classes ? narrow : wide) = width;
    }
    return join(problem, horizon, ticks, wide);
}

/// Prices by their times: between two known ones in proportion, and without any as many nodes as
/// time would let one be replaced by twice over.
std::vector<double> carry_over(const Coarse& from, const std::vector<double>& price,
                               const Coarse& to) {
    std::vector<double> carried;
    std::size_t at = 0;
    for (const Ticks ticks : to.problem.time) {
        if (price.empty()) {
            carried.push_back(2 * std::log(static_cast<double>(to.problem.time.back()) /
                                           static_cast<double>(ticks)));
            continue;
        }
        const double time = to.problem.in_units(ticks);
        const auto time_at = [&](std::size_t c) {
            return from.problem.in_units(from.problem.time[c]);
        };
        while (at + 1 < price.size() && time_at(at + 1) <= time) ++at;
        const std::size_t next = std::min(at + 1, price.size() - 1);
        const double part =
            next == at ? 0
                       : std::clamp((time - time_at(at)) / (time_at(next) - time_at(at)), 0., 1.);
        carried.push_back(price[at] + part * (price[next] - price[at]));
    }
    return carried;
}

/// Every tick is looked at.
PriceDescent descent_of(const TickProblem& problem) {
    std::vector<Ticks> at(static_cast<std::size_t>(problem.horizon) + 1);
    std::iota(at.begin(), at.end(), Ticks{0});
    return {problem, std::move(at), problem.horizon + 1};
}

/// The proof that these prices give; nullopt if the first tick may already be enough.
std::optional<Proof> proof_of(const TickProblem& problem, const PriceDescent& descent,
                              const Prices& prices) {
    const Ticks bound = descent.end() - prices.from;
    if (bound <= 1) return std::nullopt;
    Proof proof{.tick = problem.tick,
                .classes = {},
                .price_unit = descent.window().unit(),
                .deadline = bound - 1,
                .lower_bound = bound};
    const auto price = descent.in_units(prices.of);
    for (std::size_t c = 0; c < problem.classes(); ++c)
        proof.classes.push_back({problem.time[c], problem.count[c], price[c]});
    return proof;
}

/// Turns a flow of joined classes into a sequence of single ones: as many nodes of each as its
/// share of the flow so far.
class Dealer {
public:
    Dealer(const Problem& problem, const Coarse& coarse, std::size_t root)
        : problem_(problem), coarse_(coarse), dealt_(coarse.first.size(), 0) {
        for (const auto& members : problem.classes) left_.push_back(members.count);
        --left_[root];
        for (std::size_t c = 0; c < coarse.first.size(); ++c)
            next_.push_back(
                (c + 1 < coarse.first.size() ? coarse.first[c + 1] : problem.classes.size()) - 1);
        sequence_.root = root;
    }

    Sequence deal(const std::vector<Flow::Share>& shares, const std::vector<double>& used) {
        std::vector<double> due(used.size(), 0);
        std::vector<std::uint64_t> all = coarse_.problem.count;
        --all[static_cast<std::size_t>(std::ranges::upper_bound(coarse_.first, sequence_.root) -
                                       coarse_.first.begin() - 1)];
        for (const auto& share : shares) {
            const std::size_t c = share.class_index;
            due[c] += static_cast<double>(share.count) * static_cast<double>(all[c]) / used[c];
            const double whole = std::min(std::floor(due[c] + 0.5), static_cast<double>(all[c]));
            emit(c, static_cast<std::uint64_t>(whole));
        }
        for (std::size_t c = 0; c < used.size(); ++c) emit(c, all[c]);
        // A reduction flows backwards in time.
        if (!problem_.is_broadcast()) std::ranges::reverse(sequence_.runs);
        return std::move(sequence_);
    }

private:
    /// The slowest of the class first.
    void emit(std::size_t c, std::uint64_t until) {
        while (dealt_[c] < until) {
            std::size_t& at = next_[c];
            while (left_[at] == 0) --at;
            const std::uint64_t count = std::min(left_[at], until - dealt_[c]);
            sequence_.add(at, count);
            left_[at] -= count;
            dealt_[c] += count;
        }
    }

    const Problem& problem_;
    const Coarse& coarse_;
    std::vector<std::uint64_t> left_;
    std::vector<std::size_t> next_;
    std::vector<std::uint64_t> dealt_;
    Sequence sequence_;
};

/// Orders by flows that use about as many nodes of each class as there are: small changes of the
/// prices even out what is used too much with what is used too little.
void offer_orders(const Problem& problem, const Coarse& coarse, PriceDescent& descent,
                  const Prices& prices, Meter& meter, Result& result) {
    const std::size_t cells = descent.window().points() * descent.window().classes();
    const Position start = descent.start(prices.from);
    for (const double softness : {0.01, 0.005}) {
        std::vector<double> price = prices.of;
        std::vector<double> best = price;
        double least = infinity;
        for (std::size_t i = 0; i < evening_rounds && !meter.over(); ++i) {
            const auto used = descent.flow(start, price, softness, nullptr);
            meter.spend(cells);
            double apart = 0;
            const std::vector<double> tried = price;
            for (std::size_t c = 0; c < price.size(); ++c) {
                const auto count = static_cast<double>(coarse.problem.count[c]);
                apart += std::abs(used[c] - count);
                const double change = std::log((used[c] + 1) / (count + 1));
                price[c] += evening_step * softness * std::clamp(change, -1.0, 1.0);
            }
            if (apart < least) {
                least = apart;
                best = tried;
            }
        }
        std::vector<Flow::Share> shares;
        const auto used = descent.flow(start, best, softness, &shares);
        result.offer(problem, Dealer(problem, coarse, problem.root.value_or(0)).deal(shares, used));
        if (meter.over()) break;
    }
}

}  // namespace

std::optional<Proof> price_proof(const Problem& problem, double horizon, Meter& meter) {
    const auto coarse = coarsen(problem, horizon, quick_grain);
    if (!coarse) return std::nullopt;
    PriceDescent descent = descent_of(coarse->problem);
    const Prices prices = descent.exclude(carry_over({}, {}, *coarse), quick_grain.rounds, meter);
    return proof_of(coarse->problem, descent, prices);
}

Result many_classes(const Problem& problem, const Limits& limits, Result result) {
    if (result.optimal) return result;
    Meter meter(limits);
    result.raise_bound(plain_bound(problem));
    Coarse coarse;
    Prices prices;
    for (const Grain& grain : grains) {
        if (meter.over() || result.optimal) break;
        auto finer = coarsen(problem, result.makespan, grain);
        if (!finer) break;
        auto start = carry_over(coarse, prices.of, *finer);
        coarse = std::move(*finer);
        PriceDescent descent = descent_of(coarse.problem);
        const std::uint64_t parts = grain.orders ? 2 : 1;  // half of the work is for orders
        const std::uint64_t affordable =
            meter.work_left() / (parts * descent.window().points() * descent.window().classes());
        prices = descent.exclude(std::move(start),
                                 std::min<std::uint64_t>(grain.rounds, affordable), meter);
        if (auto proof = proof_of(coarse.problem, descent, prices)) result.offer(std::move(*proof));
        if (grain.orders) offer_orders(problem, coarse, descent, prices, meter, result);
    }
    return result;
}

}  // namespace espalier::sender
