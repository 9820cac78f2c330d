#pragma once

#include "core/matrix.hpp"
#include "ring/path_search.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace espalier::ring {

using PathId = std::uint32_t;  ///< in the order in which a PathPool came to know them

/// The paths that a search chooses from: of each ordered pair of hosts the problem's route and
/// those that were offered last, up to `most` in all. Each path is stored once, for ever.
class PathPool {
public:
    static constexpr std::size_t most = 6;

    /// `fixed`: only the problem's routes, whatever is offered.
    PathPool(const Problem& problem, bool fixed);

    struct Entry {
        std::uint32_t first = 0;  ///< of its shared links, which ascend
        std::uint32_t last = 0;
        double delay = 0;
        double width = 0;  ///< least bandwidth, backbones among them; infinite if it has no link
    };
    [[nodiscard]] const Entry& entry(PathId id) const { return entries_[id]; }
    [[nodiscard]] std::span<const LinkId> shared_links(PathId id) const {
        const Entry& entry = entries_[id];
        return std::span(shared_).subspan(entry.first, entry.last - entry.first);
    }
    [[nodiscard]] const Path& path(PathId id) const { return paths_[id]; }

    /// The known paths of a pair, at least one; the problem's route is the first.
    [[nodiscard]] const std::vector<PathId>& between(Host from, Host to);
    /// Adds a path; returns its number, new or old. For the pair, this path now counts as the one
    /// offered last.
    PathId add(Host from, Host to, const Path& path);
    /// A path that stands for any of these: it has the links that all of them cross, the least
    /// delay and the greatest width. It is no path of its own, unless they are one.
    PathId stand_in(std::span<const PathId> paths);
    /// Offers the paths that are cheapest when crossing a link costs its weight (>= 0), from `from`
    /// to each of `targets`.
    void offer_cheapest(Host from, std::span<const Host> targets, std::span<const double> weights);

    [[nodiscard]] bool fixed() const { return fixed_; }
    /// Steps spent since the last call, for a Meter.
    [[nodiscard]] std::uint64_t take_steps() { return std::exchange(steps_, 0); }

private:
    PathId store(Host from, Host to, const Path& path);
    PathId store(std::span<const LinkId> shared, double delay, double width);

    const Problem& problem_;
    bool fixed_;
    std::vector<Entry> entries_;
    std::vector<Path> paths_;
    std::vector<LinkId> shared_;
    Matrix<std::vector<PathId>> between_;  ///< the route, then what was offered last at the end
    std::optional<PathSearch> search_;     ///< where not all paths are fixed
    PathSearch::Tree tree_;
    std::uint64_t steps_ = 0;
};

}  // namespace espalier::ring
