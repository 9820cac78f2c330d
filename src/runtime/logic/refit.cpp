#include "runtime/logic/refit.hpp"

#include "core/infinity.hpp"
#include "network/grid_rates.hpp"
#include "plan/overhead.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace espalier::runtime {

namespace {

using network::GridNetwork;
using network::GridRate;
using network::GridView;
using Places = std::vector<GridView::Place>;

/// A change of a rate counts if what remains unexplained gets less than this part.
constexpr double explains = 0.8;
/// Of rates that leave no more than so many times as much unexplained none explains more.
constexpr double as_much = 1.05;
/// Rates that are changed at most.
constexpr std::size_t most_changes = 3;
/// Rates whose change is looked at closely, each time.
constexpr std::size_t looked_at = 6;
/// Simulations of each of these.
constexpr int simulations = 10;

/// The time between the first and the last of a row of messages.
struct Span {
    Seconds first{infinity};
    Seconds last{0};
    void add(Seconds begin, Seconds end) {
        first = std::min(first, begin);
        last = std::max(last, end);
    }
    [[nodiscard]] double seconds() const { return std::max((last - first).value, 0.0); }
};
/// By receiving rank, and the leaf that the messages come from.
using Spans = std::map<std::pair<std::size_t, std::size_t>, Span>;

/// What a plan's call took, and what it would take on other networks.
class Comparison {
public:
    Comparison(const SeenCall& call, const Places& places, double uncertainty)
        : call_(call), places_(places), usual_part_(usual_part(call, uncertainty)) {
        for (const Stream& stream : call.streams)
            observed_[{stream.to, places[stream.from].leaf}].add(stream.first, stream.last);
    }

    /// The seconds by which the call, and each row of its messages, would have taken another time
    /// than it did.
    [[nodiscard]] double error(const simulate::Fabric& fabric) const {
        const schedule::Schedule& plan = *call_.plan;
        const schedule::Timeline timeline = simulate::simulate(plan, fabric);
        Spans expected;
        for (std::size_t t = 0; t < timeline.transfers.size(); ++t) {
            const schedule::Transfer& transfer = plan.transfers[t];
            const schedule::Timeline::Times& times = timeline.transfers[t];
            const auto row = observed_.find({transfer.to, places_[transfer.from].leaf});
            if (row == observed_.end()) continue;
            const auto segments = static_cast<double>(plan.segments_of(transfer));
            const Seconds first = times.arrival + (times.end - times.arrival) * (1 / segments);
            expected[row->first].add(first, times.end);
        }
        double sum = std::abs(usual_part_ * timeline.makespan.value - call_.took.value);
        for (const auto& [row, span] : observed_)
            sum += std::abs(usual_part_ * expected[row].seconds() - span.seconds());
        return sum;
    }

    [[nodiscard]] Seconds took() const { return call_.took; }
    /// All times that error() compares, in seconds.
    [[nodiscard]] double seconds() const {
        double sum = call_.took.value;
        for (const auto& [row, span] : observed_) sum += span.seconds();
        return sum;
    }
    /// By how many times it was faster than usual.
    [[nodiscard]] double faster() const { return call_.usual / call_.took; }

private:
    const SeenCall& call_;
    const Places& places_;
    double usual_part_;
    Spans observed_;
};

/// By how much round trips over links are longer, by the latest ones, of which the shortest over a
/// link counts; only where that is more than predictions may be off.
std::map<GridRate, Seconds> longer_by(const GridView& view, const Places& places,
                                      std::span<const SeenCall> calls) {
    std::map<GridRate, std::pair<double, Seconds>> least;
    for (const RoundTrip& trip : calls.back().round_trips) {
        const auto [from, to] = std::minmax(places[trip.from].leaf, places[trip.to].leaf);
        const Seconds known =
            view.link(from, to)->delivery(Bytes(1)) + view.link(to, from)->delivery(Bytes(1));
        const std::pair now(trip.time / known, trip.time - known);
        const auto [place, is_new] = least.try_emplace(network::link_between(view, from, to), now);
        place->second = std::min(place->second, now);
    }
    std::map<GridRate, Seconds> longer;
    const double off = 1 + view.grid().uncertainty;
    for (const auto& [link, now] : least)
        if (now.first > off || now.first < 1 / off) longer.emplace(link, now.second);
    return longer;
}

class Search {
public:
    Search(const GridView& view, const Places& places, std::span<const SeenCall> calls)
        : places_(places), longer_(longer_by(view, places, calls)) {
        for (const SeenCall& call : calls) {
            calls_.emplace_back(call, places, view.grid().uncertainty);
            for (const schedule::Transfer& transfer : call.plan->transfers)
                messages_ += call.plan->segments_of(transfer);
        }
        for (const GridRate& rate : network::rates_of(view.grid())) {
            std::size_t messages = 0;
            for (const SeenCall& call : calls)
                messages += messages_over(rate, *call.plan, view, places);
            if (messages > 0) rates_.push_back({rate, messages});
        }
        // Of equals the first is taken.
        std::ranges::stable_sort(rates_, {}, &Used::messages);
    }

