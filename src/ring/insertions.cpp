#include "ring/insertions.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace espalier::ring {
namespace {

using Direction = PathSearch::Direction;

}  // namespace

std::vector<double> left_of_links(const Problem& problem, const Embedding& embedding,
                                  const Rates& rates) {
    constexpr double rounding = 1e-9;
    const Platform& platform = problem.platform;
    std::vector<double> left = platform.bandwidths();
    const auto take = [&](const Path& path, double rate) {
        for (const LinkId link : path)
            if (platform.link(link).shared) left[link] -= rate;
    };
    for (std::size_t place = 0; place < embedding.to_successor.size(); ++place) {
        take(embedding.to_successor[place], rates.to_successor[place]);
        take(embedding.to_predecessor[place], rates.to_predecessor[place]);
    }
    for (LinkId link = 0; link < left.size(); ++link)
        if (left[link] < rounding * platform.link(link).bandwidth) left[link] = 0;
    return left;
}

void give_back(const Platform& platform, const Embedding& embedding, const Rates& rates,
               std::size_t place, std::vector<double>& left) {
    const auto give = [&](const Path& path, double rate) {
        for (const LinkId link : path)
            if (platform.link(link).shared) left[link] += rate;
    };
    const std::size_t after = embedding.after(place);
    give(embedding.to_successor[place], rates.to_successor[place]);
    give(embedding.to_predecessor[after], rates.to_predecessor[after]);
}

void insert(const Insertion& insertion, Embedding& embedding, Rates& rates) {
    const std::size_t place = insertion.place;
    const std::size_t after = embedding.after(place);
    const auto& [to_first, to_second, from_first, from_second] = insertion.paths;
    embedding.to_successor[place] = from_first;
    rates.to_successor[place] = insertion.rates[2];
    embedding.to_predecessor[after] = from_second;
    rates.to_predecessor[after] = insertion.rates[3];
    const auto put = [&](auto& list, const auto& item) {
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(place) + 1, item);
    };
    put(embedding.order, insertion.host);
    put(embedding.to_successor, to_second);
    put(embedding.to_predecessor, to_first);
    put(rates.to_successor, insertion.rates[1]);
    put(rates.to_predecessor, insertion.rates[0]);
}

Insertions::Insertions(const Problem& problem, bool fixed_routes)
    : problem_(problem),
      paths_(problem.platform, fixed_routes ? &problem.routes : nullptr),
      least_latencies_(paths_.least_latencies()) {}

Insertions::Ring Insertions::examine(const Embedding& embedding, const Rates& rates) const {
    Ring ring{embedding, rates, left_of_links(problem_, embedding, rates), {}, {}, {}, 0, 0};
    std::vector<double> times;
    for (std::size_t place = 0; place < embedding.size(); ++place) {
        const Host host = embedding.order[place];
        ring.to_successor.push_back(problem_.delay(host, embedding.order[embedding.after(place)],
                                                   embedding.to_successor[place]) +
                                    problem_.exchange / rates.to_successor[place]);
        ring.to_predecessor.push_back(problem_.delay(host, embedding.order[embedding.before(place)],
                                                     embedding.to_predecessor[place]) +
                                      problem_.exchange / rates.to_predecessor[place]);
        times.push_back(ring.to_successor.back() + ring.to_predecessor.back());
        ring.speed += speed_of(host);
        ring.lost += speed_of(host) * times.back();
    }
    ring.by_communication.resize(embedding.size());
    std::iota(ring.by_communication.begin(), ring.by_communication.end(), std::size_t{0});
    std::ranges::stable_sort(ring.by_communication, std::greater{},
                             [&](std::size_t place) { return times[place]; });
    // The longest that is neither of two neighbours is among the first three.
    ring.by_communication.resize(std::min<std::size_t>(3, embedding.size()));
    return ring;
}

/// Leaves what is left of the links, with what the place gives back, in left_.
void Insertions::go_to(const Ring& ring, std::size_t place) {
    if (current_ == place) return;
    current_ = place;
    left_ = ring.left;
    give_back(problem_.platform, ring.embedding, ring.rates, place, left_);
    for (Forest& forest : forests_) forest.in_use = 0;
}

