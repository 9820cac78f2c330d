#include "plan/gather/improve.hpp"

#include "core/random.hpp"
#include "plan/gather/tour.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace espalier::plan::gather {

namespace {

using Leg = Tour::Leg;

constexpr std::size_t vain_kicks = 60;
/// Of runs that are moved, in rings of more nodes than `most_thorough`.
constexpr std::size_t longest_run = 3;
constexpr std::size_t most_thorough = 48;

class Improver {
public:
    Improver(const Problem& problem, Aim aim, Order order, Meter& meter)
        : problem_(problem), tour_(problem, aim, std::move(order)), meter_(meter) {}

    void descend() {
        while (!meter_.over() && (moves_a_run() || turns_a_part())) {
        }
    }
    Tour& tour() { return tour_; }

private:
    /// The run at places [begin, begin + length) goes between the neighbours further on.
    bool moves_a_run() {
        const std::size_t nodes = tour_.size();
        const std::size_t longest = nodes <= most_thorough ? nodes - 2 : longest_run;
        for (std::size_t length = 1; length <= std::min(longest, nodes - 2); ++length)
            for (std::size_t begin = 0; begin < nodes; ++begin) {
                meter_.spend(nodes * work_of_a_move);
                if (meter_.over()) return false;
                for (std::size_t away = 0; away + length + 1 < nodes; ++away)
                    if (tries_move(begin, length, away)) return true;
            }
        return false;
    }

    bool tries_move(std::size_t begin, std::size_t length, std::size_t away) {
        const std::size_t end = begin + length;
        const std::size_t before = tour_.at(begin + tour_.size() - 1);
        const std::size_t first = tour_.at(begin);
        const std::size_t last = tour_.at(end - 1);
        const std::size_t next = tour_.at(end);
        const std::size_t left = tour_.at(end + away);
        const std::size_t right = tour_.at(end + away + 1);
        removed_ = {{before, first}, {last, next}, {left, right}};
        added_ = {{before, next}, {left, first}, {last, right}};
        if (tour_.is_better(removed_, added_)) {
            perform_move(begin, length, away, false);
            return true;
        }
        if (length == 1 || length > longest_run) return false;
        added_ = {{before, next}, {left, last}, {first, right}};
        turn(begin, end);
        if (!tour_.is_better(removed_, added_)) return false;
        perform_move(begin, length, away, true);
        return true;
    }

    void perform_move(std::size_t begin, std::size_t length, std::size_t away, bool turned) {
        Order run;
        Order rest;
        for (std::size_t k = 0; k < length; ++k) run.push_back(tour_.at(begin + k));
        for (std::size_t k = length; k < tour_.size(); ++k) rest.push_back(tour_.at(begin + k));
        if (turned) std::reverse(run.begin(), run.end());
        rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(away) + 1, run.begin(), run.end());
        tour_.replace(std::move(rest));
    }

    bool turns_a_part() {
        const std::size_t nodes = tour_.size();
        for (std::size_t begin = 0; begin < nodes; ++begin) {
            meter_.spend(nodes * work_of_a_move);
            if (meter_.over()) return false;
            for (std::size_t length = 2; length + 1 < nodes; ++length)
                if (tries_turn(begin, begin + length)) return true;
        }
        return false;
    }

    bool tries_turn(std::size_t begin, std::size_t end) {
        const std::size_t before = tour_.at(begin + tour_.size() - 1);
        const std::size_t first = tour_.at(begin);
        const std::size_t last = tour_.at(end - 1);
        const std::size_t next = tour_.at(end);
        // Where both ends get worse, what lies between them will hardly make good for it.
        const double gain = problem_.hop(before, first) + problem_.hop(last, next) -
                            problem_.hop(before, last) - problem_.hop(first, next);
        if (gain < 0 && std::max(problem_.step(before, last), problem_.step(first, next)) >=
                            tour_.value().slowest)
            return false;
        removed_ = {{before, first}, {last, next}};
        added_ = {{before, last}, {first, next}};
        turn(begin, end);
        meter_.spend(end - begin);
        if (!tour_.is_better(removed_, added_)) return false;
        Order order;
        for (std::size_t k = end; k < begin + tour_.size(); ++k) order.push_back(tour_.at(k));
        for (std::size_t k = end; k-- > begin;) order.push_back(tour_.at(k));
        tour_.replace(std::move(order));
        return true;
    }

    /// The legs inside the run at places [begin, end), the other way round.
    void turn(std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k + 1 < end; ++k) {
            removed_.push_back({tour_.at(k), tour_.at(k + 1)});
            added_.push_back({tour_.at(k + 1), tour_.at(k)});
        }
    }

    static constexpr std::uint64_t work_of_a_move = 10;

    const Problem& problem_;
    Tour tour_;
    Meter& meter_;
    std::vector<Leg> removed_;
    std::vector<Leg> added_;
};

/// Two neighbouring parts change places.
Order kicked(const Order& order, Random& random) {
    std::array<std::size_t, 3> cuts{};
    for (std::size_t& cut : cuts) cut = random.below(order.size());
    std::ranges::sort(cuts);
    Order result = order;
    const auto at = [&](std::size_t place) {
        return result.begin() + static_cast<std::ptrdiff_t>(place);
    };
    std::rotate(at(cuts[0]), at(cuts[1]), at(cuts[2]));
    return result;
}

}  // namespace

Order nearest_neighbours(const Problem& problem, Aim aim, std::size_t first) {
    const std::size_t nodes = problem.nodes();
    std::vector<char> taken(nodes, 0);
    Order order{first};
    taken[first] = 1;
    while (order.size() < nodes) {
        const std::size_t here = order.back();
        std::size_t nearest = nodes;
        const auto key = [&](std::size_t node) {
            const Value value{problem.step(here, node), problem.hop(here, node)};
            return aim == Aim::slowest ? value : Value{value.sum, value.slowest};
        };
        for (std::size_t node = 0; node < nodes; ++node)
            if (taken[node] == 0 && (nearest == nodes || key(node) < key(nearest))) nearest = node;
        order.push_back(nearest);
        taken[nearest] = 1;
    }
    return order;
}

Order descend(const Problem& problem, Aim aim, Order order, Meter& meter) {
    if (order.size() < 4) return order;
    Improver improver(problem, aim, std::move(order), meter);
    improver.descend();
    return improver.tour().order();
}

Order improve(const Problem& problem, Aim aim, Order order, Meter& meter) {
    if (order.size() < 4) return order;
    Improver improver(problem, aim, std::move(order), meter);
    improver.descend();
    Order best = improver.tour().order();
    Value least = improver.tour().value();
    Random random(1);
    for (std::size_t vain = 0; vain < vain_kicks && !meter.over(); ++vain) {
        improver.tour().replace(kicked(best, random));
        improver.descend();
        if (!better(aim, improver.tour().value(), least)) continue;
        best = improver.tour().order();
        least = improver.tour().value();
        vain = 0;
    }
    return best;
}

}  // namespace espalier::plan::gather