    [[nodiscard]] std::vector<Refit> find(const GridNetwork& believed, std::uint64_t steps) const {
        Refit best{believed, {}, false};
        double unexplained = error(believed);
        std::vector<std::pair<Refit, double>> others;
        // Of each change, with a simulation of each call for each network that is looked at.
        const std::uint64_t cost = messages_ * plan::steps_a_queued_message *
                                   (2 * rates_.size() + looked_at * simulations);
        bool knows_latencies = longer_.empty();
        // What predictions may be off by anyway needs no explanation; nor is there any change where
        // all times are off by no more than that.
        double enough = 0;
        double all = 0;
        for (const Comparison& call : calls_) {
            enough += believed.uncertainty * call.took().value;
            all += believed.uncertainty * call.seconds();
        }
        if (unexplained <= all) return {{std::move(best.grid), {}, true}};
        for (std::size_t k = 0; k < most_changes && unexplained > enough && (k + 1) * cost <= steps;
             ++k) {
            const std::vector<Tried> next = change(best.grid, enough);
            const double by_rate = next.empty() ? infinity : next.front().error;
            if (!knows_latencies) {
                Refit longer = with_latencies(best);
                const double by_latency = error(longer.grid);
                // Round trips were measured, rates are concluded.
                if (by_latency <= explains * unexplained &&
                    by_latency <= std::max(as_much * by_rate, enough)) {
                    knows_latencies = true;
                    unexplained = by_latency;
                    best = std::move(longer);
                    continue;
                }
            }
            if (by_rate > explains * unexplained) break;
            const auto also = [&](const Refit& refit, const Tried& tried) {
                return changed(refit, {tried.rate, tried.times, Seconds(0)});
            };
            // What explained as much until now may do so with this change as well.
            for (auto& [other, left] : others) {
                Refit more = also(other, next.front());
                const double with = error(more.grid);
                if (with >= left) continue;
                other = std::move(more);
                left = with;
            }
            for (std::size_t other = 1; other < next.size(); ++other)
                others.emplace_back(also(best, next[other]), next[other].error);
            unexplained = by_rate;
            best = also(best, next.front());
        }
        best.explains_all = unexplained <= enough;
        std::vector<Refit> found{std::move(best)};
        for (auto& [other, left] : others)
            if (left <= std::max(as_much * unexplained, enough)) found.push_back(std::move(other));
        return found;
    }

private:
    static GridRate reversed(GridRate link) {
        std::swap(link.index, link.to);
        return link;
    }

    [[nodiscard]] static Refit changed(const Refit& before, const network::GridChange& change) {
        Refit after{network::with_change(before.grid, change), before.changes, false};
        network::add_change(after.changes, change);
        return after;
    }

    /// `before` with round trips as they are now. How much of one is the way there no clock tells:
    /// both ways have as much, or one has all, whichever explains most.
    [[nodiscard]] Refit with_latencies(const Refit& before) const {
        Refit found = before;
        for (const auto& [link, longer] : longer_) {
            double least = infinity;
            Refit best = found;
            for (const double there : {0.5, 1.0, 0.0}) {
                Refit tried = found;
                for (const auto& [way, part] :
                     {std::pair(link, there), std::pair(reversed(link), 1 - there)}) {
                    if (part > 0) tried = changed(tried, {way, 1, longer * part});
                }
                const double left = error(tried.grid);
                if (as_much * left >= least) continue;
                least = left;
                best = std::move(tried);
            }
            found = std::move(best);
        }
        return found;
    }

    struct Used {
        GridRate rate;
        std::size_t messages;
    };
    struct Tried {
        GridRate rate;
        std::size_t messages;
        double times;
        double error;
    };

