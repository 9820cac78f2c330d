#include "plan/grid/exact.hpp"

#include "core/infinity.hpp"
#include "core/rounding.hpp"
#include "simulate/node_classes.hpp"
#include "simulate/shortest_paths.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

namespace espalier::plan::grid {

namespace {

/// Clusters that wait, one a bit.
using Mask = std::uint64_t;

/// Of a Meter, for a state of the enumeration.
constexpr std::uint64_t steps_a_state = 150;

/// Failed states, by the clusters that wait: when the slots of the others are free (never:
/// infinity). Of as many that differ in this alone as there are pairs of slots.
class FailedStates {
public:
    FailedStates(std::size_t width, std::size_t most_bytes)
        : width_(width), most_(most_bytes / (width * sizeof(double)) + 1) {}

    /// Whether each slot is free no sooner than in a state that failed.
    [[nodiscard]] bool covers(Mask waiting, const double* free) {
        const auto found = lists_.find(waiting);
        if (found == lists_.end()) return false;
        auto& entries = found->second;
        for (std::size_t at = 0; at < entries.size(); at += width_) {
            std::size_t slot = 0;
            while (slot < width_ && entries[at + slot] <= free[slot]) ++slot;
            if (slot < width_) continue;
            // What was of use will be again: to the front with it.
            std::swap_ranges(entries.begin() + static_cast<std::ptrdiff_t>(at),
                             entries.begin() + static_cast<std::ptrdiff_t>(at + width_),
                             entries.begin());
            return true;
        }
        return false;
    }

    void add(Mask waiting, const double* free) {
        auto& entries = lists_[waiting];
        if (stored_ >= most_ || entries.size() >= width_ * width_ * width_) {
            if (entries.empty()) return;
            std::copy(free, free + width_,
                      entries.begin() + static_cast<std::ptrdiff_t>(
                                            (replaced_++ % (entries.size() / width_)) * width_));
            return;
        }
        entries.insert(entries.end(), free, free + width_);
        ++stored_;
    }

private:
    std::size_t width_;
    std::size_t most_;
    std::size_t stored_ = 0;
    std::size_t replaced_ = 0;
    std::unordered_map<Mask, std::vector<double>> lists_;
};

/// How long a message takes to each cluster, through others where that is shorter.
std::vector<double> paths_from(const Problem& problem, std::size_t root) {
    return simulate::shortest_paths(problem.size(), root, [&](std::size_t from, std::size_t to) {
        return problem.delivery(from, to);
    });
}

class Enumerator {
public:
    Enumerator(const Problem& problem, double deadline, const std::vector<double>& prices,
               Meter& meter)
        : problem_(problem),
          meter_(meter),
          n_(problem.size()),
          ports_(std::clamp<std::size_t>(problem.ports, 1, n_)),
          classed_(each_by_itself(problem)),
          prices_(prices.empty() ? std::vector<double>(n_, 1.0) : prices),
          grid_(simulate::time_grid(classed_, deadline, simulate::price_search.fine_steps,
                                    simulate::price_search.fine_steps)),
          table_(classed_, grid_.horizon, grid_.steps),
          deadline_(deadline * (1 - rounding)),
          shortest_(n_, n_, 0),
          free_(n_ * ports_, infinity),
          key_(n_ * ports_),
          failed_(n_ * ports_, std::size_t{128} << 20) {
        table_.set_prices(prices_);
        find_shortest();
        find_kinds();
    }

    Enumeration run() {
        double excess = -table_.demand();
        Mask waiting = 0;
        for (std::size_t j = 0; j < n_; ++j)
            if (j != problem_.root) waiting |= Mask{1} << j;
        for (std::size_t p = 0; p < ports_; ++p) {
            free_[problem_.root * ports_ + p] = 0;
            excess += worth(problem_.root, 0);
        }
        if (problem_.inner[problem_.root] <= deadline_)
            branch(waiting, excess, problem_.inner[problem_.root]);
        result_.complete = !stopped_;
        return std::move(result_);
    }

private:
    struct Choice {
        std::size_t to = 0;
        double excess = 0;
    };

