#include "sender/lattice.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace espalier::sender {

namespace {

/// `sums` and what up to `most` further terms of `time` make of them, up to `horizon`. False once
/// there are more than `most_points`.
bool add_multiples(std::vector<Ticks>& sums, Ticks time, std::uint64_t most, Ticks horizon,
                   std::size_t most_points) {
    std::vector<Ticks> result;
    std::vector<std::uint64_t> terms;  // the fewest of `time` that each sum needs
    std::size_t from_sums = 0;
    std::size_t from_result = 0;
    for (;;) {
        while (from_result < result.size() && terms[from_result] == most) ++from_result;
        const bool old = from_sums < sums.size();
        const bool longer = from_result < result.size() && result[from_result] <= horizon - time;
        if (!old && !longer) break;
        if (result.size() == most_points) return false;
        if (old && (!longer || sums[from_sums] <= result[from_result] + time)) {
            if (longer && sums[from_sums] == result[from_result] + time) ++from_result;
            result.push_back(sums[from_sums++]);
            terms.push_back(0);
        } else {
            result.push_back(result[from_result] + time);
            terms.push_back(terms[from_result] + 1);
            ++from_result;
        }
    }
    sums = std::move(result);
    return true;
}

/// Adds to each point the one to which a send of each class leads: the last point that is not after
/// its end, and before `end`; with `exact`, the point at its end or none.
Lattice with_successors(const TickProblem& problem, std::vector<Ticks> at, Ticks end, bool exact) {
    const std::size_t classes = problem.classes();
    Lattice lattice{.classes = classes, .at = std::move(at), .next = {}};
    const auto& times = lattice.at;
    lattice.next.assign(times.size() * classes, Lattice::none);
    for (std::size_t c = 0; c < classes; ++c) {
        std::size_t to = 0;
        for (std::size_t from = 0; from < times.size(); ++from) {
            // A time beyond the horizon may be near the end of what a Ticks can hold.
            if (problem.time[c] >= end - times[from]) break;
            while (to + 1 < times.size() && times[to + 1] - times[from] <= problem.time[c]) ++to;
            if (!exact || times[to] - times[from] == problem.time[c])
                lattice.next[from * classes + c] = static_cast<std::uint32_t>(to);
        }
    }
    return lattice;
}

}  // namespace

std::size_t Lattice::last_by(Ticks deadline) const {
    const auto after = std::ranges::upper_bound(at, deadline);
    assert(after != at.begin());
    return static_cast<std::size_t>(after - at.begin()) - 1;
}

std::optional<Lattice> make_lattice(const TickProblem& problem, Ticks horizon,
                                    std::size_t most_points) {
    most_points = std::min<std::size_t>(most_points, Lattice::none);
    const bool from_root = problem.is_broadcast() && problem.root;
    const Ticks first = from_root ? problem.time[*problem.root] : 0;
    std::vector<Ticks> at;
    if (first <= horizon) {
        at.push_back(0);
        for (std::size_t c = 0; c < problem.classes(); ++c) {
            const bool given_root = problem.root == c;
            const std::uint64_t most = problem.is_broadcast()
                                           ? std::numeric_limits<std::uint64_t>::max()
                                           : problem.count[c] - (given_root ? 1 : 0);
            if (problem.time[c] > horizon - first || most == 0) continue;
            if (!add_multiples(at, problem.time[c], most, horizon - first, most_points))
                return std::nullopt;
        }
        for (Ticks& time : at) time += first;
    }
    if (first > 0) at.insert(at.begin(), 0);
    const Ticks end = at.back() + 1;
    return with_successors(problem, std::move(at), end, true);
}

Lattice rounding_lattice(const TickProblem& problem, std::vector<Ticks> at, Ticks end) {
    return with_successors(problem, std::move(at), end, false);
}

}  // namespace espalier::sender
