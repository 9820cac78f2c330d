#include "simulate/check_capacity.hpp"

#include "simulate/check_reception.hpp"
#include "simulate/use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace espalier::simulate {

namespace {

/// How many bytes a capacity carries until each moment, while long messages draw on it. Only
/// messages in one piece are counted, because nobody states when each segment of a pipeline moves.
class Carried {
public:
    Carried(const Capacity& capacity, std::span<const Use> long_messages) {
        std::vector<std::pair<double, int>> changes;
        for (const Use& use : long_messages) {
            changes.emplace_back(use.start, 1);
            // What is over but for rounding is over.
            changes.emplace_back(std::max(use.start, use.end - use.rounding), -1);
        }
        std::ranges::sort(changes);
        double bytes = 0;
        double since = 0;
        int messages = 0;
        pieces_.push_back({0, 0, capacity.limit});
        for (const auto& [time, change] : changes) {
            bytes += (time - since) * pieces_.back().rate;
            since = time;
            messages += change;
            pieces_.push_back({time, bytes, capacity.carries(messages)});
        }
    }

    [[nodiscard]] double until(double time) const {
        const auto after = std::ranges::upper_bound(pieces_, time, {}, &Piece::since);
        const Piece& piece = *std::prev(after);
        return piece.bytes + (time - piece.since) * piece.rate;
    }

private:
    struct Piece {
        double since = 0;
        double bytes = 0;
        double rate = 0;
    };
    std::vector<Piece> pieces_;
};

/// As find_overload, for a capacity that carries less under incast.
std::optional<std::size_t> find_overload_under_incast(const std::vector<Use>& uses,
                                                      const Capacity& capacity,
                                                      std::span<const Use> long_messages) {
    if (static_cast<double>(long_messages.size()) <= capacity.incast_threshold)
        return find_overload(uses, capacity.limit);
    const Carried carried(capacity, long_messages);
    std::vector<Use> in_bytes = uses;
    for (Use& use : in_bytes) {
        use.start = carried.until(use.start);
        use.end = carried.until(use.end);
        use.rounding *= capacity.limit;
    }
    return find_overload(in_bytes, 1);
}

}  // namespace

std::optional<std::string> find_overloaded_capacity(const schedule::Schedule& schedule,
                                                    const Fabric& fabric,
                                                    std::span<const MessageCost> costs,
                                                    const schedule::Timeline& stated) {
    const auto capacities = fabric.capacities();
    std::vector<std::vector<Use>> uses(capacities.size());
    std::vector<std::vector<Use>> long_messages(capacities.size());
    for (std::size_t t = 0; t < costs.size() && !uses.empty(); ++t) {
        const auto& transfer = schedule.transfers[t];
        const auto& times = stated.transfers[t];
        const Bytes bytes = schedule.bytes_of(transfer);
        const Use use{times.start.value, times.end.value - costs[t].latency.value,
                      static_cast<double>(bytes.value), t, file_rounding * times.end.value};
        const Sharing sharing = fabric.sharing(transfer.from, transfer.to);
        const bool may_be_short =
            schedule::segment_bytes(bytes, schedule.segments_of(transfer), 0) <= sharing.burst;
        const bool is_long = schedule.segments_of(transfer) == 1 && !may_be_short;
        const auto draws = fabric.draws(transfer.from, transfer.to);
        for (std::size_t d = 0; d < draws.size(); ++d) {
            uses[draws[d]].push_back(use);
            // Short messages pass what is at their receiver's end a latency later.
            if (may_be_short && d >= sharing.before) uses[draws[d]].back().end = times.end.value;
            if (is_long) long_messages[draws[d]].push_back(use);
        }
    }
    for (std::size_t c = 0; c < uses.size(); ++c)
        if (const auto fault = find_overload_under_incast(uses[c], capacities[c], long_messages[c]))
            return fmt::format("{} asks more of '{}' than it carries",
                               describe_transfer(schedule, uses[c][*fault].transfer),
                               capacities[c].name);
    return std::nullopt;
}

}  // namespace espalier::simulate
