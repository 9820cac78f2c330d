#include "plan/grid/improver.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::plan::grid {

namespace {

constexpr Annealing annealing;

}  // namespace

Improver::Improver(const SendTree::Costs& costs, const SendTree& start)
    : costs_(costs), random_(1), now_(start), best_(start), before_(start) {}

void Improver::adopt(const SendTree& tree) {
    now_ = tree;
    if (tree.makespan() < best_.makespan()) best_ = tree;
}

void Improver::descend(Meter& meter) {
    now_ = best_;
    for (bool better = true; better && !meter.over();) {
        better = false;
        find_suspects();
        for (const Node v : suspects_) {
            steps_ = 0;
            better = relocate(v) || swap_with_any(v);
            meter.spend(steps_);
            if (better || meter.over()) break;
        }
    }
    if (now_.makespan() < best_.makespan()) best_ = now_;
}

void Improver::anneal(Meter& meter, double enough) {
    if (costs_.size() < 3) return;
    now_ = best_;
    double temperature = 0;
    for (std::size_t n = 0; best_.makespan() > enough; ++n) {
        if (n % costs_.size() == 0) {  // a look at the clock takes long
            const double used = meter.used();
            if (used >= 1) break;
            temperature =
                best_.makespan() * annealing.hot * std::pow(annealing.cold / annealing.hot, used);
        }
        steps_ = 0;
        round(temperature);
        meter.spend(steps_);
    }
}

void Improver::round(double temperature) {
    before_ = now_;
    choose();
    take_out();
    put_back();
    steps_ += costs_.size() / 2;
    const double change = now_.makespan() - before_.makespan();
    if (now_.makespan() < best_.makespan()) best_ = now_;
    if (change > 0 && !(random_.uniform() < std::exp(-change / temperature))) now_ = before_;
}

/// What may delay the end: the critical path, whatever is served before something on it, and whom
/// its last cluster serves.
void Improver::find_suspects() {
    now_.critical_path(path_);
    suspects_.clear();
    for (const Node v : path_) {
        if (v == costs_.root()) continue;
        for (Node c = now_.first_child(now_.parent(v)); c != v; c = now_.next_sibling(c))
            suspects_.push_back(c);
        suspects_.push_back(v);
    }
    for (Node c = now_.first_child(path_.back()); c != SendTree::none; c = now_.next_sibling(c))
        suspects_.push_back(c);
}

void Improver::add(Node v) {
    if (v != costs_.root() && std::find(taken_.begin(), taken_.end(), v) == taken_.end())
        taken_.push_back(v);
}

void Improver::choose() {
    find_suspects();
    taken_.clear();
    const std::size_t most = std::min(costs_.size() - 1, annealing.taken_out);
    const std::size_t count = 1 + random_.below(most);
    const auto suspect = [&] { return suspects_[random_.below(suspects_.size())]; };
    if (!suspects_.empty()) add(suspect());
    while (taken_.size() < count) {
        const bool aimed = !suspects_.empty() && random_.below(3) == 0;
        add(aimed ? suspect() : static_cast<Node>(random_.below(costs_.size())));
        if (random_.below(8) == 0) break;
    }
}

/// With whatever they serve, as branches of its own.
void Improver::take_out() {
    const std::size_t chosen = taken_.size();
    for (std::size_t t = 0; t < chosen; ++t) {
        const Node v = taken_[t];
        while (now_.first_child(v) != SendTree::none) {
            const Node c = now_.first_child(v);
            now_.detach(c);
            add(c);
        }
        if (now_.parent(v) != SendTree::none) now_.detach(v);
    }
}

void Improver::put_back() {
    const std::uint64_t how = random_.below(3);
    if (how == 0) {
        for (std::size_t t = taken_.size(); t > 1; --t)
            std::swap(taken_[t - 1], taken_[random_.below(t)]);
    } else {
        std::sort(taken_.begin(), taken_.end(), [&](Node a, Node b) {
            const double difference = now_.tail(a) - now_.tail(b);
            return how == 1 ? difference > 0 : difference < 0;
        });
    }
    for (const Node v : taken_) now_.attach(v, now_.best_place(v, steps_));
}

bool Improver::relocate(Node v) {
    const double makespan = now_.makespan();
    const SendTree::Place home = now_.place_of(v);
    now_.detach(v);
    now_.attach(v, now_.best_place(v, steps_));
    if (now_.makespan() < makespan) return true;
    now_.detach(v);
    now_.attach(v, home);
    return false;
}

bool Improver::swap_with_any(Node v) {
    const double makespan = now_.makespan();
    for (Node u = 0; u < costs_.size(); ++u) {
        steps_ += 8;
        if (u == v || u == costs_.root() || below(u, v) || below(v, u)) continue;
        now_.exchange(u, v);
        if (now_.makespan() < makespan) return true;
        now_.exchange(u, v);
    }
    return false;
}

bool Improver::below(Node v, Node ancestor) const {
    while (v != SendTree::none && v != ancestor) v = now_.parent(v);
    return v == ancestor;
}

}  // namespace espalier::plan::grid
