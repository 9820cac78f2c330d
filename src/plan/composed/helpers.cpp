#include "plan/composed/helpers.hpp"

#include "core/infinity.hpp"
#include "plan/composed/bookings.hpp"
#include "plan/composed/clusters.hpp"
#include "plan/composed/pieces.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::plan::composed {

namespace {

class Helpers {
public:
    Helpers(const Problem& problem, const std::vector<std::uint64_t>& blocks, double weight)
        : problem_(problem),
          blocks_(blocks),
          root_(problem.request->root),
          weight_(weight),
          bookings_(*problem.fabric, problem.ports),
          clusters_(innermost_clusters(problem)) {}

    std::vector<schedule::Transfer> run(HelperOrder order, Meter& meter) {
        const std::uint64_t ranks = blocks_.size();
        const std::uint64_t clusters = clusters_.size();
        std::uint64_t steps = ranks;
        for (const std::uint64_t routes : {ranks, ranks + clusters * clusters}) {
            if (!meter.affords(static_cast<double>(ranks * routes * steps_a_look))) break;
            steps = ranks * routes * steps_a_look;
            ++most_relays_;
        }
        meter.spend(steps);
        for (const std::size_t target : in_order(order)) bring(target);
        return std::move(transfers_);
    }

private:
    [[nodiscard]] Bytes bytes(std::size_t rank) const { return Bytes(blocks_[rank]); }

    [[nodiscard]] std::vector<std::size_t> in_order(HelperOrder order) const {
        std::vector<std::vector<std::size_t>> waiting = clusters_;
        std::vector<double> work(waiting.size(), 0);
        const auto gap = [&](std::size_t rank) {
            const auto cost = problem_.fabric->cost(root_, rank, bytes(rank));
            return cost.gap.value;
        };
        for (std::size_t c = 0; c < waiting.size(); ++c) {
            std::erase(waiting[c], root_);
            for (const std::size_t rank : waiting[c]) work[c] += gap(rank);
        }
        std::vector<std::size_t> sequence;
        while (sequence.size() + 1 < blocks_.size()) {
            std::size_t next = clusters_.size();
            for (std::size_t c = 0; c < waiting.size(); ++c)
                if (!waiting[c].empty() && (next == waiting.size() || work[c] > work[next]))
                    next = c;
            do {
                sequence.push_back(waiting[next].back());
                work[next] -= gap(waiting[next].back());
                waiting[next].pop_back();
            } while (order == HelperOrder::slowest_cluster && !waiting[next].empty());
        }
        return sequence;
    }

    struct Route {
        std::vector<std::size_t> relays;
        double score = infinity;
    };

    void consider(Route& best, std::initializer_list<std::size_t> relays,
                  std::size_t target) const {
        double ready = 0;
        double kept = 0;
        std::size_t at = root_;
        const auto hop = [&](std::size_t to) {
            const auto message = bookings_.look(at, to, bytes(target), ready);
            if (at == root_) kept = message.sent - message.start;
            ready = message.end;
            at = to;
        };
        for (const std::size_t relay : relays) hop(relay);
        hop(target);
        const double score = ready + weight_ * kept;
        if (score < best.score) best = {relays, score};
    }

    /// Of each cluster the rank that could pass on something first.
    [[nodiscard]] std::vector<std::size_t> idle_ranks() const {
        std::vector<std::size_t> idle;
        const auto busy = [&](std::size_t rank) {
            return rank == root_ ? infinity
                                 : std::max(bookings_.in_free(rank), bookings_.out_free(rank));
        };
        for (const auto& ranks : clusters_)
            idle.push_back(*std::ranges::min_element(
                ranks, [&](std::size_t a, std::size_t b) { return busy(a) < busy(b); }));
        return idle;
    }

    void bring(std::size_t target) {
        Route best;
        consider(best, {}, target);
        for (std::size_t relay = 0; most_relays_ > 0 && relay < blocks_.size(); ++relay)
            if (relay != root_ && relay != target) consider(best, {relay}, target);
        if (most_relays_ > 1) {
            const auto idle = idle_ranks();
            for (const std::size_t first : idle)
                for (const std::size_t second : idle)
                    if (first != second && first != root_ && second != root_ && first != target &&
                        second != target)
                        consider(best, {first, second}, target);
        }
        best.relays.push_back(target);
        std::size_t at = root_;
        double ready = 0;
        for (const std::size_t to : best.relays) {
            ready = bookings_.book(at, to, bytes(target), ready).end;
            transfers_.push_back({.from = at, .to = to, .chunk = target});
            at = to;
        }
    }

    const Problem& problem_;
    const std::vector<std::uint64_t>& blocks_;
    std::size_t root_;
    double weight_;
    int most_relays_ = 0;  ///< that the meter affords
    Bookings bookings_;
    std::vector<std::vector<std::size_t>> clusters_;
    std::vector<schedule::Transfer> transfers_;
};

}  // namespace

std::vector<schedule::Transfer> scatter_through_helpers(const Problem& problem,
                                                        const std::vector<std::uint64_t>& blocks,
                                                        HelperOrder order, double weight,
                                                        Meter& meter) {
    return Helpers(problem, blocks, weight).run(order, meter);
}

}  // namespace espalier::plan::composed