void Insertions::find_widths(const Ring& ring, std::size_t place) {
    go_to(ring, place);
    const Host first = ring.embedding.order[place];
    const Host second = ring.embedding.order[ring.embedding.after(place)];
    for (auto& widths : widths_[place]) widths.resize(problem_.platform.hosts());
    auto& [to_first, to_second, from_first, from_second] = widths_[place];
    paths_.find_widths(left_, first, Direction::from, remaining_, from_first);
    paths_.find_widths(left_, second, Direction::from, remaining_, from_second);
    if (paths_.is_symmetric()) {
        to_first = from_first;
        to_second = from_second;
    } else {
        paths_.find_widths(left_, first, Direction::to, remaining_, to_first);
        paths_.find_widths(left_, second, Direction::to, remaining_, to_second);
    }
}

double Insertions::longest_of_others(const Ring& ring, std::size_t place) const {
    for (const std::size_t other : ring.by_communication)
        if (other != place && other != ring.embedding.after(place))
            return ring.to_successor[other] + ring.to_predecessor[other];
    return 0;
}

void Insertions::collect(const Ring& ring, std::size_t place,
                         std::vector<Candidate>& candidates) const {
    const auto& [to_first, to_second, from_first, from_second] = widths_[place];
    const std::size_t after = ring.embedding.after(place);
    const Host first = ring.embedding.order[place];
    const Host second = ring.embedding.order[after];
    const double speed_first = speed_of(first);
    const double speed_second = speed_of(second);
    const double roots_of_neighbours = std::sqrt(speed_first) + std::sqrt(speed_second);
    const double kept = ring.lost - speed_first * ring.to_successor[place] -
                        speed_second * ring.to_predecessor[after];
    const double longest = longest_of_others(ring, place);
    const double exchange = problem_.exchange;
    const auto delay = [&](Host a, Host b) {
        return problem_.platform.startup(a) + problem_.platform.startup(b) + least_latencies_(a, b);
    };
    for (const Host host : remaining_) {
        const FourRates widths{to_first[host], to_second[host], from_first[host],
                               from_second[host]};
        if (*std::ranges::min_element(widths) <= 0) continue;
        const double speed = speed_of(host);
        const double apart = speed / widths[0] + speed / widths[1] + speed_first / widths[2] +
                             speed_second / widths[3];
        const double roots = 2 * std::sqrt(speed) + roots_of_neighbours;
        const double at_host = roots * roots / problem_.platform.capacity_at(host, left_);
        const double own = delay(host, first) + delay(host, second);
        const double from_first_delay = delay(first, host);
        const double from_second_delay = delay(second, host);
        const double lost = kept + speed * own + speed_first * from_first_delay +
                            speed_second * from_second_delay + exchange * std::max(apart, at_host);
        const double balanced = (problem_.work + lost) / (ring.speed + speed) * (1 - tie);
        const double communication =
            std::max({own + exchange / widths[0] + exchange / widths[1],
                      ring.to_predecessor[place] + from_first_delay + exchange / widths[2],
                      ring.to_successor[after] + from_second_delay + exchange / widths[3]});
        candidates.push_back({std::max({balanced, longest, communication * (1 - tie)}), balanced,
                              host, static_cast<std::uint32_t>(place)});
    }
}

void Insertions::rate(const Ring& ring, Insertion& insertion) const {
    const Embedding& embedding = ring.embedding;
    const std::size_t place = insertion.place;
    const std::size_t after = embedding.after(place);
    const Host host = insertion.host;
    const Host first = embedding.order[place];
    const Host second = embedding.order[after];
    const auto cost = [&](std::size_t path, Host from, Host to) {
        return problem_.delay(from, to, insertion.paths[path]) +
               problem_.exchange / insertion.rates[path];
    };
    const double own = cost(0, host, first) + cost(1, host, second);
    const double from_first = cost(2, first, host);
    const double from_second = cost(3, second, host);
    const double lost = ring.lost + speed_of(host) * own +
                        speed_of(first) * (from_first - ring.to_successor[place]) +
                        speed_of(second) * (from_second - ring.to_predecessor[after]);
    insertion.balanced = (problem_.work + lost) / (ring.speed + speed_of(host));
    insertion.step_time =
        std::max({insertion.balanced, own, ring.to_predecessor[place] + from_first,
                  ring.to_successor[after] + from_second, longest_of_others(ring, place)});
}

