#include "plan/grid/bottom_up.hpp"

#include "core/infinity.hpp"
#include "plan/grid/greedy.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace espalier::plan::grid {
namespace {

/// The receiver whose inner broadcast would end last.
class SlowestFirst {
public:
    explicit SlowestFirst(const Problem& problem) : problem_(&problem) {}

    template <typename Key>
    [[nodiscard]] std::size_t next(Growth<Key>& growth) const {
        std::size_t slowest = growth.waiting().front();
        double greatest = -infinity;
        for (const std::size_t j : growth.waiting()) {
            if (growth.at_most(j).first + problem_->inner[j] <= greatest) continue;
            growth.settle(j);
            const double end = growth.at_least(j).first + problem_->inner[j];
            if (end <= greatest) continue;
            greatest = end;
            slowest = j;
        }
        return slowest;
    }
    void moved(std::size_t, std::span<const std::size_t>) {}

private:
    const Problem* problem_;
};

/// The first cluster on the best path, direct or through one relay, to the one that would end last.
class SlowestThroughRelayFirst {
public:
    explicit SlowestThroughRelayFirst(const Problem& problem)
        : problem_(&problem),
          arrival_(problem.size(), never),
          change_(problem.size(), Change::none),
          reached_(problem.size(), never),
          first_hop_(problem.size()) {
        for (std::size_t k = 0; k < problem.size(); ++k) first_hop_[k] = k;
    }

    template <typename Key>
    [[nodiscard]] std::size_t next(Growth<Key>& growth) {
        compare_arrivals(growth);
        for (const std::size_t k : growth.waiting()) update_path(k, growth.waiting());
        const std::size_t slowest = *std::ranges::max_element(
            growth.waiting(), {}, [&](std::size_t k) { return reached_[k] + problem_->inner[k]; });
        return first_hop_[slowest];
    }
    void moved(std::size_t gone, std::span<const std::size_t>) { change_[gone] = Change::later; }

private:
    enum class Change : char { none, earlier, later };

    template <typename Key>
    void compare_arrivals(Growth<Key>& growth) {
        for (const std::size_t j : growth.waiting()) {
            growth.settle(j);
            const double now = growth.at_least(j).first;
            change_[j] = now < arrival_[j]   ? Change::earlier
                         : now > arrival_[j] ? Change::later
                                             : Change::none;
            arrival_[j] = now;
        }
    }
    /// Looks only at relays that have become better, unless the present one is gone or worse.
    void update_path(std::size_t k, std::span<const std::size_t> waiting) {
        const bool lost = change_[first_hop_[k]] == Change::later;
        if (lost) reached_[k] = never;
        for (const std::size_t j : waiting)
            if (lost || change_[j] == Change::earlier) offer(j, k);
    }
    void offer(std::size_t j, std::size_t k) {
        const double reached = arrival_[j] + (j == k ? 0 : problem_->delivery(j, k));
        if (reached > reached_[k]) return;
        if (reached == reached_[k] && j != k && (first_hop_[k] == k || first_hop_[k] < j)) return;
        reached_[k] = reached;
        first_hop_[k] = j;
    }

    const Problem* problem_;
    std::vector<double> arrival_;         ///< as of the last round
    std::vector<Change> change_;          ///< since then; who is gone counts as later
    std::vector<double> reached_;         ///< when k can hold the message by its best path
    std::vector<std::size_t> first_hop_;  ///< the first cluster on that path; k itself if direct
};

}  // namespace

Order bottom_up(const Problem& problem) {
    return grow(problem, completion_time, SlowestFirst(problem));
}

Order bottom_up_la(const Problem& problem) {
    return grow(problem, completion_time, SlowestThroughRelayFirst(problem));
}

}  // namespace espalier::plan::grid
