#include "sender/deadline_search.hpp"

#include "sender/many_classes.hpp"
#include "sender/order_exchange.hpp"
#include "sender/price_descent.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace espalier::sender {

namespace {

constexpr std::size_t exchange_rounds = 20'000;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t table_points_per_node = 150;
constexpr std::size_t most_table_points = 4000;
/// A bound, in nodes, on the rounding error of sums of worths in floating point.
constexpr double noise = 1e-6;
constexpr std::size_t most_passes_first = 300;
constexpr std::size_t most_passes_each = 60;
constexpr PriceDescent::Step descent{.aim = 0.1};
constexpr std::size_t most_failures = 3'000'000;
constexpr std::size_t most_failures_of_one_key = 24;

/// The times at which worths are computed: as many sums of sending times before the end as fit
/// while they are not too many, and even steps.
std::vector<Ticks> times_to_know(const TickProblem& problem, Ticks end) {
    const std::size_t steps =
        std::min<std::size_t>(most_table_points, table_points_per_node * problem.nodes()) / 2;
    std::vector<Ticks> left;
    std::vector<Ticks> last{0};
    for (;;) {
        std::vector<Ticks> sums;
        for (const Ticks sum : last)
            for (const Ticks time : problem.time)
                if (time < end - sum) sums.push_back(sum + time);
        std::ranges::sort(sums);
        sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
        if (sums.empty() || left.size() + sums.size() > steps) break;
        left.insert(left.end(), sums.begin(), sums.end());
        last = std::move(sums);
    }
    const Ticks step = std::max<Ticks>(1, end / static_cast<Ticks>(steps));
    for (Ticks even = step; even < end; even += step) left.push_back(even);
    left.push_back(end);
    std::ranges::sort(left, std::greater<>());
    left.erase(std::unique(left.begin(), left.end()), left.end());
    for (Ticks& time : left) time = end - time;
    return left;
}

/// Finds schedules that are over before a deadline, or that there is none.
class DeadlineSearch {
public:
    DeadlineSearch(const TickProblem& problem, Ticks longest, Meter& meter, Effort& effort)
        : problem_(problem),
          meter_(meter),
          effort_(effort),
          prices_(problem, times_to_know(problem, longest), longest),
          first_price_(problem.classes(), 0) {}

    enum class Answer { found, none, unknown };
    /// Is anything over before `deadline`? It must be at most the longest. `most_nodes`: of the
    /// search, until the answer is unknown.
    [[nodiscard]] Answer search(Ticks deadline, std::uint64_t most_nodes) {
        nodes_left_ = most_nodes;
        path_.clear();
        return explore(first_state(deadline));
    }
    /// The schedule that was found.
    [[nodiscard]] const Sequence& sequence() const { return found_; }

private:
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
    struct Slots {
        Ticks at = 0;
        std::size_t sender = nobody;  ///< who sends on after this
        std::uint64_t count = 0;
    };
    struct State {
        std::vector<std::uint64_t> nodes;  ///< left, of each class
        std::uint64_t total = 0;
        std::vector<Slots> open;
        std::vector<double> price;
    };
    struct Placed {
        Ticks at;
        std::size_t class_index;
    };
    /// The open slots, sender by sender, the earliest first.
    using Openings = std::vector<std::pair<std::size_t, Ticks>>;

    [[nodiscard]] State first_state(Ticks deadline) const;
    [[nodiscard]] bool enough_streams(const State& state) const;
    [[nodiscard]] bool assess(State& state, std::size_t most_passes);
    [[nodiscard]] std::vector<std::size_t> classes_for(const State& state, Ticks at) const;
    Answer explore(State state);
    [[nodiscard]] State place(const State& state, std::size_t open, std::size_t c) const;
    void add(std::vector<Slots>& open, Slots slots) const {
        if (slots.at < prices_.end() && slots.count > 0) open.push_back(slots);
    }
    [[nodiscard]] bool known_failure(const State& state) const;
    void keep_failure(const State& state);
    [[nodiscard]] static Openings openings_of(const State& state);
    void keep_sequence(const State& state);

    struct Hash {
        std::size_t operator()(const std::vector<std::uint64_t>& counts) const {
            std::uint64_t key = 0;
            for (const std::uint64_t count : counts) {
                key = (key ^ count) * 0x9e3779b97f4a7c15U;
                key ^= key >> 29;
            }
            return key;
        }
    };

