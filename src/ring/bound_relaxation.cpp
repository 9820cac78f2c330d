#include "ring/bound_relaxation.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::ring {
namespace {
/// A bound gives up this part of the sum of its terms: far more than rounding takes.
constexpr double rounding_part = 1e-10;

/// max(0, worth), softly, and how likely it is to be taken.
struct Taken {
    double worth = 0;
    double likely = 0;
};
Taken take(double worth, double softness) {
    constexpr double far = 40;
    if (!(softness > 0) || std::abs(worth) > far * softness)
        return {std::max(worth, 0.0), worth > 0 ? 1.0 : 0.0};
    const double odds = std::exp(-std::abs(worth) / softness);
    return {std::max(worth, 0.0) + softness * std::log1p(odds),
            (worth > 0 ? 1 : odds) / (1 + odds)};
}

}  // namespace

Relaxation::Relaxation(const Problem& problem, const CutTree& tree, PathCosts& costs)
    : problem_(problem),
      tree_(tree),
      costs_(costs),
      hosts_(static_cast<Host>(problem.platform.hosts())),
      above_(tree.parts.size()),
      inside_(tree.parts.size()),
      path_(tree.parts.size()),
      meeting_(hosts_, hosts_),
      edge_cost_(hosts_, hosts_, infinity),
      paths_(hosts_, hosts_),
      group_(tree.parts.size()),
      likely_part_(tree.parts.size()),
      likely_host_(hosts_) {
    for (Host one = 0; one < hosts_; ++one)
        for (Host other = one + 1; other < hosts_; ++other)
            meeting_(one, other) = tree.meeting(one, other);
}

void Relaxation::set(const Multipliers& multipliers, double longest) {
    now_ = multipliers;
    longest_ = longest;
    costs_.set_longest(longest);
    costs_.find_prices(now_.prices);
    for (Host one = 0; one < hosts_; ++one)
        for (Host other = one + 1; other < hosts_; ++other) {
            const auto there = costs_.cost(one, other, now_.speeds[one], costs_.price(one, other));
            const auto back = costs_.cost(other, one, now_.speeds[other], costs_.price(other, one));
            paths_(one, other) = there;
            paths_(other, one) = back;
            edge_cost_(one, other) = there.cost + back.cost;
        }

    const auto worth = [&](const std::vector<LinkId>& links) {
        double sum = 0;
        for (const LinkId link : links)
            sum += now_.prices[link] * problem_.platform.link(link).bandwidth;
        return sum;
    };
    const double counted = costs_.per_bandwidth(longest);
    anywhere_ = worth(tree_.anywhere);
    magnitude_ = anywhere_ * counted;
    for (std::size_t part = 0; part < tree_.parts.size(); ++part) {
        above_[part] = worth(tree_.parts[part].above);
        inside_[part] = worth(tree_.parts[part].inside);
        path_[part] = part == 0 ? 0 : path_[tree_.parts[part].parent] + now_.crossings[part];
        magnitude_ += (above_[part] + inside_[part]) * counted + 2 * path_[part];
    }
    of_all_cuts_ = 0;
    of_host_.assign(hosts_, 0);
    of_cuts_ = Matrix<double>(hosts_, hosts_);
    for (const auto& cut : now_.cuts) {
        of_all_cuts_ += 2 * cut.value;
        magnitude_ += 6 * cut.value;
        of_host_[cut.inside] += 2 * cut.value;
        of_host_[cut.outside] += 2 * cut.value;
        for (Host one = 0; one < hosts_; ++one)
            for (Host other = one + 1; other < hosts_; ++other)
                if (cut.in[one] != cut.in[other]) of_cuts_(one, other) += cut.value;
    }
    for (const double potential : now_.potentials) magnitude_ += 2 * std::abs(potential);
}

/// The reduced cost of an edge of the ring: its cost less what its two hosts and the sets that it
/// crosses pay for it.
double Relaxation::reduced(Host one, Host other) const {
    const double crossings =
        path_[tree_.part_of[one]] + path_[tree_.part_of[other]] - 2 * path_[meeting_(one, other)];
    return edge_cost_(one, other) - now_.potentials[one] - now_.potentials[other] - crossings -
           of_cuts_(one, other);
}

double Relaxation::work_of_edges() const {
    double sum = 0;
    for (Host one = 0; one < hosts_; ++one)
        for (Host other = one + 1; other < hosts_; ++other)
            sum += std::max(0.0, -reduced(one, other));
    return sum;
}

