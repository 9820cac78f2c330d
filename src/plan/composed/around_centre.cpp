#include "plan/composed/around_centre.hpp"

#include "plan/composed/level_tree.hpp"
#include "plan/composed/pieces.hpp"

namespace espalier::plan::composed {

std::vector<schedule::Schedule> around_centre(const Problem& problem, Meter& meter) {
    const Bytes bytes = problem.request->bytes;
    std::vector<schedule::Schedule> found;
    if (problem.request->ordered) return found;
    for (const Site* member : central_members(problem)) {
        if (!found.empty() && meter.over()) break;
        meter.spend(2 * level_tree_steps(problem));
        const std::size_t centre = member->ranks().front();
        schedule::Schedule schedule = empty_schedule(problem);
        schedule.chunks.push_back({.bytes = bytes});
        combine(schedule, level_tree(problem, centre, bytes, Direction::up), 0);
        spread(schedule, level_tree(problem, centre, bytes, Direction::down), 0);
        found.push_back(std::move(schedule));
    }
    return found;
}

}  // namespace espalier::plan::composed
