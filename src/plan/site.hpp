#pragma once

#include "network/grid_view.hpp"
#include "plan/job.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::plan {

/// A job as it sits in a grid, level by level: clusters (which may be grids) of nodes of ranks.
/// Levels with a single member are left out, except the outermost.
struct Site {
    std::string name;
    std::vector<Site> members;  ///< empty: one rank
    std::size_t rank = 0;       ///< of the job, where this is one rank
    /// The link between each two members if they are all alike (nodes of a cluster, ranks of a
    /// node).
    const network::PLogP* link = nullptr;
    /// The grid whose clusters, at the indices below, the members are.
    const network::GridNetwork* grid = nullptr;
    std::vector<std::size_t> index;
    /// The broadcast time of a cluster of whose links nothing is known.
    std::optional<Seconds> known_broadcast;

    /// The job's ranks below, in their order here.
    [[nodiscard]] std::vector<std::size_t> ranks() const;
    /// The index of the member that holds this rank; the first where none does.
    [[nodiscard]] std::size_t coordinating_member(std::size_t rank) const;
    [[nodiscard]] schedule::Group group() const;
    /// Whether it can be planned down to ranks.
    [[nodiscard]] bool is_known() const;
};

/// The places of one rank of each member of a job's site.
[[nodiscard]] std::vector<network::GridView::Place> coordinators(const Job& job, const Site& site);

/// The outermost site of a job: its members are the top-level clusters that the job uses. Throws
/// InputError where ranks share a cluster whose inner cost is not known.
[[nodiscard]] Site site_of(const Job& job);

}  // namespace espalier::plan
