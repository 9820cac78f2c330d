#include "sender/deadline_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::sender {

namespace {

constexpr std::size_t table_points_per_node = 150;
constexpr std::size_t most_table_points = 4000;
/// In nodes: sums of worths in floating point are nearer to the truth than this.
constexpr double noise = 1e-6;
constexpr std::size_t most_passes_first = 300;
constexpr std::size_t most_passes_each = 60;
constexpr double memory = 0.3;  // of the direction before
constexpr double aim = 0.1;     // nodes below what suffices, to aim at
constexpr std::size_t most_failures = 3'000'000;
constexpr std::size_t most_failures_of_one_key = 24;

}  // namespace

DeadlineSearch::DeadlineSearch(const TickProblem& problem, Ticks longest, const Meter& meter,
                               std::uint64_t most_work)
    : problem_(problem),
      meter_(meter),
      table_(problem, longest,
             std::min<std::uint64_t>(most_table_points, table_points_per_node * problem.nodes())),
      work_left_(most_work) {}

DeadlineSearch::State DeadlineSearch::first_state(Ticks deadline) const {
    State state;
    state.price.assign(problem_.classes(), 0);
    for (const std::uint64_t count : problem_.count)
        state.nodes.push_back(static_cast<std::uint32_t>(count));
    const auto ports = static_cast<std::uint32_t>(problem_.ports);
    if (!problem_.root) {
        state.open.push_back({.left = deadline, .count = 1});
    } else {
        const std::size_t root = *problem_.root;
        --state.nodes[root];
        if (problem_.is_broadcast())
            add(state.open,
                {deadline - problem_.time[root], static_cast<std::uint16_t>(root), ports});
        else
            add(state.open, {.left = deadline, .count = ports});
    }
    state.total = std::accumulate(state.nodes.begin(), state.nodes.end(), std::size_t{0});
    return state;
}

void DeadlineSearch::add(std::vector<Slots>& open, Slots slots) {
    if (slots.left > 0 && slots.count > 0) open.push_back(slots);
}

bool DeadlineSearch::enough_streams(const State& state) const {
    if (!problem_.is_broadcast()) return state.total == 0;
    std::size_t reached = 0;
    for (const Slots& slots : state.open) {
        const Ticks sends = slots.sender == DeadlineTable::nobody
                                ? 1
                                : 1 + (slots.left - 1) / problem_.time[slots.sender];
        reached += slots.count * static_cast<std::size_t>(sends);
        if (reached >= state.total) return true;
    }
    return state.total == 0;
}

double DeadlineSearch::surplus_of(const State& state, std::span<const double> price) {
    Ticks longest = 0;
    for (const Slots& slots : state.open) longest = std::max(longest, slots.left);
    const std::size_t last = table_.point(longest);
    table_.evaluate(price, able_, last);
    work_left_ -= std::min<std::uint64_t>(work_left_, last * able_.size());
    double surplus = 0;
    for (const std::size_t c : able_) surplus -= state.nodes[c] * (1 - price[c]);
    for (const Slots& slots : state.open) {
        const double worth = slots.sender == DeadlineTable::nobody
                                 ? table_.slot(table_.point(slots.left))
                                 : table_.stream(slots.left, slots.sender);
        surplus += slots.count * worth;
    }
    return surplus;
}

/// A step of Polyak's along a subgradient that remembers the one before.
void DeadlineSearch::improve_price(const State& state, double surplus, std::vector<double>& price) {
    used_.assign(problem_.classes(), 0);
    std::size_t budget = 20'000;
    for (const Slots& slots : state.open) {
        if (slots.sender == DeadlineTable::nobody)
            table_.follow(table_.point(slots.left), slots.count, used_, budget);
        else
            table_.follow_stream(slots.left, slots.sender, slots.count, used_, budget);
    }
    double length = 0;
    for (const std::size_t c : able_) {
        const double excess = used_[c] - state.nodes[c];
        direction_[c] = memory * direction_[c] + (price[c] == 0 && excess < 0 ? 0 : excess);
        length += direction_[c] * direction_[c];
    }
    if (length == 0) return;
    const double step = (surplus + aim) / length;
    for (const std::size_t c : able_) price[c] = std::max(0.0, price[c] + step * direction_[c]);
}

bool DeadlineSearch::assess(State& state, std::size_t most_passes) {
    able_.clear();
    for (std::size_t c = 0; c < problem_.classes(); ++c)
        if (state.nodes[c] > 0) able_.push_back(c);
    direction_.assign(problem_.classes(), 0);
    std::vector<double> price = state.price;
    double least = 0;
    std::size_t since = 0;
    for (std::size_t pass = 0;; ++pass) {
        const double surplus = surplus_of(state, price);
        if (pass == 0 || surplus < least) {
            since = surplus < least - 0.01 ? 0 : since + 1;
            least = surplus;
            state.price = price;
        } else {
            ++since;
        }
        if (least < -noise) return false;
        if (pass >= most_passes || since > most_passes / 2) break;
        improve_price(state, surplus, price);
    }
    surplus_ = surplus_of(state, state.price);
    return true;
}

DeadlineSearch::State DeadlineSearch::place(const State& state, std::size_t index,
                                            std::size_t c) const {
    State next = state;
    const Slots slots = state.open[index];
    if (slots.count == 1)
        next.open.erase(next.open.begin() + static_cast<std::ptrdiff_t>(index));
    else
        --next.open[index].count;
    --next.nodes[c];
    --next.total;
    const auto ports = static_cast<std::uint32_t>(problem_.ports);
    if (problem_.is_broadcast()) {
        if (slots.sender != DeadlineTable::nobody)
            add(next.open, {slots.left - problem_.time[slots.sender], slots.sender, 1});
        add(next.open, {slots.left - problem_.time[c], static_cast<std::uint16_t>(c), ports});
    } else {
        add(next.open, {.left = slots.left - problem_.time[c], .count = 1 + ports});
    }
    return next;
}

