#include "ring/moves.hpp"

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

Moves::Moves(const Problem& problem, Random& random)
    : random_(random), near_(problem.platform.hosts()), place_(near_.size(), nowhere) {
    constexpr std::size_t most = 24;
    const Matrix<double> distance = distances(problem);
    for (Host host = 0; host < near_.size(); ++host) {
        auto& others = near_[host];
        for (Host other = 0; other < near_.size(); ++other)
            if (other != host) others.push_back(other);
        const auto count = static_cast<std::ptrdiff_t>(std::min(most, others.size()));
        std::ranges::partial_sort(others, others.begin() + count, {}, [&](Host other) {
            return std::pair(distance(host, other), other);
        });
        others.resize(static_cast<std::size_t>(count));
    }
}

const std::vector<Host>& Moves::next(const std::vector<Host>& order) {
    std::ranges::fill(place_, nowhere);
    order_ = order;
    const std::size_t size = order.size();
    for (std::size_t place = 0; place < size; ++place) place_[order[place]] = place;
    const double kind = random_.uniform();
    if (kind < 0.2) {
        if (size < place_.size()) insert_chain();
    } else if (kind < 0.3) {
        if (size > 1) {
            const std::size_t count = geometric(size - 1);
            const std::size_t first = below(size - count + 1);
            order_.erase(at(first), at(first + count));
        }
    } else if (kind < 0.4) {
        if (size < place_.size()) order_[below(size)] = any_outsider();
    } else if (size < 3) {
        return order_;
    } else if (kind < 0.6) {
        std::size_t first = below(size);
        std::size_t second = place_near(order[first]);
        if (first > second) std::swap(first, second);
        if (first < second) std::reverse(at(first + 1), at(second + 1));
    } else if (kind < 0.8) {
        relocate();
    } else if (kind < 0.9) {
        std::swap(order_[below(size)], order_[below(size)]);
    }
    return order_;
}

/// Inserts a chain of hosts that are not in the ring and are near to each other.
void Moves::insert_chain() {
    constexpr std::size_t longest = 8;
    std::vector<Host> chain{any_outsider()};
    for (const std::size_t length = geometric(longest); chain.size() < length;) {
        const auto next = std::ranges::find_if(near_[chain.back()], [&](Host other) {
            return place_[other] == nowhere && std::ranges::count(chain, other) == 0;
        });
        if (next == near_[chain.back()].end()) break;
        chain.push_back(*next);
    }
    const std::size_t place = place_near(chain.front()) + below(2);
    order_.insert(at(place), chain.begin(), chain.end());
}

void Moves::relocate() {
    const std::size_t size = order_.size();
    const std::size_t count = geometric(size - 2);
    const std::size_t first = below(size - count + 1);
    std::vector<Host> part(at(first), at(first + count));
    const std::size_t place = place_near(part.front()) + below(2);
    if (place >= first && place <= first + count) return;
    if (random_.uniform() < 0.5) std::ranges::reverse(part);
    order_.erase(at(first), at(first + count));
    order_.insert(at(place < first ? place : place - count), part.begin(), part.end());
}

Host Moves::any_outsider() {
    Host host = 0;
    do host = static_cast<Host>(below(place_.size()));
    while (place_[host] != nowhere);
    return host;
}

/// The place of a host in the ring, most often one of those nearest to this one.
std::size_t Moves::place_near(Host host) {
    if (random_.uniform() < 0.8)
        for (const Host other : near_[host])
            if (place_[other] != nowhere && random_.uniform() < 0.3) return place_[other];
    return below(order_.size());
}

/// 1, or more with a probability that falls by a third for each more.
std::size_t Moves::geometric(std::size_t most) {
    std::size_t number = 1;
    while (number < most && random_.uniform() < 0.6) ++number;
    return number;
}

}  // namespace espalier::ring
