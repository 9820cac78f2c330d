#include "sender/deadline_bound.hpp"

#include "sender/pricing.hpp"

#include <algorithm>
#include <vector>

namespace espalier::sender {

namespace {

class Search {
public:
    Search(const TickProblem& problem, const Lattice& lattice, Meter& meter)
        : problem_(problem), lattice_(lattice), meter_(meter) {}

    enum class Answer { excluded, open, unknown };

    Answer ask(std::size_t point) {
        const Window window(problem_, lattice_, point);
        Pricer pricer(window, meter_, capacity);
        if (!price_.empty()) pricer.suggest(price_);
        const auto outcome = pricer.minimise(window.start(), Pricer::Goal::sign);
        if (outcome.surplus >= 0) {
            price_ = pricer.valuation(outcome.best).price;
            return outcome.cut_short ? Answer::unknown : Answer::open;
        }
        price_ = pricer.valuation(outcome.best).price;
        excluding_ = price_;
        unit_ = window.unit();
        return Answer::excluded;
    }

    [[nodiscard]] std::optional<Proof> proof(std::size_t point) const {
        if (excluding_.empty()) return std::nullopt;
        Proof proof{.classes = {},
                    .price_unit = unit_,
                    .deadline = lattice_.at[point] - 1,
                    .lower_bound = lattice_.at[point]};
        for (std::size_t c = 0; c < problem_.classes(); ++c)
            proof.classes.push_back({problem_.time[c], problem_.count[c], excluding_[c]});
        return proof;
    }

private:
    static constexpr std::size_t capacity = 4;
    const TickProblem& problem_;
    const Lattice& lattice_;
    Meter& meter_;
    std::vector<std::int64_t> price_;
    std::vector<std::int64_t> excluding_;
    std::int64_t unit_ = 1;
};

}  // namespace

DeadlineBound bound_deadline(const TickProblem& problem, const Lattice& lattice,
                             std::size_t feasible, Meter& meter) {
    Search search(problem, lattice, meter);
    DeadlineBound bound;
    std::size_t open = feasible;
    // From a good schedule downwards, in steps that grow.
    for (std::size_t step = 1; bound.point < open;) {
        const bool down = bound.point == 0;
        const std::size_t point =
            down ? open - std::min(step, open) : bound.point + (open - bound.point - 1) / 2;
        const auto answer = search.ask(point);
        if (answer == Search::Answer::excluded) {
            bound.point = point + 1;
        } else if (answer == Search::Answer::open) {
            open = point;
            step *= 2;
        } else {
            break;
        }
    }
    bound.proof = search.proof(bound.point);
    return bound;
}

}  // namespace espalier::sender
