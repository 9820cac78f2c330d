#include "plan/grid/look_ahead.hpp"

#include "core/infinity.hpp"

#include <algorithm>

namespace espalier::plan::grid {
namespace {

/// For each cluster, the sum of its transfer times to the waiting ones other than itself.
std::vector<double> transfers_to(const Problem& problem, std::span<const std::size_t> waiting) {
    std::vector<double> sum(problem.size(), 0);
    for (std::size_t j = 0; j < problem.size(); ++j)
        for (const std::size_t k : waiting)
            if (k != j) sum[j] += problem.delivery(j, k);
    return sum;
}

/// How many others each of `waiting` clusters waits with.
std::size_t others_among(std::size_t waiting) { return waiting == 0 ? 0 : waiting - 1; }

}  // namespace

ExtremeLookAhead::ExtremeLookAhead(const Problem& problem, Extreme extreme, Counting counting)
    : problem_(&problem),
      sign_(extreme == Extreme::least ? 1 : -1),
      inner_(counting == Counting::transfer ? std::vector<double>(problem.size(), 0)
                                            : problem.inner),
      waits_(problem.size(), 1),
      value_(problem.size(), 0),
      few_(problem.size()) {
    waits_[problem.root] = 0;
    const auto waiting = all_but(problem.root, problem.size());
    for (const std::size_t j : waiting) look(j, waiting);
}

void ExtremeLookAhead::settle(std::size_t j, std::span<const std::size_t> waiting) {
    Few& few = few_[j];
    if (few.first == few.count || waits_[few.at[few.first]] != 0) return;
    while (++few.first < few.count)
        if (waits_[few.at[few.first]] != 0) {
            value_[j] = sign_ * few.value[few.first];
            return;
        }
    look(j, waiting);
}

void ExtremeLookAhead::moved(std::size_t gone, std::span<const std::size_t> waiting) {
    waits_[gone] = 0;
    if (sign_ < 0 || waiting.size() == 1)
        for (const std::size_t j : waiting) settle(j, waiting);
}

/// Begins with the cluster after j and goes round: where many are equally extreme, those with the
/// same costs then remember different ones, and do not all have to look again at once.
void ExtremeLookAhead::look(std::size_t j, std::span<const std::size_t> waiting) {
    Few& few = few_[j];
    few.count = few.first = 0;
    double limit = infinity;
    const auto gap = problem_->gap.row(j);
    const auto latency = problem_->latency.row(j);
    const auto see = [&](std::span<const std::size_t> some) {
        for (const std::size_t k : some) {
            const double value = sign_ * (gap[k] + latency[k] + inner_[k]);
            if (value >= limit) continue;
            std::size_t place = few.count < remembered ? few.count++ : remembered - 1;
            for (; place > 0 && value < few.value[place - 1]; --place) {
                few.value[place] = few.value[place - 1];
                few.at[place] = few.at[place - 1];
            }
            few.value[place] = value;
            few.at[place] = k;
            if (few.count == remembered) limit = few.value.back();
        }
    };
    const auto here =
        static_cast<std::size_t>(std::ranges::lower_bound(waiting, j) - waiting.begin());
    see(waiting.subspan(here + 1));
    see(waiting.first(here));
    value_[j] = few.count == 0 ? 0 : sign_ * few.value.front();
}

AverageToWaiting::AverageToWaiting(const Problem& problem)
    : problem_(&problem),
      sum_(transfers_to(problem, all_but(problem.root, problem.size()))),
      others_(others_among(problem.size() - 1)) {}

void AverageToWaiting::moved(std::size_t gone, std::span<const std::size_t> waiting) {
    for (const std::size_t j : waiting) sum_[j] -= problem_->delivery(j, gone);
    others_ = others_among(waiting.size());
}

AverageAcross::AverageAcross(const Problem& problem)
    : problem_(&problem),
      into_(problem.size(), 0),
      out_of_(transfers_to(problem, all_but(problem.root, problem.size()))),
      others_(others_among(problem.size() - 1)) {
    across_ = out_of_[problem.root];
    for (std::size_t j = 0; j < problem.size(); ++j)
        if (j != problem.root) into_[j] = problem.delivery(problem.root, j);
}

void AverageAcross::moved(std::size_t gone, std::span<const std::size_t> waiting) {
    across_ += out_of_[gone] - into_[gone];
    for (const std::size_t j : waiting) {
        out_of_[j] -= problem_->delivery(j, gone);
        into_[j] += problem_->delivery(gone, j);
    }
    ++holding_;
    others_ = others_among(waiting.size());
}

}  // namespace espalier::plan::grid
