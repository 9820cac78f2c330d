#include "measure/method/stated_choice.hpp"

#include "measure/hidden_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace espalier::measure {
namespace {

struct Problem {
    std::vector<double> items;
    std::vector<StatedChoice::Candidate> candidates;
};

Problem random_problem(Random& random) {
    Problem problem;
    problem.items.assign(12, 6);
    for (std::size_t k = 0; k < 10; ++k) {
        StatedChoice::Candidate candidate{random.uniform(3, 8), {}};
        for (std::size_t item = 0; item < problem.items.size(); ++item)
            if (random.uniform() < 0.3) candidate.items.emplace_back(item, random.uniform(0, 5));
        problem.candidates.push_back(std::move(candidate));
    }
    return problem;
}

double cost(const Problem& problem, const std::vector<std::size_t>& stated) {
    std::vector<double> items = problem.items;
    double sum = 0;
    for (const std::size_t k : stated) {
        const StatedChoice::Candidate& candidate = problem.candidates[k];
        sum += candidate.cost;
        for (const auto& [item, least] : candidate.items)
            items[item] = std::min(items[item], least);
    }
    for (const double item : items) sum += item;
    return sum;
}

double least_cost(const Problem& problem) {
    double least = cost(problem, {});
    for (std::size_t set = 1; set < std::size_t{1} << problem.candidates.size(); ++set) {
        std::vector<std::size_t> stated;
        for (std::size_t k = 0; k < problem.candidates.size(); ++k)
            if ((set >> k & 1U) != 0) stated.push_back(k);
        least = std::min(least, cost(problem, stated));
    }
    return least;
}

std::vector<std::size_t> choose(const Problem& problem) {
    StatedChoice choice(problem.items);
    for (const StatedChoice::Candidate& candidate : problem.candidates) choice.add(candidate);
    choice.search();
    return choice.chosen();
}

TEST(StatedChoice, is_nearly_always_the_best_of_all) {
    Random random(1);
    constexpr int problems = 200;
    int best = 0;
    for (int n = 0; n < problems; ++n) {
        const Problem problem = random_problem(random);
        const double found = cost(problem, choose(problem));
        const double least = least_cost(problem);
        EXPECT_GE(found, least - 1e-9);
        EXPECT_LE(found, 1.1 * least);
        best += found <= least + 1e-9 ? 1 : 0;
    }
    EXPECT_GE(best, problems * 9 / 10);
}

}  // namespace
}  // namespace espalier::measure
