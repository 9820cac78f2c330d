#pragma once

#include "plan/composed/halves.hpp"
#include "plan/composed/level_tree.hpp"
#include "plan/composed/loads.hpp"
#include "plan/composed/pieces.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::plan::composed {

/// How a lane passes a site whose members are alike: from one to the next, down a binary tree, or
/// down a binomial one.
enum class Shape { chain, binary, binomial };

/// The trees of one part of a message: to its centre, away from it, or both.
struct Lane {
    std::optional<Tree> up;
    std::optional<Tree> down;
    /// Of both, the first edge at the centre is one between halves, which send each other what they
    /// have combined: the centre's to the first child down, to which the first child up has copied
    /// that of its half.
    bool exchange = false;
};

/// Trees for parts of one message that travel at the same time: each tree is grown, by levels, past
/// what the ports and shared capacities have to carry for those before it. In every site another
/// rank is the one that receives for it, so that all of a cluster's ranks take turns.
class Lanes {
public:
    /// Of messages of `segment` bytes; `share` is what each tree carries in all.
    Lanes(const Problem& problem, Bytes segment, Bytes share, Shape shape);

    /// The tree on which a segment goes away from, or towards, this rank.
    [[nodiscard]] Tree grow(std::size_t root, Direction direction);
    /// Trees in both halves, and what these exchange.
    [[nodiscard]] Lane grow(const Halves& halves);

    /// A rank of the site that has had the least to do so far; another than `but`.
    [[nodiscard]] std::size_t idlest(const Site& site, std::optional<std::size_t> but = {}) const;

    /// How long the busiest port or shared capacity is busy with all trees, in seconds.
    [[nodiscard]] double load() const { return loads_.most(); }
    /// The longest that one segment takes along one of the trees grown last, or through both of an
    /// exchange, in seconds.
    [[nodiscard]] double depth() const { return depth_; }

private:
    struct Growth;
    [[nodiscard]] Growth begin(std::size_t root, Direction direction) const;
    /// The trees of halves, whose roots are joined.
    [[nodiscard]] Tree grow(const Halves& halves, std::size_t near, std::size_t far,
                            Direction direction);
    void enter(const Site& site, std::size_t rank, Growth& growth);
    [[nodiscard]] std::size_t entrance(const Site& site, const Growth& growth) const;
    [[nodiscard]] std::size_t gateway(const Site& site, std::size_t rank, Growth& growth);
    void pass_along(const Site& site, std::size_t first, std::vector<std::size_t> ranks,
                    Growth& growth);
    void reach_out(std::size_t first, const std::vector<std::size_t>& ranks, Growth& growth);
    /// The busiest of what a message between them draws on, once it carries one share more.
    [[nodiscard]] double load_with(std::size_t from, std::size_t to, Direction direction) const;
    void join(std::size_t from, std::size_t to, Growth& growth);
    [[nodiscard]] simulate::MessageCost cost(std::size_t from, std::size_t to, Bytes bytes,
                                             Direction direction) const;

    const Problem* problem_;
    const simulate::Fabric* fabric_;
    Bytes segment_;
    Shape shape_;
    double messages_ = 1;  ///< of a share
    Loads loads_;
    double depth_ = 0;
};

/// About when the last of the segments, which take turns on the lanes, is everywhere, in seconds:
/// the longest that one takes along a lane, and then as long as the busiest port or shared capacity
/// is busy with the others. Each rank has so many ports.
[[nodiscard]] double estimate(const simulate::Fabric& fabric, std::size_t ports,
                              const std::vector<Lane>& lanes, Bytes segment, std::size_t segments);

}  // namespace espalier::plan::composed
