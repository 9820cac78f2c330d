#include "plan/scenarios.hpp"

#include "core/error.hpp"
#include "plan/site.hpp"
#include "simulate/bounds.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace espalier::plan {

namespace {

Seconds at_percentile(std::vector<Seconds> times, unsigned percentile) {
    const auto place = times.begin() + static_cast<std::ptrdiff_t>(percentile);
    std::ranges::nth_element(times, place);
    return *place;
}

}  // namespace

unsigned parse_robust(std::string_view text, const std::string& where) {
    unsigned percentile = 0;
    if (text.starts_with('p')) {
        const std::string_view digits = text.substr(1);
        const auto [rest, fault] =
            std::from_chars(digits.data(), digits.data() + digits.size(), percentile);
        if (fault != std::errc{} || rest != digits.data() + digits.size()) percentile = 0;
    }
    if (percentile < schedule::least_percentile || percentile > schedule::most_percentile)
        throw InputError(where, "",
                         fmt::format("'{}' is none of p{}, …, p{}", text,
                                     schedule::least_percentile, schedule::most_percentile));
    return percentile;
}

Scenarios::Scenarios(const Job& job, unsigned percentile)
    : percentile_(percentile), scenarios_(network::draw_scenarios(*job.view)) {
    static_assert(network::scenario_count == 100, "a scenario is one per cent");
    const Site site = site_of(job);
    fabrics_ = simulate::make_rank_fabrics(
        *job.view, site.is_known() ? job.places : coordinators(job, site), scenarios_);
}

std::uint64_t Scenarios::steps(const Job& job) {
    const std::size_t leaves = job.view->leaves().size();
    return simulate::steps_a_cost * network::scenario_count * leaves * leaves;
}

Scenarios::Quantile Scenarios::makespan(const schedule::Schedule& schedule, Seconds limit) const {
    Quantile found;
    std::vector<Seconds> times;
    std::size_t longer = 0;
    for (const auto& fabric : fabrics_) {
        times.push_back(simulate::simulate(schedule, *fabric).makespan);
        ++found.simulations;
        if (times.back() > limit && ++longer >= fabrics_.size() - percentile_) return found;
    }
    found.time = at_percentile(std::move(times), percentile_);
    return found;
}

Seconds Scenarios::bound(const std::function<Seconds(const simulate::Fabric&)>& bound_of) const {
    std::vector<Seconds> bounds;
    for (const auto& fabric : fabrics_) bounds.push_back(bound_of(*fabric));
    return at_percentile(std::move(bounds), percentile_);
}

}  // namespace espalier::plan
