#include "plan/grid/fef.hpp"

#include "plan/grid/greedy.hpp"
#include "plan/grid/look_ahead.hpp"

namespace espalier::plan::grid {

const Matrix<double>& distances(const Problem& problem) {
    for (std::size_t i = 0; i < problem.size(); ++i)
        for (std::size_t j = 0; j < problem.size(); ++j)
            if (i != j && problem.latency(i, j) > 0) return problem.latency;
    return problem.gap;
}

Order fef(const Problem& problem) {
    const auto distance = [&weights = distances(problem)](const Problem&, const SendPorts&,
                                                          std::size_t from, std::size_t to) {
        return weights(from, to);
    };
    return grow(problem, distance, LeastFirst(NoLookAhead{}));
}

}  // namespace espalier::plan::grid
