#pragma once

#include "core/infinity.hpp"
#include "core/units.hpp"
#include "network/spread.hpp"
#include "plan/job.hpp"
#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::plan {

/// Reads `p90`: 90. Throws InputError that names `where` for all but p50, …, p99.
[[nodiscard]] unsigned parse_robust(std::string_view text, const std::string& where);

/// What a job's network may turn out to be (network::draw_scenarios), and percentiles over that. A
/// percentile p is the least time that more than p of a hundred scenarios don't exceed. Whatever is
/// compared is so in the same scenarios (common random numbers).
class Scenarios {
public:
    /// What is known of a cluster by its broadcast time alone is as stated, and so is all that
    /// happens inside of clusters then. The job must outlive this.
    Scenarios(const Job& job, unsigned percentile);

    /// The steps of drawing the scenarios of a job.
    [[nodiscard]] static std::uint64_t steps(const Job& job);
    [[nodiscard]] unsigned percentile() const { return percentile_; }

    struct Quantile {
        std::optional<Seconds> time;  ///< nullopt: longer than the limit
        std::size_t simulations = 0;
    };
    /// The percentile of a schedule's makespan, given up as soon as it is over a limit for certain.
    [[nodiscard]] Quantile makespan(const schedule::Schedule& schedule,
                                    Seconds limit = Seconds(infinity)) const;
    /// Of what is a lower bound of makespans on each fabric: a lower bound of their percentile.
    [[nodiscard]] Seconds bound(
        const std::function<Seconds(const simulate::Fabric&)>& bound_of) const;

private:
    unsigned percentile_;
    std::vector<network::Scenario> scenarios_;
    std::vector<std::unique_ptr<const simulate::Fabric>> fabrics_;
};

}  // namespace espalier::plan
