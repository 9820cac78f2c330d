#include "sender/paper_search.hpp"

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "sender/greedy.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace espalier::sender {

namespace {
constexpr std::uint64_t most_nodes = 1'000'000;
constexpr std::uint64_t nodes_between_looks_at_the_clock = 4096;

/// The times at which nodes of one class complete something next. Since all of them take the same
/// time, and things are begun in the order of time, first in is first out; what is done at one end
/// is undone at the other, in reverse order.
class Lane {
public:
    [[nodiscard]] double first() const { return head_ < at_.size() ? at_[head_] : infinity; }
    void add(double at) { at_.push_back(at); }
    void unadd() { at_.pop_back(); }
    void take() { ++head_; }
    void untake() { --head_; }

private:
    std::vector<double> at_;
    std::size_t head_ = 0;
};

/// The problem, as both searches use it.
struct Board {
    const Problem& problem;
    Techniques techniques;
    std::vector<double> time;  ///< of each class, in ticks where those are exact
    std::size_t root;          ///< its class

    [[nodiscard]] std::size_t classes() const { return time.size(); }
};

/// A broadcast in the making. The root's sends have a lane of their own, behind those of the
/// classes, since a given root may be slower than its receivers.
class Spreading {
public:
    explicit Spreading(const Board& board)
        : board_(board), root_lane_(board.classes()), lanes_(board.classes() + 1) {
        for (std::size_t p = 0; p < board.problem.ports; ++p)
            lanes_[root_lane_].add(board.time[board.root]);
        advance();
    }

    [[nodiscard]] bool allows(std::size_t c, const std::vector<std::uint64_t>& waiting,
                              std::uint64_t /*left*/) const {
        if (board_.techniques.order && board_.root == 0 && waiting[0] > 0) return c == 0;
        return !board_.techniques.exchange || c >= moments_.back().fastest_allowed;
    }
    [[nodiscard]] double cost(std::size_t /*c*/) const { return moments_.back().at; }

    void place(std::size_t c, std::uint64_t /*left*/) {
        const auto [at, sender, fastest] = moments_.back();
        lanes_[sender].take();
        lanes_[sender].add(at + time_of(sender));
        for (std::size_t p = 0; p < board_.problem.ports; ++p) lanes_[c].add(at + time_of(c));
        advance();
    }
    void unplace(std::size_t c) {
        moments_.pop_back();
        const std::size_t sender = moments_.back().sender;
        for (std::size_t p = 0; p < board_.problem.ports; ++p) lanes_[c].unadd();
        lanes_[sender].unadd();
        lanes_[sender].untake();
    }

private:
    struct Moment {
        double at;
        std::size_t sender;           ///< its lane
        std::size_t fastest_allowed;  ///< class of a receiver, by Theorem 4.2
    };
    [[nodiscard]] double time_of(std::size_t lane) const {
        return board_.time[lane == root_lane_ ? board_.root : lane];
    }
    /// Goes on to the next receipt. Of deliveries at one time the fastest sender's is taken first,
    /// so that the slowest one is still there when the last receiver is chosen.
    void advance() {
        Moment moment{lanes_[root_lane_].first(), root_lane_, 0};
        for (std::size_t c = root_lane_; c-- > 0;)
            if (const double at = lanes_[c].first(); at < moment.at) {
                moment = {at, c, c};
            } else if (at == moment.at) {
                moment.sender = c;
                moment.fastest_allowed = std::max(moment.fastest_allowed, c);
            }
        moments_.push_back(moment);
    }

    const Board& board_;
    std::size_t root_lane_;
    std::vector<Lane> lanes_;
    std::vector<Moment> moments_;
};

/// A reduction in the making.
class Gathering {
public:
    explicit Gathering(const Board& board)
        : board_(board),
          fastest_(board.problem.classes[0].count > (board.root == 0 ? 1 : 0) ? 0 : 1),
          lanes_(board.classes()),
          moments_{{.free = board.problem.ports * board.problem.nodes(),
                    .slowest_allowed = board.classes() - 1}} {}

