#include "questions.hpp"

#include <algorithm>
#include <compare>

namespace espalier::bench {

namespace {

struct Question {
    double worth = 0;  // s
    Seconds measured;
    std::size_t pair = 0;
};

template <typename Worth>
std::vector<std::size_t> sorted(const Expectations& known, std::size_t nodes, Seconds now,
                                Worth worth) {
    std::vector<Question> questions;
    for (std::size_t from = 0; from < nodes; ++from)
        for (std::size_t to = 0; to < nodes; ++to) {
            const std::size_t pair = from * nodes + to;
            if (from != to && *known.measured(pair) < now)
                questions.push_back({worth(from, to), *known.measured(pair), pair});
        }
    std::ranges::sort(questions, [](const Question& a, const Question& b) {
        if (a.worth != b.worth) return a.worth > b.worth;
        return std::pair(a.measured, a.pair) < std::pair(b.measured, b.pair);
    });
    std::vector<std::size_t> pairs;
    for (const Question& question : questions) pairs.push_back(question.pair);
    return pairs;
}

}  // namespace

std::vector<std::size_t> by_worth(const Expectations& known, std::span<const Seconds> arrivals,
                                  Seconds now, Seconds sending) {
    const std::size_t nodes = arrivals.size();
    return sorted(known, nodes, now, [&](std::size_t from, std::size_t to) {
        const Seconds limit = arrivals[to] - arrivals[from] - sending;
        return limit.value > 0 ? known.below(from * nodes + to, now, limit.value) : 0.0;
    });
}

std::vector<std::size_t> by_age(const Expectations& known, std::size_t nodes, Seconds now) {
    return sorted(known, nodes, now, [](std::size_t, std::size_t) { return 0.0; });
}

}  // namespace espalier::bench
