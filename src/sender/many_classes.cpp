#include "sender/many_classes.hpp"

#include "sender/greedy.hpp"
#include "sender/price_tuner.hpp"
#include "sender/quick_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace espalier::sender {

namespace {

/// Joined classes: `first` is the first class of the problem in each, and its end the last.
struct Coarse {
    double tick = 1;
    TickProblem problem;
    std::vector<std::size_t> first;
};

/// How finely to look at a problem.
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
/// Of sums of times.
constexpr double rounding = 2e-12;
constexpr Grain quick_grain{40, 4096, 150, false};

/// A time too short for a tick would be rounded to nothing, and one that spans few is rounded by
/// much; more ticks than this take too long.
constexpr std::size_t most_ticks = std::size_t{1} << 20;
constexpr double least_ticks = 64;
constexpr std::size_t most_cells = std::size_t{1} << 22;

Coarse join(const Problem& problem, double horizon, std::size_t ticks, double width) {
    Coarse coarse{.tick = horizon / static_cast<double>(ticks), .problem = {}, .first = {}};
    TickProblem& joined = coarse.problem;
    joined.kind = problem.kind;
    joined.ports = problem.ports;
    const auto in_ticks = [&](double time) {
        return static_cast<Ticks>(std::min(time / coarse.tick, static_cast<double>(ticks + 1)));
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

/// More ticks where the fastest time needs them, and then fewer classes. False where it would take
/// too many.
bool fit(const Problem& problem, double horizon, Grain& grain) {
    const double fastest = problem.classes.front().time;
    while (static_cast<double>(grain.ticks) < least_ticks * horizon / fastest &&
           grain.ticks < most_ticks)
        grain.ticks *= 2;
    grain.classes = std::clamp<std::size_t>(most_cells / grain.ticks, 4, grain.classes);
    return fastest * static_cast<double>(grain.ticks) >= 2 * horizon;
}

/// With at most about so many classes.
Coarse coarsen(const Problem& problem, double horizon, Grain grain) {
    double narrow = 1e-9;
    double wide = 1e9;
    Coarse coarse = join(problem, horizon, grain.ticks, narrow);
    if (coarse.problem.classes() <= grain.classes) return coarse;
    for (int i = 0; i < 40 && wide > narrow * 1.02; ++i) {
        const double width = std::sqrt(narrow * wide);
        coarse = join(problem, horizon, grain.ticks, width);
        (coarse.problem.classes() > grain.classes ? narrow : wide) = width;
    }
    return join(problem, horizon, grain.ticks, wide);
}

/// Prices of other classes, by their times.
std::vector<double> carry_over(const Coarse& from, const std::vector<double>& price,
                               const Coarse& to) {
    std::vector<double> carried;
    std::size_t at = 0;
    for (const Ticks ticks : to.problem.time) {
        const double time = static_cast<double>(ticks) * to.tick;
        const auto time_at = [&](std::size_t c) {
            return static_cast<double>(from.problem.time[c]) * from.tick;
        };
        while (at + 1 < price.size() && time_at(at + 1) <= time) ++at;
        if (at + 1 == price.size()) {
            carried.push_back(price[at]);
            continue;
        }
        const double part =
            std::clamp((time - time_at(at)) / (time_at(at + 1) - time_at(at)), 0.0, 1.0);
        carried.push_back(price[at] + part * (price[at + 1] - price[at]));
    }
    return carried;
}

std::vector<double> first_guess(const Coarse& coarse) {
    std::vector<double> price;
    const auto slowest = static_cast<double>(coarse.problem.time.back());
    for (const Ticks time : coarse.problem.time)
        price.push_back(2 * std::log(slowest / static_cast<double>(time)));
    return price;
}

Proof proof_of(const Coarse& coarse, const TunedPrices& tuned) {
    const double unit = price_unit(coarse.problem);
    Proof proof{.tick = coarse.tick,
                .classes = {},
                .price_unit = static_cast<std::int64_t>(unit),
                .deadline = static_cast<Ticks>(tuned.deadline),
                .lower_bound = static_cast<Ticks>(tuned.deadline) + 1};
    for (std::size_t c = 0; c < coarse.problem.classes(); ++c)
        proof.classes.push_back({coarse.problem.time[c], coarse.problem.count[c],
                                 static_cast<std::int64_t>(tuned.price[c] * unit)});
    return proof;
}

/// Turns a flow of joined classes into a sequence of single ones: as many nodes of each as its
/// share of the flow so far.
class Dealer {
public:
    Dealer(const Problem& problem, const Coarse& coarse, std::size_t root, bool slowest_first)
        : problem_(problem), coarse_(coarse), root_(root), slowest_first_(slowest_first) {
        for (const auto& members : problem.classes) left_.push_back(members.count);
        --left_[root];
        for (std::size_t c = 0; c < coarse.first.size(); ++c)
            next_.push_back(slowest_first ? end(c) - 1 : coarse.first[c]);
        dealt_.assign(coarse.first.size(), 0);
    }

    Sequence deal(const std::vector<PriceFlow::Share>& shares, const std::vector<double>& used) {
        const TickProblem& joined = coarse_.problem;
        std::vector<double> due(used.size(), 0);
        std::vector<std::uint64_t> all;
        std::size_t root = 0;
        while (root + 1 < coarse_.first.size() && coarse_.first[root + 1] <= root_) ++root;
        for (std::size_t c = 0; c < used.size(); ++c)
            all.push_back(joined.count[c] - (c == root ? 1 : 0));
        for (const auto& share : shares) {
            const std::size_t c = share.class_index;
            due[c] += static_cast<double>(share.count) * static_cast<double>(all[c]) / used[c];
            const double whole = std::min(std::floor(due[c] + 0.5), static_cast<double>(all[c]));
            emit(c, static_cast<std::uint64_t>(whole));
        }
        for (std::size_t c = 0; c < used.size(); ++c) emit(c, all[c]);
        // A reduction flows backwards in time.
        if (!problem_.is_broadcast()) std::ranges::reverse(sequence_.runs);
        sequence_.root = root_;
        return std::move(sequence_);
    }

private:
    [[nodiscard]] std::size_t end(std::size_t c) const {
        return c + 1 < coarse_.first.size() ? coarse_.first[c + 1] : problem_.classes.size();
    }

    void emit(std::size_t c, std::uint64_t until) {
        while (dealt_[c] < until) {
            std::size_t& at = next_[c];
            if (left_[at] == 0) {
                at += slowest_first_ ? std::size_t(-1) : 1;
                continue;
            }
            const std::uint64_t count = std::min(left_[at], until - dealt_[c]);
            auto& runs = sequence_.runs;
            if (!runs.empty() && runs.back().class_index == at)
                runs.back().count += count;
            else
                runs.push_back({at, count});
            left_[at] -= count;
            dealt_[c] += count;
        }
    }

    const Problem& problem_;
    const Coarse& coarse_;
    std::size_t root_;
    bool slowest_first_;
    std::vector<std::uint64_t> left_;
    std::vector<std::size_t> next_;
    std::vector<std::uint64_t> dealt_;
    Sequence sequence_;
};

class Narrowing {
public:
    Narrowing(const Problem& problem, const Limits& limits, Result& result)
        : problem_(problem),
          meter_({.time = limits.time}),
          work_left_(limits.most_steps()),
          result_(result) {}

    void run() {
        result_.lower_bound = plain_bound(problem_);
        Coarse coarse;
        TunedPrices tuned;
        for (Grain grain : grains) {
            if (meter_.over() || !fit(problem_, result_.makespan, grain)) break;
            const std::uint64_t cells = grain.classes * grain.ticks;
            grain.rounds = std::min<std::uint64_t>(grain.rounds, work_left_ / cells);
            if (grain.rounds == 0) break;
            work_left_ -= grain.rounds * cells;
            Coarse finer = coarsen(problem_, result_.makespan, grain);
            auto start =
                tuned.price.empty() ? first_guess(finer) : carry_over(coarse, tuned.price, finer);
            coarse = std::move(finer);
            tuned =
                tune_prices(coarse.problem, grain.ticks, std::move(start), grain.rounds, meter_);
            keep_bound(coarse, tuned);
            if (grain.orders) keep_orders(coarse, tuned, grain.ticks);
        }
        result_.optimal = result_.makespan <= result_.lower_bound * (1 + rounding);
        if (result_.optimal) result_.lower_bound = result_.makespan;
    }

private:
    void keep_bound(const Coarse& coarse, const TunedPrices& tuned) {
        Proof proof = proof_of(coarse, tuned);
        const double bound = static_cast<double>(proof.lower_bound) * proof.tick;
        if (tuned.deadline == 0 || bound <= result_.lower_bound) return;
        result_.lower_bound = bound;
        result_.proof = std::move(proof);
    }

    /// Orders by flows that use about as many nodes of each class as there are: small changes of
    /// the prices even out what is used too much with what is used too little.
    void keep_orders(const Coarse& coarse, const TunedPrices& tuned, std::size_t ticks) {
        PriceFlow flow(coarse.problem, ticks);
        const std::size_t root = problem_.root.value_or(0);
        for (const double softness : {0.01, 0.005}) {
            std::vector<double> price = tuned.price;
            std::vector<double> best = price;
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; i < evening_rounds && !meter_.over(); ++i) {
                flow.evaluate(price, ticks);
                const auto used = flow.flow(price, tuned.deadline, softness, nullptr);
                double apart = 0;
                const std::vector<double> tried = price;
                for (std::size_t c = 0; c < price.size(); ++c) {
                    const auto count = static_cast<double>(coarse.problem.count[c]);
                    apart += std::abs(used[c] - count);
                    price[c] += evening_step * softness *
                                std::clamp(std::log((used[c] + 1) / (count + 1)), -1.0, 1.0);
                }
                if (apart < least) {
                    least = apart;
                    best = tried;
                }
            }
            if (meter_.over()) return;
            flow.evaluate(best, ticks);
            std::vector<PriceFlow::Share> shares;
            const auto used = flow.flow(best, tuned.deadline, softness, &shares);
            keep(Dealer(problem_, coarse, root, true).deal(shares, used));
        }
    }

    void keep(Sequence sequence) {
        const double makespan = makespan_of(problem_, sequence);
        if (makespan >= result_.makespan) return;
        result_.makespan = makespan;
        result_.sequence = std::move(sequence);
    }

    const Problem& problem_;
    const Meter meter_;
    std::uint64_t work_left_;
    Result& result_;
};

}  // namespace

std::optional<Proof> price_proof(const Problem& problem, double horizon, const Meter& meter) {
    Grain grain = quick_grain;
    if (!fit(problem, horizon, grain)) return std::nullopt;
    const Coarse coarse = coarsen(problem, horizon, grain);
    const auto tuned =
        tune_prices(coarse.problem, grain.ticks, first_guess(coarse), grain.rounds, meter);
    if (tuned.deadline == 0) return std::nullopt;
    return proof_of(coarse, tuned);
}

Result many_classes(const Problem& problem, const Limits& limits) {
    Result result = greedy(problem);
    if (result.optimal) return result;
    Narrowing(problem, limits, result).run();
    return result;
}

}  // namespace espalier::sender
