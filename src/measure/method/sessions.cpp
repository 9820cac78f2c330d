#include "measure/method/sessions.hpp"

#include "measure/method/tournament.hpp"

#include <algorithm>

namespace espalier::measure {

namespace {

/// The seconds that one direction needs: some tens of round trips, and time to move a few MiB.
double expected_time(double round_trip) {
    constexpr double round_trips = 12;
    constexpr double bulk_s = 0.25;
    return round_trips * round_trip + bulk_s;
}

}  // namespace

std::vector<Session> plan_sessions(const Matrix<double>& round_trips, bool symmetric) {
    const std::size_t clusters = round_trips.rows();
    std::vector<Session> sessions;
    for (std::size_t round = 0; round < tournament_rounds(clusters); ++round)
        for (const auto& [low, high] : pairs_of_round(clusters, round)) {
            const double weight = expected_time(round_trips(low, high));
            sessions.push_back({low, high, weight, 0});
            if (!symmetric) sessions.push_back({high, low, weight, 0});
        }
    std::vector<double> after(clusters, 0);
    for (auto session = sessions.rbegin(); session != sessions.rend(); ++session) {
        session->tail = session->weight + std::max(after[session->from], after[session->to]);
        after[session->from] = session->tail;
        after[session->to] = session->tail;
    }
    return sessions;
}

}  // namespace espalier::measure
