#pragma once

#include "core/meter.hpp"
#include "ring/allocation.hpp"
#include "ring/embedding.hpp"
#include "ring/path_search.hpp"

#include <array>
#include <optional>
#include <vector>

namespace espalier::ring {

/// Step times of rings that differ by less, relatively, are equal.
inline constexpr double tie = 1e-12;

/// A host that goes between two neighbours of a ring: the one at `place` and its successor.
struct Insertion {
    Host host = 0;
    std::size_t place = 0;
    std::array<Path, 4>
        paths;             ///< to the first neighbour, to the second, from the first and second
    FourRates rates{};     ///< of the paths
    double step_time = 0;  ///< T of the ring with it
    double balanced = 0;   ///< Equation 4 for it, which is at most T
};

/// The bandwidth that a ring leaves of each link, indexed by link; a backbone keeps all of it. Less
/// than 1e-9 of the link is a rounding error, and counts as none.
[[nodiscard]] std::vector<double> left_of_links(const Problem& problem, const Embedding& embedding,
                                                const Rates& rates);
/// Gives the bandwidths of the two paths between the host at `place` and its successor back to
/// `left`.
void give_back(const Platform& platform, const Embedding& embedding, const Rates& rates,
               std::size_t place, std::vector<double>& left);

/// Puts the host in.
void insert(const Insertion& insertion, Embedding& embedding, Rates& rates);

/// Finds the best way to grow a ring by one host (legrand-2003, 4.1 and 4.2). Each remaining host
/// is tried between each two neighbours; in its place, the two paths between them give back their
/// bandwidths, and four new paths are found independently of each other, each the widest in what is
/// left, and share what they have in common. Which of them are worth working out is told by what T
/// would be if they shared no more than the links next to the new host.
class Insertions {
public:
    /// `fixed_routes`: whether paths are the network's or the problem's own routes only.
    Insertions(const Problem& problem, bool fixed_routes);

    /// The one with the least T; among those that tie (often because another host communicates for
    /// longer than anybody else needs) by Equation 4; then the host with the lowest number, then
    /// the first place. nullopt where no host can be put anywhere, as every path has a link of
    /// which nothing is left; or when the meter is over.
    [[nodiscard]] std::optional<Insertion> find_best(const Embedding& embedding, const Rates& rates,
                                                     Meter& meter);

private:
    /// A host in a place, and T: first a lower bound on it, then T itself.
    struct Candidate {
        double step_time = 0;
        double balanced = 0;  ///< Equation 4
        Host host = 0;
        std::uint32_t place = 0;
    };
    /// The ring that grows, and what all its insertions have in common.
    struct Ring {
        const Embedding& embedding;
        const Rates& rates;
        std::vector<double> left;
        std::vector<double> to_successor;  ///< what each path costs its sender
        std::vector<double> to_predecessor;
        std::vector<std::size_t> by_communication;  ///< places, the longest communication first
        double speed = 0;
        double lost = 0;  ///< work that would be done in the time spent communicating
    };
    /// The current place's trees of one kind of path: more than are in use.
    struct Forest {
        std::vector<PathSearch::Tree> trees;
        std::size_t in_use = 0;
    };
    /// The widths between a neighbour at one place and all hosts, for each kind of path (as in
    /// Insertion).
    using Widths = std::array<std::vector<double>, 4>;

    [[nodiscard]] Ring examine(const Embedding& embedding, const Rates& rates) const;
    void go_to(const Ring& ring, std::size_t place);
    void find_widths(const Ring& ring, std::size_t place);
    void collect(const Ring& ring, std::size_t place, std::vector<Candidate>& candidates) const;
    [[nodiscard]] double speed_of(Host host) const {
        return 1 / problem_.platform.cycle_time(host);
    }
    /// Works it out. An infinite step_time where it is impossible.
    [[nodiscard]] Insertion work_out(const Ring& ring, Host host, std::size_t place);
    [[nodiscard]] Path find_path(Host neighbour, Host host, std::size_t kind, double width);
    void rate(const Ring& ring, Insertion& insertion) const;
    /// The longest communication of a host that is neither of the neighbours at `place`.
    [[nodiscard]] double longest_of_others(const Ring& ring, std::size_t place) const;
    [[nodiscard]] Candidate find_least(const Ring& ring, std::vector<Candidate> candidates,
                                       Meter& meter);

    const Problem& problem_;
    PathSearch paths_;
    Matrix<double> least_latencies_;
    std::vector<Host> remaining_;
    std::vector<double> left_;       ///< with what the current place gives back
    std::array<Forest, 4> forests_;  ///< of each kind of path
    std::optional<std::size_t> current_;
    std::vector<Widths> widths_;  ///< of each place
};

}  // namespace espalier::ring