    [[nodiscard]] double error(const GridNetwork& grid) const {
        const GridView view(grid);
        const auto fabric = simulate::make_rank_fabric(view, places_);
        double sum = 0;
        for (const Comparison& call : calls_) sum += call.error(*fabric);
        return sum;
    }

    /// The changes of one rate that explain most, or all but `enough`, those of rates that fewest
    /// messages need first.
    [[nodiscard]] std::vector<Tried> change(const GridNetwork& grid, double enough) const {
        const auto [slowest, fastest] =
            std::ranges::minmax_element(calls_, {}, &Comparison::faster);
        std::vector<Tried> tried;
        for (const Used& used : rates_) {
            Tried best{used.rate, used.messages, 1, infinity};
            for (const double times : {slowest->faster(), fastest->faster()}) {
                const double left = error(network::with_rate(grid, used.rate, times));
                if (left < best.error) best = {used.rate, used.messages, times, left};
            }
            tried.push_back(std::move(best));
        }
        if (tried.empty()) return tried;
        std::ranges::stable_sort(tried, {}, &Tried::error);
        tried.resize(std::min(looked_at, tried.size()));
        for (Tried& each : tried) each = look_closely(grid, std::move(each));
        const double least = std::ranges::min(tried, {}, &Tried::error).error;
        const double most = std::max(as_much * least, enough);
        std::erase_if(tried, [&](const Tried& each) { return each.error > most; });
        std::ranges::stable_sort(tried, {}, &Tried::messages);
        return tried;
    }

    /// Golden-section search between no change and three times as much as the first try, on a
    /// logarithmic scale.
    [[nodiscard]] Tried look_closely(const GridNetwork& grid, Tried tried) const {
        constexpr double golden = 0.6180339887498949;
        double low = 0;
        double high = 3 * std::log(tried.times);
        const auto at = [&](double logarithm) {
            const double times = std::exp(logarithm);
            const double left = error(network::with_rate(grid, tried.rate, times));
            if (left < tried.error) {
                tried.times = times;
                tried.error = left;
            }
            return left;
        };
        double inner = high - golden * (high - low);
        double outer = low + golden * (high - low);
        double error_inner = at(inner);
        double error_outer = at(outer);
        for (int k = 0; k < simulations; ++k) {
            if (error_inner <= error_outer) {
                high = outer;
                outer = std::exchange(inner, outer - golden * (outer - low));
                error_outer = std::exchange(error_inner, at(inner));
            } else {
                low = inner;
                inner = std::exchange(outer, inner + golden * (high - inner));
                error_inner = std::exchange(error_outer, at(outer));
            }
        }
        return tried;
    }

    const Places& places_;
    std::map<GridRate, Seconds> longer_;
    std::vector<Comparison> calls_;
    std::uint64_t messages_ = 0;
    std::vector<Used> rates_;
};

}  // namespace

std::size_t messages_over(const GridRate& rate, const schedule::Schedule& plan,
                          const GridView& view, const Places& places) {
    std::size_t messages = 0;
    for (const schedule::Transfer& transfer : plan.transfers) {
        const GridView::Place& from = places[transfer.from];
        const GridView::Place& to = places[transfer.to];
        if (from != to && network::is_used(rate, view, from.leaf, to.leaf))
            messages += plan.segments_of(transfer);
    }
    return messages;
}

double usual_part(const SeenCall& call, double uncertainty) {
    return std::max(call.usual / call.predicted, 1 / (1 + uncertainty));
}

std::vector<RoundTrip> round_trips_of(const schedule::Schedule& plan, const Places& places) {
    std::map<std::pair<std::size_t, std::size_t>, RoundTrip> first;
    for (const schedule::Transfer& transfer : plan.transfers) {
        const auto leaves = std::minmax(places[transfer.from].leaf, places[transfer.to].leaf);
        if (leaves.first != leaves.second)
            first.try_emplace(leaves, RoundTrip{transfer.from, transfer.to, Seconds(0)});
    }
    std::vector<RoundTrip> trips;
    for (const auto& [leaves, trip] : first) trips.push_back(trip);
    return trips;
}

std::vector<Refit> refit(const GridView& view, const Places& places,
                         std::span<const SeenCall> calls, std::uint64_t steps) {
    return Search(view, places, calls).find(view.grid(), steps);
}

}  // namespace espalier::runtime
