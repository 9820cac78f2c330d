#include "sender/algorithm.hpp"

#include "sender/greedy.hpp"
#include "sender/optimal.hpp"
#include "sender/paper_search.hpp"

#include <algorithm>
#include <vector>

namespace espalier::sender {

namespace {

Algorithm entry(std::string_view name, std::string_view description, std::string_view source,
                std::vector<schedule::Kind> collectives, Planner make) {
    return {{.name = name,
             .family = schedule::Family::sender,
             .description = description,
             .source = source,
             .collectives = std::move(collectives),
             .models = {"sender"}},
            make};
}

}  // namespace

std::span<const Algorithm> algorithms() {
    using enum schedule::Kind;
    static const std::vector<Algorithm> table{
        entry("fnf", "the earliest delivery goes to the fastest node that waits",
              "liu-2002 3 (Banikazemi)", {broadcast}, fastest_node_first),
        entry("snf", "nodes send as early as possible, the slowest first", "liu-2000 4", {reduce},
              slowest_node_first),
        entry("paper-search", "branch and bound of all orders of classes, by exchanges",
              "liu-2002 5, liu-2000 6", {broadcast, reduce}, paper_search),
        entry("generic-search", "plain branch and bound of all orders of classes",
              "liu-2002 5, Table 1", {broadcast, reduce}, generic_search),
        entry("optimal", "proven least makespan, or the best found in time with its bound",
              "ours, after liu-2002 and liu-2000 (slot prices)", {broadcast, reduce}, optimal),
    };
    return table;
}

const Algorithm* find_algorithm(schedule::Kind kind, std::string_view name) {
    const auto found = std::ranges::find_if(algorithms(), [&](const Algorithm& algorithm) {
        return algorithm.name == name && schedule::serves(algorithm, kind);
    });
    return found == algorithms().end() ? nullptr : &*found;
}

}  // namespace espalier::sender
