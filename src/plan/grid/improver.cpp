#include "plan/grid/improver.hpp"

#include <algorithm>

namespace espalier::plan::grid {

namespace {

constexpr Annealing annealing;

}  // namespace

Improver::Improver(const SendTree::Costs& costs, const SendTree& start)
    : costs_(costs), random_(1), now_(start), best_(start), before_(start) {}

void Improver::adopt(const SendTree& tree) {
    if (tree.makespan() < best_.makespan()) best_ = tree;
}

void Improver::improve(Meter& meter, double enough) {
    if (costs_.size() < 3) return;
    now_ = before_ = best_;
    anneal(*this, annealing.cooling, random_, meter, enough);
}

std::optional<double> Improver::change(Random& random) {
    steps_ = costs_.size() / 2;
    choose(random);
    take_out();
    put_back(random);
    return now_.makespan();
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

void Improver::choose(Random& random) {
    find_suspects();
    taken_.clear();
    const std::size_t most = std::min(costs_.size() - 1, annealing.taken_out);
    const std::size_t count = 1 + random.below(most);
    const auto suspect = [&] { return suspects_[random.below(suspects_.size())]; };
    if (!suspects_.empty()) add(suspect());
    while (taken_.size() < count) {
        const bool aimed = !suspects_.empty() && random.below(3) == 0;
        add(aimed ? suspect() : static_cast<Node>(random.below(costs_.size())));
        if (random.below(8) == 0) break;
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

void Improver::put_back(Random& random) {
    const std::uint64_t how = random.below(3);
    if (how == 0) {
        for (std::size_t t = taken_.size(); t > 1; --t)
            std::swap(taken_[t - 1], taken_[random.below(t)]);
    } else {
        std::sort(taken_.begin(), taken_.end(), [&](Node a, Node b) {
            const double difference = now_.tail(a) - now_.tail(b);
            return how == 1 ? difference > 0 : difference < 0;
        });
    }
    for (const Node v : taken_) now_.attach(v, now_.best_place(v, steps_));
}

}  // namespace espalier::plan::grid