    [[nodiscard]] bool allows(std::size_t c, const std::vector<std::uint64_t>& waiting,
                              std::uint64_t left) const {
        if (!board_.techniques.exchange) return true;
        if (c == fastest_ && waiting[c] == 1 && left > 1) return false;
        return c <= moments_.back().slowest_allowed;
    }
    [[nodiscard]] double cost(std::size_t c) const {
        return std::max(moments_.back().end, moments_.back().now + board_.time[c]);
    }

    void place(std::size_t c, std::uint64_t left) {
        Moment next = moments_.back();
        lanes_[c].add(next.now + board_.time[c]);
        next.end = cost(c);
        next.free -= board_.problem.ports + 1;
        if (left > 0) advance(next);
        next.completed = completed_.size();
        moments_.push_back(next);
    }
    void unplace(std::size_t c) {
        moments_.pop_back();
        for (; completed_.size() > moments_.back().completed; completed_.pop_back())
            lanes_[completed_.back()].untake();
        lanes_[c].unadd();
    }

private:
    struct Moment {
        double now = 0;
        double end = 0;                   ///< of all that has started
        std::uint64_t free = 0;           ///< ends of ports
        std::size_t slowest_allowed = 0;  ///< class of a sender, by Corollary 1
        std::size_t completed = 0;        ///< how many had, at this moment
    };
    /// Goes on to the next start: awaits completions, all of one time together, until there are a
    /// sender and a receiver.
    void advance(Moment& moment) {
        if (moment.free > board_.problem.ports) return;
        moment.slowest_allowed = board_.classes() - 1;
        do {
            moment.now = infinity;
            for (const Lane& lane : lanes_) moment.now = std::min(moment.now, lane.first());
            for (std::size_t c = 0; c < lanes_.size(); ++c)
                for (; lanes_[c].first() == moment.now; ++moment.free) {
                    lanes_[c].take();
                    completed_.push_back(c);
                    moment.slowest_allowed = std::min(moment.slowest_allowed, c);
                }
        } while (moment.free <= board_.problem.ports);
    }

    const Board& board_;
    std::size_t fastest_;  ///< class of all but the root
    std::vector<Lane> lanes_;
    std::vector<Moment> moments_;
    std::vector<std::size_t> completed_;  ///< classes
};

/// The best so far, what it took, and when to stop.
class Record {
public:
    Record(const Problem& problem, const Limits& limits, const Techniques& techniques,
           Result& result)
        : problem_(problem),
          meter_({.time = limits.time}),
          work_(limits.most_steps()),
          techniques_(techniques),
          result_(result) {}

    /// Counts a partial sequence; false when it is one too many.
    bool count() {
        std::uint64_t& nodes = result_.effort.nodes;
        if (nodes % nodes_between_looks_at_the_clock == 0 && meter_.over()) cut_ = true;
        if (nodes >= work_) cut_ = true;
        if (!cut_) ++nodes;
        return !cut_;
    }
    [[nodiscard]] bool cut() const { return cut_; }
    [[nodiscard]] bool rules_out(double cost) const {
        return techniques_.bound && (techniques_.equal ? cost >= best_ : cost > best_);
    }
    void finish(double cost, std::size_t root, const std::vector<std::size_t>& chosen) {
        ++result_.effort.leaves;
        if (cost >= best_) return;
        best_ = cost;
        Sequence sequence{root, {}};
        for (const std::size_t c : chosen) sequence.add(c, 1);
        result_.offer(problem_, std::move(sequence));
    }

private:
    const Problem& problem_;
    Meter meter_;
    std::uint64_t work_;
    Techniques techniques_;
    Result& result_;
    double best_ = infinity;
    bool cut_ = false;
};

/// Walks through all sequences from one class of root, depth first, without recursion: there may be
/// a million nodes.
template <typename State>
class Walk {
public:
    Walk(const Board& board, Record& record)
        : board_(board), record_(record), state_(board), left_(board.problem.nodes() - 1) {
        for (const auto& members : board.problem.classes) waiting_.push_back(members.count);
        --waiting_[board.root];
        for (std::size_t c = 0; c < board.classes(); ++c) tried_.push_back(c);
        if (board.techniques.order && !board.problem.is_broadcast()) std::ranges::reverse(tried_);
    }

