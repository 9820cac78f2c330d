#include "frontend/known_algorithms.hpp"

#include "demands/algorithms.hpp"
#include "plan/algorithm.hpp"
#include "ring/planner.hpp"
#include "sender/algorithm.hpp"

#include <set>

namespace espalier::frontend {

namespace {

void append(std::vector<const AlgorithmEntry*>& all, const auto& table) {
    for (const AlgorithmEntry& algorithm : table) all.push_back(&algorithm);
}

}  // namespace

const std::vector<const AlgorithmEntry*>& known_algorithms() {
    static const std::vector<const AlgorithmEntry*> known = [] {
        std::vector<const AlgorithmEntry*> all;
        append(all, plan::algorithms());
        append(all, demands::algorithms());
        append(all, ring::algorithms());
        append(all, sender::algorithms());
        return all;
    }();
    return known;
}

std::vector<std::string> planned_collectives() {
    std::set<schedule::Kind> kinds;
    for (const AlgorithmEntry* algorithm : known_algorithms())
        kinds.insert(algorithm->collectives.begin(), algorithm->collectives.end());
    std::vector<std::string> names;
    for (const schedule::Kind kind : kinds) names.emplace_back(name_of(kind));
    return names;
}

}  // namespace espalier::frontend
