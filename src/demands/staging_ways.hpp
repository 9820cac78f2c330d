#pragma once

#include "demands/due_date_calendar.hpp"
#include "demands/problem.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace espalier::demands {

/// Ways of whole messages through nodes that store them and pass them on.
class Ways {
public:
    explicit Ways(const Problem& problem) : problem_(problem) {}

    struct Leg {
        Hop hop;
        Calendar::Place place;
        double gap = 0;
        double latency = 0;

        [[nodiscard]] double end() const { return place.start + gap + latency; }
    };
    /// The way on which a message is with its receiver first, given what the ports of all nodes are
    /// taken by: a shortest path on which a hop costs the wait for its ports, too. A relay that is
    /// no sooner is not taken. O(P^2) looks at the calendar for P nodes.
    [[nodiscard]] std::vector<Leg> quickest(const Calendar& calendar, std::size_t message);
    [[nodiscard]] Leg straight(const Calendar& calendar, std::size_t message) const;

private:
    struct Cost {
        double gap = 0;
        double latency = 0;
    };
    [[nodiscard]] Cost cost(std::size_t from, std::size_t to, Bytes bytes);
    [[nodiscard]] Cost find_cost(std::size_t from, std::size_t to, Bytes bytes) const;

    const Problem& problem_;
    std::unordered_map<std::uint64_t, std::vector<Cost>> known_;  ///< by size, from * P + to
};

}  // namespace espalier::demands
