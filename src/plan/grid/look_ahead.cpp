#include "plan/grid/look_ahead.hpp"

#include <limits>

namespace espalier::plan::grid {
namespace {

std::vector<std::size_t> all_but(std::size_t root, std::size_t clusters) {
    std::vector<std::size_t> others;
    for (std::size_t j = 0; j < clusters; ++j)
        if (j != root) others.push_back(j);
    return others;
}

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
      with_inner_(counting == Counting::transfer_and_inner),
      value_(problem.size(), 0),
      extreme_at_(problem.size(), 0) {
    const auto waiting = all_but(problem.root, problem.size());
    for (const std::size_t j : waiting) look(j, waiting);
}

void ExtremeLookAhead::moved(std::size_t gone, std::span<const std::size_t> waiting) {
    for (const std::size_t j : waiting)
        if (extreme_at_[j] == gone) look(j, waiting);
}

void ExtremeLookAhead::look(std::size_t j, std::span<const std::size_t> waiting) {
    double least = std::numeric_limits<double>::infinity();
    value_[j] = 0;
    for (const std::size_t k : waiting) {
        if (k == j) continue;
        const double time = problem_->delivery(j, k) + (with_inner_ ? problem_->inner[k] : 0);
        if (sign_ * time >= least) continue;
        least = sign_ * time;
        value_[j] = time;
        extreme_at_[j] = k;
    }
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