    [[nodiscard]] double worth(std::size_t i, double time) const {
        return table_.value(i, deadline_ - time);
    }

    void find_shortest() {
        for (std::size_t i = 0; i < n_; ++i) {
            const auto paths = paths_from(problem_, i);
            for (std::size_t j = 0; j < n_; ++j) shortest_(i, j) = paths[j];
        }
    }

    /// before_[j]: those like j that are served before it. The root is like nobody.
    void find_kinds() {
        auto inner = problem_.inner;
        inner[problem_.root] = -1;
        const auto classes = simulate::find_classes(inner, n_, [&](std::size_t i, std::size_t j) {
            return std::pair(problem_.gap(i, j), problem_.latency(i, j));
        });
        before_.assign(n_, 0);
        kind_.assign(n_, 0);
        for (const auto& members : classes->members) {
            Mask before = 0;
            for (const std::size_t j : members) {
                kind_[j] = members.front();
                before_[j] = std::exchange(before, before | Mask{1} << j);
            }
        }
    }

    /// The slots' times, those of a kind in increasing order: who of them holds which does not
    /// matter.
    void make_key() {
        key_ = free_;
        for (std::size_t i = 0; i < n_; ++i) {
            if (kind_[i] != i) continue;
            gather_.clear();
            for (std::size_t j = i; j < n_; ++j)
                if (kind_[j] == i)
                    gather_.insert(gather_.end(), &free_[j * ports_], &free_[j * ports_] + ports_);
            if (gather_.size() == 1) continue;
            sort_kind(i);
        }
    }
    void sort_kind(std::size_t kind) {
        // Ports of one node belong together: nodes are compared by their slots in order.
        std::vector<std::vector<double>> nodes;
        for (std::size_t at = 0; at < gather_.size(); at += ports_) {
            nodes.emplace_back(gather_.begin() + static_cast<std::ptrdiff_t>(at),
                               gather_.begin() + static_cast<std::ptrdiff_t>(at + ports_));
            std::sort(nodes.back().begin(), nodes.back().end());
        }
        std::sort(nodes.begin(), nodes.end());
        auto next = nodes.begin();
        for (std::size_t j = kind; j < n_; ++j)
            if (kind_[j] == kind) {
                std::copy(next->begin(), next->end(),
                          key_.begin() + static_cast<std::ptrdiff_t>(j * ports_));
                ++next;
            }
    }

    /// Whether everybody who waits can still be reached by somebody.
    [[nodiscard]] bool reachable(Mask waiting) const {
        for (Mask left = waiting; left != 0; left &= left - 1) {
            const auto j = static_cast<std::size_t>(std::countr_zero(left));
            const double latest = deadline_ - problem_.inner[j];
            bool reached = false;
            for (std::size_t s = 0; s < free_.size() && !reached; ++s)
                reached = free_[s] + shortest_(s / ports_, j) <= latest;
            if (!reached) return false;
        }
        return true;
    }

    void found() {
        result_.order = path_;
        deadline_ = makespan(problem_, path_) * (1 - rounding);
    }

