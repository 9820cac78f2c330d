#include "plan/composed/scans.hpp"

#include "plan/composed/pieces.hpp"

namespace espalier::plan::composed {

namespace {

schedule::Transfer part(std::size_t from, std::size_t to) {
    return {.from = from, .to = to, .chunk = 0, .op = schedule::Op::combine};
}

}  // namespace

std::vector<schedule::Schedule> scan_chain(const Problem& problem) {
    schedule::Schedule schedule = empty_schedule(problem);
    schedule.chunks.push_back({.bytes = problem.request->bytes});
    for (std::size_t rank = 1; rank < schedule.nodes.size(); ++rank)
        schedule.transfers.push_back(part(rank - 1, rank));
    return {schedule};
}

std::vector<schedule::Schedule> doubling(const Problem& problem) {
    schedule::Schedule schedule = empty_schedule(problem);
    schedule.chunks.push_back({.bytes = problem.request->bytes});
    const std::size_t ranks = schedule.nodes.size();
    // Descending, so that every rank sends what it held before the step.
    for (std::size_t far = 1; far < ranks; far *= 2)
        for (std::size_t to = ranks; to-- > far;) schedule.transfers.push_back(part(to - far, to));
    return {schedule};
}

}  // namespace espalier::plan::composed
