#include "sender/problem.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <map>
#include <numeric>

namespace espalier::sender {

namespace {

constexpr double least_time = 1e-100;
constexpr double most_time = 1e100;
/// The slowest to the fastest: beyond, a sum loses the shorter of two times.
constexpr double most_apart = 1e13;

void require_sums(double fastest, double slowest) {
    if (fastest < least_time || slowest > most_time)
        throw InputError(
            "transmission_time", "",
            fmt::format("{} is not between {} and {}", fastest < least_time ? fastest : slowest,
                        least_time, most_time));
    if (slowest / fastest > most_apart)
        throw InputError("transmission_time", "",
                         fmt::format("{} and {} differ by more than {} times, which no sum of "
                                     "them shows",
                                     fastest, slowest, most_apart));
}

}  // namespace

std::uint64_t Problem::nodes() const {
    return std::accumulate(
        classes.begin(), classes.end(), std::uint64_t{0},
        [](std::uint64_t sum, const Class& members) { return sum + members.count; });
}

Problem make_problem(const network::SenderNetwork& network, schedule::Kind kind,
                     std::optional<std::size_t> root, std::size_t ports) {
    std::map<double, std::uint64_t> counts;
    for (const auto& members : network.classes) counts[members.transmission_time] += members.count;
    require_sums(counts.begin()->first, counts.rbegin()->first);
    Problem problem{.kind = kind, .classes = {}, .root = {}, .ports = ports};
    problem.classes.reserve(counts.size());
    for (const auto& [time, count] : counts) problem.classes.push_back({time, count});
    if (root) {
        const auto at = counts.find(network.class_of(*root).transmission_time);
        problem.root = static_cast<std::size_t>(std::distance(counts.begin(), at));
    } else if (!problem.is_broadcast()) {
        problem.root = problem.classes.size() - 1;
    }
    return problem;
}

}  // namespace espalier::sender