    /// Searches the schedules that continue the sends so far, after which the last end is at least
    /// `latest`. The deadline may have become shorter than `latest` since the caller's test. Then
    /// the search ends here without recording the state as failed, since it was not searched.
    void branch(Mask waiting, double excess, double latest) {
        if (latest > deadline_) return;
        if (waiting == 0) return found();
        meter_.spend(steps_a_state);
        // A look at the clock takes long.
        if (++result_.states % (n_ * n_) == 0 && meter_.over()) stopped_ = true;
        if (stopped_) return;
        if (!reachable(waiting)) return;
        make_key();
        if (failed_.covers(waiting, key_.data())) return;
        const std::vector<double> key = key_;

        const auto slot =
            static_cast<std::size_t>(std::min_element(free_.begin(), free_.end()) - free_.begin());
        const std::size_t i = slot / ports_;
        const double start = free_[slot];
        if (start == infinity) return;
        std::vector<Choice> choices;
        const double without = excess - worth(i, start);
        for (Mask left = waiting; left != 0; left &= left - 1) {
            const auto j = static_cast<std::size_t>(std::countr_zero(left));
            if ((before_[j] & waiting) != 0) continue;
            const double end = start + problem_.delivery(i, j);
            const double again = start + problem_.gap(i, j);
            if (end + problem_.inner[j] > deadline_ || again + problem_.inner[i] > deadline_)
                continue;
            choices.push_back({j, without + prices_[j] + worth(i, again) +
                                      static_cast<double>(ports_) * worth(j, end)});
        }
        choices.push_back({n_, without});
        std::stable_sort(choices.begin(), choices.end(),
                         [](const Choice& a, const Choice& b) { return a.excess > b.excess; });
        for (const auto& [j, left] : choices) {
            if (left < -slack()) break;
            if (j == n_) {
                free_[slot] = infinity;
                branch(waiting, left, latest);
                free_[slot] = start;
                if (stopped_ || latest > deadline_) return;
                continue;
            }
            send(slot, j, start, waiting, left, latest);
            if (stopped_ || latest > deadline_) return;
        }
        if (!stopped_) failed_.add(waiting, key.data());
    }

    void send(std::size_t slot, std::size_t j, double start, Mask waiting, double excess,
              double latest) {
        const std::size_t i = slot / ports_;
        const double end = start + problem_.delivery(i, j);
        const double again = start + problem_.gap(i, j);
        // A shorter deadline may have come in between.
        if (end + problem_.inner[j] > deadline_ || again + problem_.inner[i] > deadline_) return;
        free_[slot] = again;
        for (std::size_t p = 0; p < ports_; ++p) free_[j * ports_ + p] = end;
        path_.push_back({.from = i, .to = j});
        branch(waiting & ~(Mask{1} << j), excess,
               std::max({latest, end + problem_.inner[j], again + problem_.inner[i]}));
        path_.pop_back();
        for (std::size_t p = 0; p < ports_; ++p) free_[j * ports_ + p] = infinity;
        free_[slot] = start;
    }

    [[nodiscard]] double slack() const { return 1e-9 * std::abs(table_.demand()) + 1e-9; }

    const Problem& problem_;
    Meter& meter_;
    std::size_t n_;
    std::size_t ports_;
    simulate::ClassedBroadcast classed_;
    std::vector<double> prices_;
    simulate::TimeGrid grid_;
    simulate::SlotPrices table_;
    double deadline_;
    Matrix<double> shortest_;
    std::vector<double> free_;  ///< each port of each cluster; infinity: it waits, or is done
    std::vector<double> key_;
    std::vector<double> gather_;
    std::vector<Mask> before_;
    std::vector<std::size_t> kind_;
    FailedStates failed_;
    Order path_;
    Enumeration result_;
    bool stopped_ = false;
};

}  // namespace

bool can_enumerate(const Problem& problem) {
    return problem.size() <= std::numeric_limits<Mask>::digits;
}

double bound_of_one(const Problem& problem) {
    const auto paths = paths_from(problem, problem.root);
    double last = 0;
    for (std::size_t i = 0; i < problem.size(); ++i)
        last = std::max(last, paths[i] + problem.inner[i]);
    return last;
}

simulate::ClassedBroadcast each_by_itself(const Problem& problem) {
    const std::size_t n = problem.size();
    simulate::ClassedBroadcast classed;
    classed.gap = problem.gap;
    classed.delivery = Matrix<double>(n, n, 0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (i != j) classed.delivery(i, j) = problem.delivery(i, j);
    classed.after_receipt = problem.inner;
    classed.after_send = problem.inner;
    classed.count.assign(n, 1);
    classed.root = problem.root;
    classed.ports = std::clamp<std::size_t>(problem.ports, 1, n);
    return classed;
}

Enumeration enumerate_orders(const Problem& problem, double deadline,
                             const std::vector<double>& prices, Meter& meter) {
    assert(can_enumerate(problem));
    return Enumerator(problem, deadline, prices, meter).run();
}

}  // namespace espalier::plan::grid
