#pragma once

#include "core/random.hpp"
#include "ring/ring_prices.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace espalier::ring {

/// A ring that a search changes step by step. A change is first bounded by the prices of the ring
/// as it is, which takes some tens of loads; only what this lets pass is priced itself.
class RingWalk {
public:
    RingWalk(const Problem& problem, PathPool& pool, PooledRing start);

    [[nodiscard]] const PooledRing& ring() const { return ring_; }
    [[nodiscard]] const Prices& prices() const { return prices_; }
    /// T with the bandwidths that the prices lead to, at most some per mille too much.
    [[nodiscard]] double step_time() const { return step_time_; }

    static constexpr std::size_t longest_chain = 8;

    /// Part of a ring that a change keeps: `count` places from `first` on, or from there backwards;
    /// or a host that is not in the ring.
    struct Piece {
        std::size_t first = 0;
        std::size_t count = 0;
        bool reversed = false;
        Host outsider = 0;  ///< if count is 0
    };
    /// At most so many pieces, joined by the paths that are cheapest at the present prices.
    struct Change {
        std::array<Piece, 4 + longest_chain> pieces{};
        std::size_t count = 0;
        void keep(std::size_t first, std::size_t end, bool reversed = false) {
            if (first < end) pieces[count++] = {first, end - first, reversed, 0};
        }
        void add(Host outsider) { pieces[count++] = {0, 0, false, outsider}; }
    };

    /// A chain of outsiders goes behind `place`; at most `longest_chain`.
    [[nodiscard]] Change insertion(std::span<const Host> chain, std::size_t place) const;
    [[nodiscard]] Change removal(std::size_t first, std::size_t count) const;
    [[nodiscard]] Change replacement(std::size_t place, Host outsider) const;
    /// What is after the first place, up to and with the second, backwards; first < second.
    [[nodiscard]] Change reversal(std::size_t first, std::size_t second) const;
    /// `count` places from `first` on go behind `place`, which is not one of them.
    [[nodiscard]] Change relocation(std::size_t first, std::size_t count, std::size_t place,
                                    bool reversed) const;
    [[nodiscard]] Change exchange(std::size_t first, std::size_t second) const;  ///< first < second

    /// No less than this can be the step of the changed ring, on paths of the cheapest.
    [[nodiscard]] double at_least(const Change& change);
    /// Makes the change if the step is then at most `enough`.
    bool make(const Change& change, double enough, const Pricer::Effort& effort);
    /// Likewise for one path: from the host at `place` to its successor, or back.
    [[nodiscard]] double at_least(std::size_t place, bool there, PathId path) const;
    bool reroute(std::size_t place, bool there, PathId path, double enough,
                 const Pricer::Effort& effort);

    void adopt(const PooledRing& ring, const Prices& prices);
    /// Again, with more or less effort.
    void price(const Pricer::Effort& effort);
    /// Offers the pool, for all pairs of hosts (or those of the ring), the paths that are cheapest
    /// at the present prices, to which each link adds `part` of what it costs to cross it alone.
    void offer_paths(double part, bool all_pairs);

    /// The platform's hosts.
    [[nodiscard]] std::size_t hosts() const { return place_.size(); }
    [[nodiscard]] bool has(Host host) const { return place_[host] != nowhere; }
    [[nodiscard]] std::size_t place_of(Host host) const { return place_[host]; }
    [[nodiscard]] const std::vector<Host>& outsiders() const { return outsiders_; }
    /// The hosts that are nearest along the problem's routes there and back, the nearest first.
    [[nodiscard]] const std::vector<Host>& neighbours(Host host) const { return near_[host]; }
    [[nodiscard]] PathPool& pool() { return pool_; }
    [[nodiscard]] std::uint64_t take_steps() {
        return std::exchange(steps_, 0) + pricer_.take_steps() + pool_.take_steps();
    }

private:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    struct Crossing {
        PathId path = 0;
        double cost = 0;
    };
    [[nodiscard]] Crossing cheapest(Host from, Host to);
    [[nodiscard]] Host head(const Piece& piece) const;
    [[nodiscard]] Host tail(const Piece& piece) const;
    /// The joint that the ring already has between the pieces, if any.
    [[nodiscard]] bool joined(const Piece& left, const Piece& right, std::size_t& joint,
                              bool& reversed) const;
    void find_neighbours();
    void build(const Change& change);
    bool try_ring(double enough, const Pricer::Effort& effort);
    void settle();

    const Problem& problem_;
    PathPool& pool_;
    Pricer pricer_;
    PooledRing ring_;
    Prices prices_;
    double step_time_ = 0;

    // What follows from the ring at its prices.
    std::vector<double> cost_before_;   ///< of the joints of all earlier places
    std::vector<double> speed_before_;  ///< of the hosts at all earlier places
    double paid_ = 0;                   ///< prices times bandwidths
    std::vector<std::size_t> place_;
    std::vector<Host> outsiders_;
    std::vector<std::vector<Host>> near_;

    PooledRing next_;
    Prices next_prices_;
    std::uint64_t steps_ = 0;
};

}  // namespace espalier::ring
