#pragma once

#include "plan/job.hpp"
#include "simulate/fabric.hpp"

#include <memory>
#include <string>
#include <vector>

namespace espalier::plan {

/// A collective between the ranks of a job, and how it is to be planned.
struct CollectiveRequest {
    schedule::Kind kind = schedule::Kind::broadcast;
    std::size_t root = 0;  ///< a rank, where schedule::has_root(kind)
    Bytes bytes;           ///< of one rank's operand, see schedule::Collective
    /// Of each rank, where blocks differ (scatter, gather, all-gather, reduce-scatter).
    std::shared_ptr<const std::vector<Bytes>> blocks;
    /// The row sends to the column, where those of a total exchange differ.
    std::shared_ptr<const Matrix<Bytes>> sizes;
    bool ordered = false;  ///< the operator is not commutative
    /// A name of a family that serves the collective, or `auto`: the best of them, as simulated.
    std::string algorithm = "auto";
    /// No message passes a rank that is neither its source nor its target: for blocks whose sizes
    /// only those two know.
    bool direct = false;
    /// How messages are cut where an algorithm can; the search's own choice for `auto`.
    Segmenting segmenting{Segmenting::Mode::automatic, Bytes(0)};
    /// Sends, and receives, that a rank takes part in at once; >= 1. None: one, but where the
    /// network says what nodes send and receive in all, what is the fastest of one and several.
    std::optional<std::size_t> ports = 1;
    bool spaced = false;  ///< see schedule::Schedule::spaced
    /// Somebody waits for the plan: `auto` leaves out searches that gain little for their time.
    bool hurried = false;
    /// Whether the lower bound is asked for, which can take longer than the plan; else it is 0.
    bool bounded = true;
    Limits limits;
};

/// Whether `auto` takes composed plans for the collective. Trees side by side are for networks that
/// say what their messages share: where none does, they look as fast as if nothing were shared, and
/// one tree is not much slower if that is true.
[[nodiscard]] bool composes(schedule::Kind kind, bool ordered, const simulate::Fabric& fabric);

/// Plans any collective between ranks: nodes of the schedule are the job's ranks. Every schedule is
/// valid (schedule::find_violation), its timeline is simulated on the job's fabric, and the bound
/// is of scope any. Throws InputError for an algorithm that does not serve the collective, where a
/// cost is needed and not known, and where no plan keeps the order that an operator needs.
[[nodiscard]] schedule::Plan plan_collective(const Job& job, const CollectiveRequest& request);

/// Which plans beside the best one are worth a trial: predictions are not exact.
struct Shortlist {
    std::size_t most = 1;  ///< plans, each of another algorithm
    double within = 1;     ///< at most so many times as long as the best
};

/// The best plan first, as plan_collective() finds it, and others.
[[nodiscard]] std::vector<schedule::Plan> plan_collectives(const Job& job,
                                                           const CollectiveRequest& request,
                                                           const Shortlist& shortlist);

}  // namespace espalier::plan
