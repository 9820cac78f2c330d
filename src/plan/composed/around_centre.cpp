#include "plan/composed/around_centre.hpp"

#include "plan/composed/cuts.hpp"
#include "plan/composed/level_tree.hpp"

namespace espalier::plan::composed {

std::vector<schedule::Schedule> around_centre(const Problem& problem, Meter& meter) {
    const Bytes bytes = problem.request->bytes;
    std::vector<schedule::Schedule> found;
    if (problem.request->ordered) return found;
    for (const Site* member : central_members(problem)) {
        if (!found.empty() && meter.over()) break;
        meter.spend(2 * level_tree_steps(problem));
        const std::size_t centre = member->ranks().front();
        const Lane lane{level_tree(problem, centre, bytes, Direction::up),
                        level_tree(problem, centre, bytes, Direction::down)};
        found.push_back(put_on(problem, {lane}, in_turns(problem, 1, 1)));
    }
    return found;
}

}  // namespace espalier::plan::composed