Path Insertions::find_path(Host neighbour, Host host, std::size_t kind, double width) {
    Forest& forest = forests_[kind];
    for (std::size_t tree = 0; tree < forest.in_use; ++tree)
        if (forest.trees[tree].width() <= width)
            if (auto path = paths_.follow(forest.trees[tree], host, width)) return *path;
    if (forest.in_use == forest.trees.size()) forest.trees.emplace_back();
    PathSearch::Tree& tree = forest.trees[forest.in_use++];
    paths_.find_tree(left_, neighbour, kind < 2 ? Direction::to : Direction::from, width, tree);
    auto path = paths_.follow(tree, host, width);
    assert(path);
    return *path;
}

Insertion Insertions::work_out(const Ring& ring, Host host, std::size_t place) {
    go_to(ring, place);
    const Host first = ring.embedding.order[place];
    const Host second = ring.embedding.order[ring.embedding.after(place)];
    Insertion found{host, place, {}, {}, infinity, infinity};
    for (std::size_t kind = 0; kind < 4; ++kind)
        found.paths[kind] =
            find_path(kind % 2 == 0 ? first : second, host, kind, widths_[place][kind][host]);
    found.rates = four_rates(problem_.platform, left_,
                             {&found.paths[0], &found.paths[1], &found.paths[2], &found.paths[3]},
                             {speed_of(host), speed_of(host), speed_of(first), speed_of(second)});
    if (found.rates[0] > 0) rate(ring, found);
    return found;
}

/// Works out the candidates that may be the best: the most promising ones first, then place by
/// place, which makes the most of each place's trees.
Insertions::Candidate Insertions::find_least(const Ring& ring, std::vector<Candidate> candidates,
                                             Meter& meter) {
    constexpr std::size_t first_ones = 16;
    const auto key = [](const Candidate& one) { return std::pair(one.step_time, one.balanced); };
    const auto middle =
        candidates.begin() + static_cast<std::ptrdiff_t>(std::min(first_ones, candidates.size()));
    std::ranges::partial_sort(candidates, middle, std::less{}, key);
    std::ranges::sort(middle, candidates.end(), std::less{},
                      [&](const Candidate& one) { return std::pair(one.place, key(one)); });
    Candidate least{infinity, infinity, 0, 0};
    std::vector<Candidate> worked_out;
    const auto ties = [&](double one, double best) { return one <= best * (1 + tie); };
    for (const Candidate& one : candidates) {
        if (meter.over()) break;
        // What can't be shorter has to be better by Equation 4.
        if (!ties(one.step_time, least.step_time) ||
            (one.step_time >= least.step_time && !ties(one.balanced, least.balanced)))
            continue;
        const Insertion insertion = work_out(ring, one.host, one.place);
        worked_out.push_back({insertion.step_time, insertion.balanced, one.host, one.place});
        if (!ties(least.step_time, insertion.step_time)) least.balanced = infinity;
        least.step_time = std::min(least.step_time, insertion.step_time);
        if (ties(insertion.step_time, least.step_time))
            least.balanced = std::min(least.balanced, insertion.balanced);
        meter.spend(paths_.take_steps() + 100);
    }
    std::erase_if(worked_out, [&](const Candidate& one) {
        return !ties(one.step_time, least.step_time) || !ties(one.balanced, least.balanced);
    });
    if (worked_out.empty()) return least;
    return *std::ranges::min_element(
        worked_out, {}, [](const Candidate& one) { return std::pair(one.host, one.place); });
}

std::optional<Insertion> Insertions::find_best(const Embedding& embedding, const Rates& rates,
                                               Meter& meter) {
    const Ring ring = examine(embedding, rates);
    std::vector<char> used(problem_.platform.hosts(), 0);
    for (const Host host : embedding.order) used[host] = 1;
    remaining_.clear();
    for (Host host = 0; host < used.size(); ++host)
        if (used[host] == 0) remaining_.push_back(host);

    std::vector<Candidate> candidates;
    current_.reset();
    widths_.resize(embedding.size());
    for (std::size_t place = 0; place < embedding.size(); ++place) {
        find_widths(ring, place);
        collect(ring, place, candidates);
        meter.spend(paths_.take_steps() + remaining_.size());
        if (meter.over()) return std::nullopt;
    }
    const Candidate least = find_least(ring, std::move(candidates), meter);
    if (least.step_time == infinity || meter.over()) return std::nullopt;
    return work_out(ring, least.host, least.place);
}

}  // namespace espalier::ring
