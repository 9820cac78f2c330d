#include "plan/placing.hpp"

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "core/random.hpp"
#include "plan/near_hosts.hpp"
#include "plan/overhead.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/rendezvous.hpp"
#include "simulate/renumbered.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

namespace espalier::plan {

namespace {

using Hosts = std::vector<std::size_t>;

/// Slower than that is slower than in the given order, and no rounding.
constexpr double rounding = 1 + 1e-9;
/// What a call that gets slower than in the given order weighs in a search, beside one that gets
/// faster: the search may pass through such orders, and end in none.
constexpr double weight_of_losses = 4;
/// The orders to begin with that only begin elsewhere in the row of near hosts.
constexpr std::size_t most_beginnings = 16;
/// The changes that are tried for each host.
constexpr std::size_t most_changes = 150;
/// At the beginning an order is gone on from with a probability of 1/e if it makes each call so
/// much slower; less as time passes.
constexpr double first_temperature = 0.003;
/// The size of the messages by which hosts are near.
constexpr Bytes usual_message{64 << 10};

std::vector<network::GridView::Place> places_of(const PlacingProblem& problem) {
    std::vector<network::GridView::Place> places;
    for (const auto place : problem.hosts) places.insert(places.end(), problem.slots, place);
    return places;
}

/// A cluster, or, where several of what is placed sit on one host, a host.
using Likeness = std::pair<std::size_t, std::size_t>;

/// In a cluster all hosts are alike.
std::vector<Likeness> alike(const std::vector<network::GridView::Place>& hosts) {
    std::vector<Likeness> all;
    for (const network::GridView::Place place : hosts) all.emplace_back(place.leaf, place.node);
    if (const std::set<Likeness> apart(all.begin(), all.end()); apart.size() == all.size())
        for (Likeness& kind : all) kind.second = 0;
    return all;
}

class PlacingSearch {
public:
    PlacingSearch(const PlacingProblem& problem, const Limits& limits)
        : problem_(problem),
          alike_(alike(problem.hosts)),
          hosts_(simulate::make_rank_fabric(*problem.view, places_of(problem))),
          fabric_(simulate::with_rendezvous(*hosts_, problem.eager)),
          meter_(limits),
          best_(problem.hosts.size()) {
        std::iota(best_.begin(), best_.end(), std::size_t{0});
        given_ = times(best_);
        best_times_ = given_;
        current_ = best_;
    }

    [[nodiscard]] Placing run() {
        if (is_uneven()) {
            begin();
            if (!problem_.performances.empty()) anneal();
        }
        return {tidied(best_), given_, best_times_, tried_};
    }

private:
    struct Score {
        double mean = 0;    ///< logarithm of how many times as slow calls are as given
        double search = 0;  ///< the same, with what is slower weighing more
        bool loses = false;
    };

    [[nodiscard]] bool is_uneven() const {
        return std::ranges::any_of(alike_,
                                   [&](const auto& kind) { return kind != alike_.front(); });
    }

    /// The same with hosts that are alike in the given order.
    [[nodiscard]] Hosts tidied(Hosts order) const {
        std::map<Likeness, Hosts> of_kind;
        for (std::size_t host = problem_.hosts.size(); host-- > 0;)
            of_kind[alike_[host]].push_back(host);
        for (std::size_t& host : order) {
            Hosts& others = of_kind[alike_[host]];
            host = others.back();
            others.pop_back();
        }
        return order;
    }

    [[nodiscard]] Score score(const std::vector<Seconds>& found) const {
        Score score;
        for (std::size_t c = 0; c < found.size(); ++c) {
            if (!(given_[c] > Seconds(0))) continue;
            const double ratio = std::log(found[c] / given_[c]);
            const bool loses = found[c] > given_[c] * rounding;
            score.loses = score.loses || loses;
            score.mean += ratio;
            score.search += loses ? weight_of_losses * ratio : ratio;
        }
        return score;
    }