double Relaxation::work_of_hosts(double step_time, double softness) {
    const double counted = costs_.per_bandwidth(step_time);
    double best = 0;
    for (std::size_t part = 0; part < tree_.parts.size(); ++part) {
        group_[part] = inside_[part] * counted;
        for (const Host host : tree_.parts[part].hosts) {
            const Taken taken =
                take(step_time * now_.speeds[host] - 2 * now_.potentials[host] - of_host_[host],
                     softness);
            group_[part] += taken.worth;
            likely_host_[host] = taken.likely;
        }
    }
    for (std::size_t part = tree_.parts.size(); part-- > 0;) {
        best = std::max(best, group_[part]);  // as the topmost part of the ring
        if (part == 0) break;
        const Taken taken =
            take(group_[part] + above_[part] * counted - 2 * now_.crossings[part], softness);
        group_[tree_.parts[part].parent] += taken.worth;
        likely_part_[part] = taken.likely;
    }
    return best + anywhere_ * counted;
}

double Relaxation::rounding(double step_time) const {
    double sum = magnitude_;
    for (const double speed : now_.speeds) sum += step_time * speed;
    return rounding_part * sum;
}

double Relaxation::step_time(const Multipliers& multipliers, double longest) {
    set(multipliers, longest);
    const double fixed = of_all_cuts_ + work_of_edges() + rounding(longest);
    const auto fits = [&](double time) {
        return !(fixed + work_of_hosts(time, 0) < problem_.work);  // also where it is not a number
    };
    if (!fits(longest)) return longest;
    double low = 0;
    double high = longest;
    if (fits(low)) return 0;
    constexpr double precision = 1e-10;
    while (high - low > precision * high) {
        const double middle = (low + high) / 2;
        (fits(middle) ? high : low) = middle;
    }
    return low;
}

Relaxation::Choice Relaxation::choose(double step_time, double softness) {
    const auto zeros = [](std::size_t size) { return std::vector<double>(size, 0); };
    Choice choice{zeros(hosts_),
                  Matrix<double>(hosts_, hosts_),
                  {zeros(problem_.platform.links()), zeros(hosts_), zeros(hosts_),
                   zeros(tree_.parts.size()), now_.cuts}};
    choose_hosts(step_time, softness, choice);
    choose_edges(softness, choice);
    for (auto& cut : choice.slopes.cuts) {
        cut.value = 2 - 2 * choice.hosts[cut.inside] - 2 * choice.hosts[cut.outside];
        for (Host one = 0; one < hosts_; ++one)
            for (Host other = one + 1; other < hosts_; ++other)
                if (cut.in[one] != cut.in[other]) cut.value += choice.edges(one, other);
    }
    return choice;
}

void Relaxation::choose_hosts(double step_time, double softness, Choice& choice) {
    auto& slopes = choice.slopes;
    (void)work_of_hosts(step_time, softness);
    const double best = *std::max_element(group_.begin(), group_.end());
    const double counted = costs_.per_bandwidth(step_time);
    std::vector<double> used(tree_.parts.size());
    double sum = 0;
    for (std::size_t part = 0; part < used.size(); ++part) {
        used[part] = std::exp((group_[part] - best) / softness);
        sum += used[part];
    }
    const auto add_bandwidths = [&](const std::vector<LinkId>& links, double likely) {
        for (const LinkId link : links)
            slopes.prices[link] += likely * problem_.platform.link(link).bandwidth * counted;
    };
    add_bandwidths(tree_.anywhere, 1);
    for (std::size_t part = 0; part < used.size(); ++part) {
        used[part] /= sum;
        if (part > 0) {
            const double entered = used[tree_.parts[part].parent] * likely_part_[part];
            used[part] += entered;
            slopes.crossings[part] -= 2 * entered;
            add_bandwidths(tree_.parts[part].above, entered);
        }
        add_bandwidths(tree_.parts[part].inside, used[part]);
        for (const Host host : tree_.parts[part].hosts) {
            const double likely = used[part] * likely_host_[host];
            choice.hosts[host] = likely;
            slopes.potentials[host] -= 2 * likely;
            slopes.speeds[host] += step_time * likely;
        }
    }
}

void Relaxation::choose_edges(double softness, Choice& choice) {
    auto& slopes = choice.slopes;
    constexpr double unlikely = 1e-7;
    std::vector<double> ends(tree_.parts.size(), 0);  // of edges, less those that meet below
    for (Host one = 0; one < hosts_; ++one)
        for (Host other = one + 1; other < hosts_; ++other) {
            const double likely = take(-reduced(one, other), softness).likely;
            if (likely < unlikely) continue;
            choice.edges(one, other) = likely;
            ends[tree_.part_of[one]] += likely;
            ends[tree_.part_of[other]] += likely;
            ends[meeting_(one, other)] -= 2 * likely;
            const auto add = [&](Host from, Host to) {
                const auto& path = paths_(from, to);
                slopes.potentials[from] += likely;
                slopes.speeds[from] -= likely * path.time;
                if (path.per_price > 0)
                    costs_.add_along(from, to, -likely * path.per_price, slopes.prices);
            };
            add(one, other);
            add(other, one);
        }
    for (std::size_t part = tree_.parts.size(); part-- > 1;) {
        slopes.crossings[part] += ends[part];
        ends[tree_.parts[part].parent] += ends[part];
    }
}

}  // namespace espalier::ring
