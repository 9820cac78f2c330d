#pragma once

#include "plan/bounds/links.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::plan::bounds {

/// Nodes in groups. Bounds that are derived for groups hold for any grouping; they are tight where
/// the nodes of a group are alike.
using Grouping = std::vector<std::vector<std::size_t>>;

/// Of so many groups all unions are looked at.
inline constexpr std::size_t few_groups = 8;

/// Groups of nodes whose links to and from all others have the same costs and capacities. A
/// capacity that one node alone draws on (its network card) is compared by its size; if that makes
/// too many groups, it is not compared. There are at most `most` groups: if more were needed, the
/// last one holds nodes that differ.
[[nodiscard]] Grouping like_nodes(const simulate::Fabric& fabric, const Matrix<Link>& links,
                                  std::size_t most);

/// What is true of all links between two groups.
class Groups {
public:
    Groups(const simulate::Fabric& fabric, const Matrix<Link>& links, Grouping members,
           std::size_t ports);

    [[nodiscard]] std::size_t size() const { return members_.size(); }
    [[nodiscard]] const std::vector<std::size_t>& members(std::size_t group) const {
        return members_[group];
    }
    /// How many messages its nodes can send, or receive, at once.
    [[nodiscard]] double ports(std::size_t group) const {
        return ports_ * static_cast<double>(members_[group].size());
    }
    /// The least of each cost.
    [[nodiscard]] const Link& link(std::size_t from, std::size_t to) const {
        return links_(from, to);
    }
    /// On which of limits() every message between the groups draws. One limit may stand for many
    /// capacities of which each message draws on one: it is their sum.
    [[nodiscard]] const std::vector<std::uint32_t>& draws(std::size_t from, std::size_t to) const {
        return draws_(from, to);
    }
    [[nodiscard]] const std::vector<double>& limits() const { return limits_; }
    /// When something that a node of `from` has at the start can be at one of `to`.
    [[nodiscard]] double soonest(std::size_t from, std::size_t to) const {
        return soonest_(from, to);
    }

private:
    void find_links(const Matrix<Link>& links);
    void find_draws(const simulate::Fabric& fabric, const Matrix<Link>& links);

    Grouping members_;
    double ports_;
    Matrix<Link> links_;
    Matrix<std::vector<std::uint32_t>> draws_;
    std::vector<double> limits_;
    Matrix<double> soonest_;
};

}  // namespace espalier::plan::bounds
