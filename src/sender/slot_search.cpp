#include "sender/slot_search.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>

namespace espalier::sender {

namespace {

/// The prices let a faster node do a slower one's work: of what a class is wanted for and has not
/// got, the next faster ones take over, and what they can't, the slower ones.
void lend_targets(std::span<SlotFillings::Class> classes) {
    double over = 0;
    const auto settle = [&](SlotFillings::Class& members) {
        members.target += over;
        over = std::max(0.0, members.target - static_cast<double>(members.most));
        members.target -= over;
    };
    for (std::size_t c = classes.size(); c-- > 0;) settle(classes[c]);
    for (auto& members : classes) settle(members);
}

/// The number of positions at a point for which those of all points fit in memory.
std::size_t affordable_width(const Window& window) {
    constexpr std::size_t most_steps = std::size_t{1} << 20;
    constexpr std::size_t most_waiting = std::size_t{1} << 24;
    constexpr std::size_t least = 16;
    return std::max(least, std::min(most_steps / window.points(),
                                    most_waiting / (window.points() * window.width())));
}

}  // namespace

/// Finds the position's surplus and what its next slots are best filled with. False if it leads to
/// no schedule.
bool SlotSearch::assess(Node& node) {
    const auto outcome = pricer_.minimise(node.position, Pricer::Goal::amount);
    node.surplus = static_cast<std::int64_t>(std::min<Wide>(outcome.surplus, Window::boundless));
    if (outcome.surplus < 0) return false;
    node.target.assign(window_.classes(), 0);
    const std::size_t point = window_.point_of(node.position.waiting.front().stream);
    double sum = 0;
    const auto add = [&](std::size_t valuation, double share) {
        const std::uint16_t choice = pricer_.valuation(valuation).choice[point];
        if (choice == Valuation::none) return;
        node.target[pricer_.stand_in()[choice]] += share;
        sum += share;
    };
    for (const auto& part : pricer_.mix()) add(part.valuation, part.share);
    if (sum == 0) add(outcome.best, 1);
    if (sum > 0)
        for (double& target : node.target) target /= sum;
    return true;
}

std::uint64_t SlotSearch::slots_at(const Node& node, std::size_t point) const {
    std::uint64_t slots = 0;
    for (const Waiting& waiting : node.position.waiting) {
        if (window_.point_of(waiting.stream) != point) break;
        slots += waiting.count;
    }
    return slots;
}

/// The position after so many of each class have been placed at the point, and after all streams
/// have gone on.
SlotSearch::Node SlotSearch::child(const Node& parent, std::size_t point,
                                   const std::uint64_t* placed) {
    Node node;
    node.left = parent.left;
    node.position.left = parent.position.left;
    auto& waiting = node.position.waiting;
    const auto& before = parent.position.waiting;
    std::size_t rest = 0;
    std::vector<Waiting> opened;
    const std::uint32_t end = window_.end_of_streams();
    const std::size_t lone = window_.width() - 1;
    for (; rest < before.size() && window_.point_of(before[rest].stream) == point; ++rest) {
        const std::size_t kind = before[rest].stream % window_.width();
        if (kind == lone) continue;
        const std::uint32_t on = window_.opened_stream(point, kind);
        if (on < end) opened.push_back({on, before[rest].count});
    }
    for (std::size_t c = 0; c < window_.classes(); ++c) {
        if (placed[c] == 0) continue;
        node.position.left[c] -= placed[c];
        node.left -= placed[c];
        const std::uint32_t stream = window_.opened_stream(point, c);
        if (stream < end) opened.push_back({stream, window_.opened() * placed[c]});
    }
    std::ranges::sort(opened, {}, &Waiting::stream);
    waiting.reserve(before.size() - rest + opened.size());
    std::merge(before.begin() + static_cast<std::ptrdiff_t>(rest), before.end(), opened.begin(),
               opened.end(), std::back_inserter(waiting),
               [](const Waiting& a, const Waiting& b) { return a.stream < b.stream; });
    std::size_t kept = 0;
    for (const Waiting& next : waiting) {
        if (kept > 0 && waiting[kept - 1].stream == next.stream)
            waiting[kept - 1].count += next.count;
        else
            waiting[kept++] = next;
    }
    waiting.resize(kept);
    return node;
}

void SlotSearch::add_tests(const Node& node, std::size_t point) {
    for (const std::size_t index : pricer_.known()) {
        const Valuation& valuation = pricer_.valuation(index);
        const Wide slack = window_.surplus(valuation, node.position);
        if (slack >= Window::boundless) continue;
        const std::int64_t worth = valuation.worth[window_.lone_slot(point)];
        loss_.clear();
        for (const std::size_t c : able_)
            loss_.push_back(worth - window_.placed(valuation, point, c));
        fillings_.add_test(static_cast<std::int64_t>(slack), loss_);
    }
}

/// Adds what the node's slots could be filled with to the candidates.
void SlotSearch::consider(std::size_t index, std::size_t point, std::uint64_t slots,
                          const Breadth& breadth) {
    const Node& node = nodes_[index];
    able_.clear();
    std::vector<SlotFillings::Class> classes;
    std::uint64_t able = 0;
    for (std::size_t c = 0; c < window_.classes(); ++c) {
        const std::uint64_t left = node.position.left[c];
        if (left == 0 || !window_.fits(point, c)) continue;
        able_.push_back(c);
        able += left;
        classes.push_back({left, node.target[c] * static_cast<double>(slots)});
    }
    lend_targets(classes);
    // Filling a slot is never worse than leaving it: the node's whole subtree moves forward.
    if (able <= slots) {
        candidates_.push_back({node.surplus, index, counts_.size()});
        counts_.resize(counts_.size() + window_.classes(), 0);
        for (const std::size_t c : able_)
            counts_[candidates_.back().first + c] = node.position.left[c];
        return;
    }
    fillings_.begin(slots, classes);
    add_tests(node, point);
    if (!fillings_.list(breadth.fillings)) complete_ = false;
    for (const auto& filling : fillings_.fillings()) {
        candidates_.push_back({filling.slack, index, counts_.size()});
        counts_.resize(counts_.size() + window_.classes(), 0);
        const auto counts = fillings_.counts(filling);
        for (std::size_t i = 0; i < able_.size(); ++i)
            counts_[candidates_.back().first + able_[i]] = counts[i];
    }
}

/// Turns the best candidates into the positions of the next point. False if time is up.
bool SlotSearch::take_best(std::size_t point, const Breadth& breadth) {
    std::ranges::stable_sort(candidates_,
                             [](const auto& a, const auto& b) { return a.slack > b.slack; });
    pricer_.advance(point + 1);
    const auto before = [&](std::size_t a, std::size_t b) {
        return next_[a].position < next_[b].position;
    };
    std::set<std::size_t, decltype(before)> seen(before);
    const std::size_t enough = 2 * breadth.width;
    for (const Candidate& candidate : candidates_) {
        if (next_.size() >= enough) {
            complete_ = false;
            break;
        }
        if (meter_.over()) return false;
        const Node& parent = nodes_[candidate.node];
        const std::uint64_t* placed = counts_.data() + candidate.first;
        const std::size_t index = next_.size();
        next_.push_back(child(parent, point, placed));
        Node& node = next_.back();
        if (node.left > 0) {
            if (node.position.waiting.empty() || !seen.insert(index).second) {
                next_.pop_back();
                continue;
            }
            if (!assess(node)) {
                seen.erase(index);
                next_.pop_back();
                continue;
            }
        }
        node.step = steps_.size();
        steps_.push_back({parent.step, point});
        placed_.insert(placed_.end(), placed, placed + window_.classes());
        if (node.left == 0) {
            done_ = node.step;
            return true;
        }
    }
    return true;
}

SlotSearch::Verdict SlotSearch::run(const Breadth& wanted, Effort& count) {
    const Breadth breadth{.width = std::min(wanted.width, affordable_width(window_)),
                          .fillings = wanted.fillings};
    steps_.assign(1, {});
    placed_.assign(window_.classes(), 0);
    complete_ = true;
    done_.reset();
    nodes_.clear();
    Node start;
    start.position = window_.start();
    start.left =
        std::accumulate(start.position.left.begin(), start.position.left.end(), std::uint64_t{0});
    if (start.left == 0) return {.sequence = sequence_to(0)};
    pricer_.advance(0);
    if (start.position.waiting.empty() || !assess(start)) return {.sequence = {}, .excluded = true};
    nodes_.push_back(std::move(start));
    for (std::size_t point = 0; point < window_.points() && !nodes_.empty(); ++point) {
        candidates_.clear();
        counts_.clear();
        next_.clear();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (meter_.over()) return {};
            const std::uint64_t slots = slots_at(nodes_[i], point);
            if (slots == 0)
                next_.push_back(std::move(nodes_[i]));
            else
                consider(i, point, slots, breadth);
        }
        if (!candidates_.empty()) {
            count.nodes += candidates_.size();
            if (!take_best(point, breadth)) return {};
            if (done_) return {.sequence = sequence_to(*done_)};
        }
        if (next_.size() > breadth.width) {
            std::ranges::stable_sort(
                next_, [](const Node& a, const Node& b) { return a.surplus > b.surplus; });
            next_.resize(breadth.width);
            complete_ = false;
        }
        std::swap(nodes_, next_);
    }
    return {.sequence = {}, .excluded = complete_};
}

/// Backwards through the steps; a reduction's nodes in the order in which they start to send.
Sequence SlotSearch::sequence_to(std::size_t step) const {
    const std::size_t classes = window_.classes();
    struct Placement {
        std::size_t order;
        Run run;
    };
    std::vector<Placement> placements;
    for (; step > 0; step = steps_[step].before)
        for (std::size_t c = 0; c < classes; ++c) {
            const std::uint64_t placed = placed_[step * classes + c];
            if (placed == 0) continue;
            const std::size_t point = steps_[step].point;
            const bool broadcast = window_.problem().is_broadcast();
            placements.push_back(
                {broadcast ? point : window_.points() - window_.after(point, c), {c, placed}});
        }
    std::ranges::stable_sort(placements, {}, &Placement::order);
    Sequence sequence{.root = window_.problem().root.value_or(0), .runs = {}};
    for (const Placement& placement : placements) {
        if (!window_.problem().root && window_.problem().is_broadcast() &&
            &placement == &placements.front()) {
            sequence.root = placement.run.class_index;
            continue;
        }
        sequence.add(placement.run.class_index, placement.run.count);
    }
    return sequence;
}

}  // namespace espalier::sender
