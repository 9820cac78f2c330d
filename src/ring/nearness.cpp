#include "ring/nearness.hpp"

#include <algorithm>
#include <utility>

namespace espalier::ring {

Matrix<double> distances(const Problem& problem) {
    const std::size_t hosts = problem.platform.hosts();
    const auto one_way = [&](Host from, Host to) {
        const Path& path = problem.routes(from, to);
        double sum = problem.delay(from, to, path) / problem.exchange;
        for (const LinkId link : path) sum += 1 / problem.platform.link(link).bandwidth;
        return sum;
    };
    Matrix<double> result(hosts, hosts, 0);
    for (Host from = 0; from < hosts; ++from)
        for (Host to = 0; to < from; ++to)
            result(from, to) = result(to, from) = one_way(from, to) + one_way(to, from);
    return result;
}

std::vector<Host> tour_by_nearness(const Problem& problem, const Matrix<double>& distances) {
    std::vector<Host> tour;
    for (Host host = 0; host < problem.platform.hosts(); ++host) tour.push_back(host);
    const auto cycle_time = [&](Host host) { return problem.platform.cycle_time(host); };
    std::iter_swap(tour.begin(), std::ranges::min_element(tour, {}, cycle_time));
    for (auto next = tour.begin() + 1; next != tour.end(); ++next) {
        const auto row = distances.row(*(next - 1));
        const auto nearest = std::min_element(next, tour.end(), [&](Host a, Host b) {
            return std::pair(row[a], a) < std::pair(row[b], b);
        });
        std::iter_swap(next, nearest);
    }
    return tour;
}

}  // namespace espalier::ring
