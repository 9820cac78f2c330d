#pragma once

#include "plan/bounds/groups.hpp"
#include "schedule/collective.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace espalier::plan::bounds {

/// What a collective has to bring from which nodes to which, in bytes. Gathers, reductions and
/// reduce-scatters are none of them: their mirrors are, on the network turned round.
class Demand {
public:
    explicit Demand(const schedule::Collective& collective);

    /// Whether what several nodes have for one joins into one (contributions that are combined), or
    /// is one thing for all that need it (copies).
    [[nodiscard]] bool joins_sources() const { return joins_sources_; }
    [[nodiscard]] bool joins_targets() const { return joins_targets_; }
    /// Where all comes from one node.
    [[nodiscard]] bool has_root() const { return schedule::has_root(collective_.kind); }
    /// Where it depends on nodes' numbers who has something for whom.
    [[nodiscard]] bool is_ordered() const { return schedule::is_scan(collective_.kind); }
    [[nodiscard]] std::size_t nodes() const { return collective_.nodes; }
    [[nodiscard]] std::size_t root() const { return collective_.root; }

    [[nodiscard]] double bytes(std::size_t from, std::size_t to) const;
    /// Whether something that `from` has must reach `to`, were it without bytes.
    [[nodiscard]] bool must_reach(std::size_t from, std::size_t to) const;
    /// What has to leave a node for any others, and what of others has to enter it.
    [[nodiscard]] double out_of(std::size_t node) const { return out_[node]; }
    [[nodiscard]] double into(std::size_t node) const { return in_[node]; }
    /// Of everything; no message could be longer.
    [[nodiscard]] Bytes all() const { return all_; }

private:
    schedule::Collective collective_;
    bool joins_sources_;
    bool joins_targets_;
    std::vector<double> out_;
    std::vector<double> in_;
    Bytes all_;
};

/// A demand between groups of nodes.
class GroupDemand {
public:
    /// `demand` must outlive it.
    GroupDemand(const Demand& demand, const Groups& groups);

    /// What has to get from any of some groups to any of others, all of which differ.
    [[nodiscard]] double bytes(std::span<const std::size_t> from,
                               std::span<const std::size_t> to) const;

private:
    /// How many different sums over first nodes of `from` a scan brings to nodes of `to`, in the
    /// order of their numbers.
    [[nodiscard]] std::size_t prefixes(std::span<const std::size_t> from,
                                       std::span<const std::size_t> to) const;

    const Demand& demand_;
    Matrix<double> pairs_;
    std::vector<std::size_t> group_of_;
};

}  // namespace espalier::plan::bounds
