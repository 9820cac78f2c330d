#pragma once

#include "core/meter.hpp"
#include "plan/algorithm.hpp"
#include "plan/job.hpp"
#include "plan/request.hpp"
#include "plan/site.hpp"
#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::plan {

/// A smaller segment gains nothing but headers.
inline constexpr std::uint64_t least_segment_bytes = 512;

/// How trees are looked for; by bench/race.
struct TreeSearch {
    /// Segments, at most, inside a cluster that has to be done before its coordinator sends: each
    /// has transfers of its own (schedule::level_by_level).
    std::size_t spelled_out = 64;
    /// Segment sizes that are tried with every order and strategy, of those that look best with one
    /// of each.
    std::size_t segment_sizes = 3;
    /// Of what is left, for one order between clusters that nobody asked for by name.
    double part_of_a_search = 0.25;
};
inline constexpr TreeSearch tree_search;

/// Along so many edges: of more segments, simulating them takes more than planning may cost where
/// nobody says otherwise.
[[nodiscard]] std::size_t most_segments(std::size_t edges, std::uint64_t steps_a_message);

/// Makes broadcast schedules level by level: between clusters by an order of sends, inside a
/// cluster and inside a node by a strategy, and times them down to ranks. Where a reduction is
/// asked for, the broadcast is one on the links turned round, to be read backwards.
class LevelPlanner {
public:
    using Order = std::function<grid::Order(const grid::Problem&)>;

    /// The request states its ports. Each segment is taken to cost `overhead` beside what is
    /// simulated. `local` restricts the strategies inside clusters to one; nullptr: any. Searches
    /// are charged to the meter, which must outlive this.
    LevelPlanner(const Job& job, const Request& request, Seconds overhead, Meter& meter,
                 const Algorithm* local);

    /// A schedule over the members of a site that are clusters, each of which gets the message
    /// whole and spreads it in the way of the best simulated time (the T_i of the heuristics).
    [[nodiscard]] schedule::Schedule whole(const Site& site, const Order& order);

    /// The same, everything cut into the same `segments`, with one strategy inside clusters.
    [[nodiscard]] schedule::Schedule pipelined(const Site& site, const Order& order,
                                               const Algorithm& local, std::size_t segments);

    /// What was asked for: the broadcast, or its mirror.
    [[nodiscard]] schedule::Schedule as_asked(const schedule::Schedule& broadcast) const;

    /// When the last rank of a site is done with a broadcast schedule, or with its mirror if that
    /// is asked for: of a pipeline about (composed::estimate), else as simulated.
    [[nodiscard]] Seconds estimate(const Site& site, const schedule::Schedule& broadcast);

    /// The timeline between the members of a site, and between its ranks (site order), of a
    /// schedule as asked.
    [[nodiscard]] schedule::Timeline time_members(const Site& site,
                                                  const schedule::Schedule& schedule) const;

private:
    [[nodiscard]] const simulate::Fabric& fabric_of(const Site& site);
    [[nodiscard]] Seconds simulated(const Site& site, const schedule::Schedule& ranks);

    using Part = schedule::LocalPart;

    [[nodiscard]] std::optional<Part> whole_part(const Site& site);
    [[nodiscard]] Part best_strategy(const Site& site);
    [[nodiscard]] Part best_order(const Site& site);
    [[nodiscard]] std::optional<Part> pipelined_part(const Site& site, const Order& order,
                                                     const Algorithm& local, std::size_t segments);
    [[nodiscard]] bool reversed() const;
    [[nodiscard]] grid::Order arranged(const grid::Problem& problem,
                                       const grid::Order& order) const;
    [[nodiscard]] grid::Problem problem(const Site& site, std::size_t segments) const;
    [[nodiscard]] schedule::Schedule between(const Site& site, const grid::Order& order,
                                             std::vector<Part> parts, std::size_t segments) const;
    [[nodiscard]] schedule::Schedule strategy_schedule(const Site& site, const Algorithm& local,
                                                       std::size_t segments) const;

    const Job& job_;
    const Request& request_;
    Seconds overhead_;
    Meter& meter_;
    const Algorithm* local_;
    /// What was chosen inside sites that differ in nothing but their names.
    std::map<std::pair<const network::PLogP*, std::vector<std::size_t>>, Part> chosen_;
    std::map<const Site*, Part> chosen_order_;  ///< inside sites that are grids
    std::map<const Site*, std::unique_ptr<const simulate::Fabric>> fabrics_;  ///< between ranks
};

/// The cost of a message of `bytes` between two members of a site that are clusters; throws
/// InputError naming them where it is not known.
[[nodiscard]] const network::PLogP& link_between(const Site& site, std::size_t from,
                                                 std::size_t to);

}  // namespace espalier::plan
