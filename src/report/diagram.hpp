#pragma once

#include "report/timeline_svg.hpp"
#include "schedule/timeline.hpp"
#include "simulate/dependences.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::report {

/// The ways in which a plan is drawn.
enum class View {
    lanes,            ///< a row for each node, time to the right
    columns,          ///< a column for each node with what it sends, time downwards
    receive_columns,  ///< the same with what it receives
    both,             ///< both beside each other
    dependences,      ///< a node for each message, an edge for each wait
};
inline constexpr std::array all_views{View::lanes, View::columns, View::receive_columns, View::both,
                                      View::dependences};
[[nodiscard]] std::string_view name_of(View view);
[[nodiscard]] std::optional<View> find_view(std::string_view name);
/// Columns for a total exchange, as its theory draws them; lanes for the others.
[[nodiscard]] View usual_view(schedule::Kind kind);

/// The facts about a plan that diagrams show beside its times.
struct Analysis {
    simulate::Dependences dependences;
    simulate::CriticalPath path;
    /// The place of each transfer on the critical path, if it is on it.
    std::vector<std::optional<std::size_t>> step;
    /// By how much each transfer misses the deadline of a chunk that it brings to its receiver.
    std::vector<std::optional<Seconds>> late;

    [[nodiscard]] bool is_critical(std::size_t transfer) const {
        return step[transfer].has_value();
    }
    [[nodiscard]] bool any_late() const;
};
/// Throws std::invalid_argument where the timeline is not one of that schedule.
[[nodiscard]] Analysis analyse(const schedule::Plan& plan);

/// A transfer in lines, for whom points at it: who, what, when, what it waits for on the critical
/// path, and by how much it is late.
[[nodiscard]] std::string explain_transfer(const schedule::Plan& plan, const Analysis& analysis,
                                           std::size_t transfer, const std::string& time_unit);

/// When all may go on after each of the schedule's barriers.
[[nodiscard]] std::vector<Seconds> barrier_times(const schedule::Plan& plan);

/// The diagram as one SVG document. Throws std::invalid_argument as timeline_svg() does.
[[nodiscard]] std::string diagram_svg(const schedule::Plan& plan, View view,
                                      const TimelineOptions& options = {});

}  // namespace espalier::report