    void run() {
        if (!record_.count()) return;
        if (left_ == 0) return record_.finish(0, board_.root, chosen_);
        next_.push_back(0);
        while (!next_.empty()) {
            if (next_.back() < tried_.size()) {
                if (!try_class(tried_[next_.back()++])) return;
            } else {
                next_.pop_back();
                if (!next_.empty()) take_back();
            }
        }
    }

private:
    void take_back() {
        const std::size_t c = chosen_.back();
        chosen_.pop_back();
        ++waiting_[c];
        ++left_;
        state_.unplace(c);
    }
    /// false when time is up.
    bool try_class(std::size_t c) {
        if (waiting_[c] == 0 || !state_.allows(c, waiting_, left_)) return true;
        if (!record_.count()) return false;
        const double cost = state_.cost(c);
        if (record_.rules_out(cost)) return true;
        chosen_.push_back(c);
        --waiting_[c];
        --left_;
        state_.place(c, left_);
        if (left_ > 0) {
            next_.push_back(0);
        } else {
            record_.finish(cost, board_.root, chosen_);
            take_back();
        }
        return true;
    }

    const Board& board_;
    Record& record_;
    State state_;
    std::vector<std::uint64_t> waiting_;  ///< by class: not yet in the sequence
    std::uint64_t left_;                  ///< all of these
    std::vector<std::size_t> tried_;      ///< classes in the order in which they are tried
    std::vector<std::size_t> chosen_;
    std::vector<std::size_t> next_;  ///< by depth: what to try next
};

/// Whole numbers of ticks where all times are such, because their sums have no rounding in which
/// two deliveries at one time could look like two times.
std::vector<double> exact_times(const Problem& problem, double horizon) {
    std::vector<double> times;
    for (const auto& members : problem.classes) times.push_back(members.time);
    if (horizon == 0) return times;
    const TickProblem ticks = in_ticks(problem, horizon);
    if (ticks.exact) times.assign(ticks.time.begin(), ticks.time.end());
    return times;
}

}  // namespace

std::span<const Technique> techniques() {
    static constexpr std::array<Technique, 3> table{{
        {"order",
         "the fastest (reduction: the slowest) are tried first; no other comes before the fastest",
         &Techniques::order},
        {"exchange", "no node sends to a faster one (reduction: starts after a faster one)",
         &Techniques::exchange},
        {"bound", "what is begun and already later than the best is dropped", &Techniques::bound},
    }};
    return table;
}

Result paper_search(const Problem& problem, const Limits& limits) {
    return paper_search(problem, limits, Techniques{});
}

Result paper_search(const Problem& problem, const Limits& limits, const Techniques& techniques) {
    Result result = greedy(problem);
    if (problem.nodes() > most_nodes) return result;
    Record record(problem, limits, techniques, result);
    Board board{.problem = problem,
                .techniques = techniques,
                .time = exact_times(problem, result.makespan),
                .root = 0};
    // By either technique a root that may be any is a fastest node.
    const bool any = !problem.root && !techniques.order && !techniques.exchange;
    for (; board.root < (any ? board.classes() : 1) && !record.cut(); ++board.root) {
        if (problem.root) board.root = *problem.root;
        if (problem.is_broadcast())
            Walk<Spreading>(board, record).run();
        else
            Walk<Gathering>(board, record).run();
    }
    if (!record.cut()) result.raise_bound(result.makespan);
    return result;
}

Result generic_search(const Problem& problem, const Limits& limits) {
    return paper_search(problem, limits, {.order = false, .exchange = false});
}

}  // namespace espalier::sender
