#pragma once

#include "measure/hidden_network.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace espalier::measure::test {

/// What far sites share, and how far they are from each other, as far as that tells anything.
enum class SiteKind {
    paths,     ///< paths out and in
    star,      ///< the same, and a middle that carries a part of what they do
    line,      ///< trunks between neighbours
    tree,      ///< the same, and here and there a path out or in
    racks,     ///< near each other; one host has a slow card, and seems to be a site of its own
    homes,     ///< few hosts each, whose lines are slower up than down, and one larger site
    campus,    ///< the first site has several buildings, some with paths of their own
    circuits,  ///< each two sites have a line of their own, and share nothing else
};
inline constexpr std::array site_kinds{SiteKind::paths,  SiteKind::star,    SiteKind::line,
                                       SiteKind::tree,   SiteKind::racks,   SiteKind::homes,
                                       SiteKind::campus, SiteKind::circuits};

/// Here and there two sites also have a path of their own, and a site is one host.
[[nodiscard]] HiddenNetwork random_sites(SiteKind kind, Random& random);

/// How much of it is found, and how true it is.
struct SitesScore {
    std::size_t capacities = 0;  ///< that hosts can fill, and more than one
    std::size_t found = 0;       ///< of these
    std::size_t stated = 0;
    std::size_t invented = 0;  ///< of these: what they are said to limit gets clearly more
    std::size_t pairs = 0;     ///< of sites, ordered
    std::size_t right = 0;     ///< of these: what all their hosts get together
    std::size_t patterns = 0;  ///< of other traffic: some pairs at once
    std::size_t patterns_right = 0;
    double factors = 0;    ///< logarithms of those by which all these are off, added up
    std::size_t late = 0;  ///< networks that took longer than they had

    void add(const SitesScore& other);
    /// The usual factor by which what pairs and patterns get is off.
    [[nodiscard]] double usual_factor() const;
};
constexpr double rate_tolerance = 0.2;

/// The seconds and longest round trips that a measurement may take.
struct SitesBudget {
    double seconds = 0;
    double round_trips = 0;
};
/// What is left for streams of 3 s and 40 round trips, and of the 2 s and 10 of a program's start.
constexpr SitesBudget good_budget{1.3, 35};
constexpr SitesBudget default_budget{0.5, 6};

/// Measures random sites on a clock whose noise is 3 to 8%, and tells what comes of it.
[[nodiscard]] SitesScore score_sites(SiteKind kind, std::uint64_t seed, const SitesBudget& budget);

}  // namespace espalier::measure::test