    const TickProblem& problem_;
    Meter& meter_;
    Effort& effort_;
    PriceDescent prices_;
    std::vector<double> first_price_;  ///< of the last search
    std::uint64_t nodes_left_ = 0;
    std::vector<Placed> path_;
    std::vector<std::size_t> able_;
    double surplus_ = 0;
    std::unordered_map<std::vector<std::uint64_t>, std::vector<Openings>, Hash> failures_;
    std::size_t kept_ = 0;
    Sequence found_;
};

DeadlineSearch::State DeadlineSearch::first_state(Ticks deadline) const {
    State state{.nodes = problem_.count, .total = 0, .open = {}, .price = first_price_};
    const Ticks start = prices_.end() - deadline;
    if (!problem_.root) {
        add(state.open, {.at = start, .count = 1});
    } else {
        const std::size_t root = *problem_.root;
        --state.nodes[root];
        if (problem_.is_broadcast())
            add(state.open, {start + problem_.time[root], root, problem_.ports});
        else
            add(state.open, {.at = start, .count = problem_.ports});
    }
    state.total = std::accumulate(state.nodes.begin(), state.nodes.end(), std::uint64_t{0});
    return state;
}

bool DeadlineSearch::enough_streams(const State& state) const {
    std::uint64_t reached = 0;
    if (problem_.is_broadcast())
        for (const Slots& slots : state.open) {
            const Ticks sends = slots.sender == nobody ? 1
                                                       : 1 + (prices_.end() - slots.at - 1) /
                                                                 problem_.time[slots.sender];
            reached += slots.count * static_cast<std::uint64_t>(sends);
        }
    return reached >= state.total;
}

/// False where the state is hopeless. Leaves its best prices in it and their worths behind.
bool DeadlineSearch::assess(State& state, std::size_t most_passes) {
    able_.clear();
    for (std::size_t c = 0; c < problem_.classes(); ++c)
        if (state.nodes[c] > 0) able_.push_back(c);
    Position position{.left = state.nodes, .waiting = {}};
    for (const Slots& slots : state.open)
        prices_.add_slots(position, slots.at, slots.count,
                          slots.sender == nobody ? std::nullopt : std::optional(slots.sender));
    std::ranges::sort(position.waiting, {}, &Waiting::stream);
    const std::size_t from = prices_.window().point_of(position.waiting.front().stream);
    const auto surplus_at = [&](const std::vector<double>& price) {
        meter_.spend((prices_.window().points() - from) * able_.size());
        return prices_.surplus(position, price, able_, from);
    };
    prices_.begin();
    std::vector<double> price = state.price;
    double least = 0;
    std::size_t since = 0;
    for (std::size_t pass = 0;; ++pass) {
        const double surplus = surplus_at(price);
        if (pass == 0 || surplus < least) {
            since = surplus < least - 0.01 ? 0 : since + 1;
            least = surplus;
            state.price = price;
        } else {
            ++since;
        }
        if (least < -noise) return false;
        if (pass >= most_passes || since > most_passes / 2) break;
        prices_.improve(position, surplus, able_, descent, price);
    }
    surplus_ = surplus_at(state.price);
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
    const Ticks end = slots.at + problem_.time[c];
    if (problem_.is_broadcast()) {
        if (slots.sender != nobody)
            add(next.open, {slots.at + problem_.time[slots.sender], slots.sender, 1});
        add(next.open, {end, c, problem_.ports});
    } else {
        add(next.open, {.at = end, .count = 1 + problem_.ports});
    }
    return next;
}

DeadlineSearch::Openings DeadlineSearch::openings_of(const State& state) {
    Openings openings;
    for (const Slots& slots : state.open)
        openings.insert(openings.end(), slots.count, {slots.sender, slots.at});
    std::ranges::sort(openings);
    return openings;
}

bool DeadlineSearch::known_failure(const State& state) const {
    const auto found = failures_.find(state.nodes);
    if (found == failures_.end()) return false;
    const Openings mine = openings_of(state);
    // Sender by sender, the failure has a slot for each of these that is no later.
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
    auto& list = failures_[state.nodes];
    if (list.size() >= most_failures_of_one_key) return;
    list.push_back(openings_of(state));
    ++kept_;
}

/// The classes that the state's slot may go to without losing more than its surplus, the least loss
/// first.
std::vector<std::size_t> DeadlineSearch::classes_for(const State& state, Ticks at) const {
    const Window& window = prices_.window();
    const std::size_t point = prices_.point(at);
    std::vector<std::pair<double, std::size_t>> losses;
    for (auto c = problem_.classes(); c-- > 0;) {
        if (state.nodes[c] == 0) continue;
        const bool late = problem_.time[c] >= prices_.end() - at;
        if (late && !problem_.is_broadcast()) continue;
        const double loss = (prices_.valuation().worth[window.lone_slot(point)] -
                             window.placed(prices_.valuation(), point, c)) /
                            static_cast<double>(window.unit());
        if (surplus_ - loss >= -noise) losses.emplace_back(loss, c);
        // All that can send no more are alike, and the slowest is missed the least.
        if (late)
            while (c > 0 && problem_.time[c - 1] >= prices_.end() - at) --c;
    }
    std::ranges::sort(losses);
    std::vector<std::size_t> classes;
    for (const auto& [loss, c] : losses) classes.push_back(c);
    return classes;
}

DeadlineSearch::Answer DeadlineSearch::explore(State state) {
    if (enough_streams(state)) {
        keep_sequence(state);
        ++effort_.leaves;
        return Answer::found;
    }
    if (state.open.empty() || known_failure(state)) return Answer::none;
    if (nodes_left_ == 0 || meter_.over()) return Answer::unknown;
    --nodes_left_;
    ++effort_.nodes;
    const bool first = path_.empty();
    const bool open = assess(state, first ? most_passes_first : most_passes_each);
    if (first) first_price_ = state.price;
    if (open) {
        const auto next = std::ranges::min_element(state.open, {}, &Slots::at);
        const auto index = static_cast<std::size_t>(next - state.open.begin());
        for (const std::size_t c : classes_for(state, next->at)) {
            path_.push_back({next->at, c});
            const Answer answer = explore(place(state, index, c));
            if (answer != Answer::none) return answer;
            path_.pop_back();
        }
    }
    keep_failure(state);
    return Answer::none;
}

void DeadlineSearch::keep_sequence(const State& state) {
    std::vector<Placed> placed = path_;
    found_ = {};
    if (problem_.root) {
        found_.root = *problem_.root;
    } else if (!placed.empty()) {
        found_.root = placed.front().class_index;
        placed.erase(placed.begin());
    }
    if (!problem_.is_broadcast())  // backwards in time; who starts first was placed the furthest
        std::ranges::stable_sort(placed, std::greater<>(), [&](const Placed& node) {
            return node.at + problem_.time[node.class_index];
        });
    for (const Placed& node : placed) found_.add(node.class_index, 1);
    for (std::size_t c = 0; c < problem_.classes(); ++c) found_.add(c, state.nodes[c]);
}

}  // namespace

