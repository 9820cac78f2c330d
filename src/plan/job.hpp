#pragma once

#include "network/grid_view.hpp"
#include "plan/limits.hpp"
#include "schedule/collective.hpp"
#include "schedule/timeline.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::plan {

/// How a message is cut: not at all, into what the search finds best, or into pieces of `bytes`.
struct Segmenting {
    enum class Mode { none, automatic, fixed };
    Mode mode = Mode::none;
    Bytes bytes;
};

/// The processes of a job and the grid under them: rank r sits at places[r]; several ranks may
/// share a node, and nodes or whole clusters of the grid may be unused.
struct Job {
    const network::GridView* view = nullptr;
    std::vector<network::GridView::Place> places;

    /// One rank on every node of the grid, in its order.
    [[nodiscard]] static Job everywhere(const network::GridView& view);
};

/// The names of the ranks' nodes, numbered where a node has several.
[[nodiscard]] std::vector<std::string> rank_names(const Job& job);

struct JobRequest {
    schedule::Kind kind = schedule::Kind::broadcast;  ///< or reduce
    std::size_t root = 0;                             ///< a rank
    Bytes bytes;
    /// A name of the grid family, or `auto`: the best prediction over all of them (but the baseline
    /// `grid-unaware`) times the local strategies. Where the job sits in one cluster, a name of the
    /// local family will do as well.
    std::string algorithm = "auto";
    /// A name of the local family for every cluster, or `auto`: the best prediction.
    std::string local = "auto";
    Segmenting segmenting;
    std::size_t ports = 1;  ///< sends, and receives, that a rank takes part in at once; >= 1
    Limits limits;          ///< of the algorithms that search
    bool spaced = false;    ///< see schedule::Schedule::spaced
    bool bounded = true;    ///< whether bounds are asked for; else they are 0
    /// What each segment is taken to cost beside what is simulated, where plans are compared.
    Seconds overhead;
};

/// How much shorter what shares capacities may turn out to be than it looks.
inline constexpr double most_gained_by_timing = 1.25;

/// The plan between groups (what a schedule file holds) and between ranks (what runs).
struct JobPlan {
    schedule::Plan clusters;  ///< nodes are the top-level clusters that the job uses
    /// Between ranks; none where some cluster's inside is known only by its broadcast time.
    std::optional<schedule::Plan> ranks;
};

/// Plans a broadcast on a grid, level by level. A reduction is planned as a broadcast on the grid
/// with all its links turned round, and read backwards (schedule::mirror); what is simulated is the
/// reduction. Throws InputError for another collective, an unknown algorithm or a pair of clusters
/// whose cost is needed and not known.
[[nodiscard]] JobPlan plan_job(const Job& job, const JobRequest& request);

/// The same; nullopt: all plans look longer than `longest`. That is soon seen, also where to
/// simulate long pipelines takes long.
[[nodiscard]] std::optional<JobPlan> plan_job_within(const Job& job, const JobRequest& request,
                                                     Seconds longest);

}  // namespace espalier::plan
