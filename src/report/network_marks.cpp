#include "report/network_marks.hpp"

#include <optional>

namespace espalier::report {

namespace {

/// Whether a capacity is of what its side sends, receives, or both.
std::string arrow(bool sends, bool receives) { return sends ? receives ? "↕ " : "↑ " : "↓ "; }

class Marker {
public:
    Marker(const overview::Overview& overview, const NetworkPlaces& places,
           const overview::Unit& rate)
        : overview_(overview), rate_(rate), spot_of_(overview.groups.size()) {
        marks_.lines.resize(places.spots.size());
        for (std::size_t s = 0; s < places.spots.size(); ++s)
            if (places.spots[s].id < spot_of_.size()) spot_of_[places.spots[s].id] = s;
    }

    void mark_sites() {
        std::map<std::string, std::vector<std::size_t>> sites;
        for (std::size_t group = 0; group < spot_of_.size(); ++group)
            if (const std::string& site = overview_.groups[group].site;
                !site.empty() && spot_of_[group])
                sites[site].push_back(*spot_of_[group]);
        for (const auto& [site, spots] : sites)
            if (spots.size() > 1) marks_.hulls[spots].lines.push_back(site);
    }

    /// Nothing of a capacity whose side is not on the map.
    void mark(const overview::Capacity& capacity) {
        const overview::Side side = side_of(capacity);
        std::vector<std::size_t> spots;
        for (const std::size_t group : side.groups)
            if (spot_of_[group]) spots.push_back(*spot_of_[group]);
        if (spots.empty() || spots.size() < side.groups.size()) return;
        if (capacity.from.size() == 1 && capacity.to.size() == 1) {
            if (const auto to = spot_of_[capacity.to.front()])
                marks_.ticks.push_back({spots.front(), *to, &capacity});
            return;
        }
        const std::string what = arrow(side.sends, side.receives) + rate_.with_name(capacity.rate);
        if (spots.size() == 1) {
            marks_.lines[spots.front()].push_back(what);
        } else {
            NetworkMarks::Hull& hull = marks_.hulls[spots];
            hull.capacity = true;
            hull.lines.push_back(what);
        }
    }

    [[nodiscard]] NetworkMarks marks() && { return std::move(marks_); }

private:
    const overview::Overview& overview_;
    const overview::Unit& rate_;
    std::vector<std::optional<std::size_t>> spot_of_;  ///< of each group
    NetworkMarks marks_;
};

}  // namespace

NetworkMarks network_marks(const overview::Overview& overview, const NetworkPlaces& places,
                           const overview::Unit& rate) {
    Marker marker(overview, places, rate);
    marker.mark_sites();
    if (!places.wires)
        for (const auto& capacity : overview.capacities) marker.mark(capacity);
    return std::move(marker).marks();
}

}  // namespace espalier::report