Result distinct_search(const Problem& problem, const Limits& limits, Result result) {
    using Answer = DeadlineSearch::Answer;
    if (result.optimal) return result;
    Meter meter(limits);
    const TickProblem ticks = in_ticks(problem, result.makespan);
    Ticks best = ticks.horizon;
    const auto take = [&](const Sequence& sequence) {
        const auto course = run_course(problem, sequence, std::span<const Ticks>(ticks.time));
        best = std::min(best, course.makespan);
        result.offer(problem, sequence);
    };
    take(exchange_orders(problem, ticks.time, result.sequence, exchange_rounds, 1, meter));
    if (auto proof = price_proof(problem, result.makespan, meter)) result.offer(std::move(*proof));
    DeadlineSearch search(ticks, best, meter, result.effort);
    // Short searches first: what they find makes the deadline earlier for the long ones, and what
    // they exclude stays excluded.
    std::uint64_t nodes = 300;
    for (Answer answer = Answer::found; !result.optimal && answer != Answer::none;) {
        answer = search.search(best, nodes);
        if (answer == Answer::none) result.raise_bound(ticks.in_units(best));
        if (answer == Answer::found) take(search.sequence());
        if (answer == Answer::unknown && (nodes == unlimited || meter.over())) break;
        if (answer == Answer::unknown) nodes = nodes < 1'000'000 ? nodes * 4 : unlimited;
    }
    return result;
}

}  // namespace espalier::sender