DeadlineSearch::Openings DeadlineSearch::openings_of(const State& state) {
    Openings openings;
    for (const Slots& slots : state.open)
        for (std::uint32_t i = 0; i < slots.count; ++i)
            openings.emplace_back(slots.sender, -slots.left);
    std::ranges::sort(openings);
    return openings;
}

std::uint64_t DeadlineSearch::key_of(const State& state) const {
    std::uint64_t key = 0;
    for (const std::uint32_t count : state.nodes) {
        key = (key ^ count) * 0x9e3779b97f4a7c15U;
        key ^= key >> 29;
    }
    return key;
}

bool DeadlineSearch::known_failure(const State& state) {
    const auto found = failures_.find(key_of(state));
    if (found == failures_.end()) return false;
    const Openings mine = openings_of(state);
    // Sender by sender, the failure has a slot for each of these, with no less time left.
    const auto no_worse = [&](const Openings& failure) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < mine.size(); ++i, ++at) {
            while (at < failure.size() && failure[at].first < mine[i].first) ++at;
            if (at == failure.size() || failure[at].first != mine[i].first ||
                failure[at].second > mine[i].second)
                return false;
        }
        return true;
    };
    return std::ranges::any_of(found->second, no_worse);
}

void DeadlineSearch::keep_failure(const State& state) {
    if (kept_ >= most_failures) return;
    auto& list = failures_[key_of(state)];
    if (list.size() >= most_failures_of_one_key) return;
    list.push_back(openings_of(state));
    ++kept_;
}

/// The classes that the state's slot may go to without losing more than its surplus, the least loss
/// first.
std::vector<std::size_t> DeadlineSearch::classes_for(const State& state, Ticks left) const {
    const std::size_t point = table_.point(left);
    std::vector<std::pair<double, std::size_t>> losses;
    for (auto c = problem_.classes(); c-- > 0;) {
        if (state.nodes[c] == 0) continue;
        const bool late = problem_.time[c] >= left;
        if (late && !problem_.is_broadcast()) continue;
        const double loss = table_.slot(point) - table_.placed(point, c, state.price[c]);
        if (surplus_ - loss >= -noise) losses.emplace_back(loss, c);
        // All that can send no more are alike, and the slowest is missed the least.
        if (late)
            while (c > 0 && problem_.time[c - 1] >= left) --c;
    }
    std::ranges::sort(losses);
    std::vector<std::size_t> classes;
    for (const auto& [loss, c] : losses) classes.push_back(c);
    return classes;
}

DeadlineSearch::Answer DeadlineSearch::explore(State& state) {
    if (enough_streams(state)) {
        keep_sequence(state);
        ++effort_->leaves;
        return Answer::found;
    }
    if (state.open.empty() || known_failure(state)) return Answer::none;
    if (nodes_left_ == 0 || work_left_ == 0 || meter_.over()) return Answer::unknown;
    --nodes_left_;
    ++effort_->nodes;
    if (assess(state, path_.empty() ? most_passes_first : most_passes_each)) {
        const auto next = std::ranges::max_element(state.open, {}, &Slots::left);
        const auto index = static_cast<std::size_t>(next - state.open.begin());
        for (const std::size_t c : classes_for(state, next->left)) {
            State child = place(state, index, c);
            path_.push_back({next->left, c});
            const Answer answer = explore(child);
            if (answer != Answer::none) return answer;
            path_.pop_back();
        }
    }
    keep_failure(state);
    return Answer::none;
}

void DeadlineSearch::keep_sequence(const State& state) {
    std::vector<std::size_t> order;
    std::vector<Placed> placed = path_;
    found_ = {};
    if (problem_.root) {
        found_.root = *problem_.root;
    } else if (!placed.empty()) {
        found_.root = placed.front().class_index;
        placed.erase(placed.begin());
    }
    if (!problem_.is_broadcast())  // backwards in time; who starts first was placed the furthest
        std::ranges::stable_sort(placed, {}, [&](const Placed& node) {
            return node.left - problem_.time[node.class_index];
        });
    for (const Placed& node : placed) order.push_back(node.class_index);
    for (std::size_t c = 0; c < problem_.classes(); ++c)
        order.insert(order.end(), state.nodes[c], c);
    for (const std::size_t c : order)
        if (!found_.runs.empty() && found_.runs.back().class_index == c)
            ++found_.runs.back().count;
        else
            found_.runs.push_back({c, 1});
}

DeadlineSearch::Answer DeadlineSearch::search(Ticks deadline, std::uint64_t most_nodes,
                                              Effort& effort) {
    nodes_left_ = most_nodes;
    effort_ = &effort;
    path_.clear();
    State state = first_state(deadline);
    return explore(state);
}

Ticks DeadlineSearch::bound(Ticks low, Ticks high, Ticks step) {
    std::vector<double> price(problem_.classes(), 0);
    while (high - low > step && !meter_.over()) {
        const Ticks middle = low + (high - low) / 2;
        State state = first_state(middle);
        state.price = price;
        if (!enough_streams(state) && (state.open.empty() || !assess(state, most_passes_first)))
            low = middle;
        else
            high = middle;
        price = state.price;
    }
    return low;
}

}  // namespace espalier::sender