    [[nodiscard]] std::vector<Seconds> times(const Hosts& order) {
        std::vector<std::size_t> ranks;
        for (const std::size_t host : order)
            for (std::size_t slot = 0; slot < problem_.slots; ++slot)
                ranks.push_back(host * problem_.slots + slot);
        const auto fabric = simulate::renumbered(*fabric_, std::move(ranks));
        const double sharers =
            fabric_->capacities().empty() ? 0 : static_cast<double>(fabric_->nodes());
        std::vector<Seconds> found;
        for (const Performance& performance : problem_.performances) {
            meter_.spend(plan::steps_of_simulating(performance.messages(), sharers));
            found.push_back(performance.time(*fabric));
        }
        ++tried_;
        return found;
    }

    /// Goes on from this order if the search prefers it, and remembers it if it is the best.
    void look_at(Hosts order) {
        const std::vector<Seconds> found = times(order);
        const Score reached = score(found);
        if (!reached.loses && reached.mean < best_score_) {
            best_ = order;
            best_times_ = found;
            best_score_ = reached.mean;
        }
        if (reached.search - current_score_ > -temperature_ * std::log(1 - random_.uniform()))
            return;
        current_ = std::move(order);
        current_score_ = reached.search;
    }

    [[nodiscard]] Matrix<double> distances() const {
        const std::size_t hosts = problem_.hosts.size();
        Matrix<double> far(hosts, hosts, 0);
        for (std::size_t i = 0; i < hosts; ++i)
            for (std::size_t j = 0; j < hosts; ++j) {
                if (i == j) continue;
                const auto cost =
                    fabric_->cost(i * problem_.slots, j * problem_.slots, usual_message);
                far(i, j) += (cost.gap + cost.latency).value;
                far(j, i) += (cost.gap + cost.latency).value;
            }
        return far;
    }

    /// Looks at the row of near hosts, begun where the widest steps are.
    void begin() {
        const Matrix<double> far = distances();
        const Hosts row = near_order(far);
        std::vector<std::size_t> beginnings(row.size());
        std::iota(beginnings.begin(), beginnings.end(), std::size_t{0});
        std::ranges::stable_sort(beginnings, std::ranges::greater(), [&](std::size_t b) {
            return far(row[b], row[(b + row.size() - 1) % row.size()]);
        });
        beginnings.resize(std::min(beginnings.size(), most_beginnings));
        for (const std::size_t b : beginnings) {
            Hosts order = row;
            std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(b), order.end());
            look_at(order);
            std::ranges::reverse(order);
            look_at(std::move(order));
            if (meter_.over()) return;
        }
    }

    /// Changes the best order of the beginning, by simulated annealing.
    void anneal() {
        current_ = best_;
        current_score_ = best_score_;
        const auto changes = static_cast<double>(most_changes * best_.size());
        for (double made = 0; made < changes && !meter_.over(); ++made) {
            const double left = 1 - std::max(made / changes, meter_.used());
            temperature_ =
                first_temperature * left * left * static_cast<double>(problem_.performances.size());
            change();
        }
    }

    /// Looks at the current order with two hosts exchanged, or a run of them elsewhere or reversed.
    void change() {
        Hosts order = current_;
        const auto at = [&](std::size_t index) {
            return order.begin() + static_cast<std::ptrdiff_t>(index);
        };
        std::size_t first = random_.below(order.size());
        std::size_t second = random_.below(order.size());
        if (first > second) std::swap(first, second);
        if (first == second) return;
        switch (random_.below(3)) {
            case 0:
                if (alike_[order[first]] == alike_[order[second]]) return;
                std::swap(order[first], order[second]);
                break;
            case 1: {
                const std::size_t middle = first + 1 + random_.below(second - first);
                std::rotate(at(first), at(middle), at(second) + 1);
                break;
            }
            default:
                std::reverse(at(first), at(second) + 1);
        }
        look_at(std::move(order));
    }

    const PlacingProblem& problem_;
    const std::vector<Likeness> alike_;  ///< of each host: those of one kind may change places
    std::unique_ptr<const simulate::Fabric> hosts_;
    std::unique_ptr<const simulate::Fabric> fabric_;
    Meter meter_;
    Random random_{1};
    std::vector<Seconds> given_;
    Hosts best_;
    std::vector<Seconds> best_times_;
    double best_score_ = 0;
    Hosts current_;
    double current_score_ = 0;
    double temperature_ = 0;
    std::size_t tried_ = 0;
};

}  // namespace

Placing place(const PlacingProblem& problem, const Limits& limits) {
    return PlacingSearch(problem, limits).run();
}

}  // namespace espalier::plan
