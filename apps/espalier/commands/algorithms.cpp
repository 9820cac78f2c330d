#include "commands/all.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "frontend/known_algorithms.hpp"
#include "outputs/result.hpp"

#include <unistd.h>

#include <memory>

namespace espalier::cli {

namespace {

using frontend::AlgorithmEntry;

Json algorithms_json(const std::vector<const AlgorithmEntry*>& algorithms) {
    Json list = Json::array();
    for (const AlgorithmEntry* algorithm : algorithms) {
        Json collectives = Json::array();
        for (const schedule::Kind kind : algorithm->collectives)
            collectives.push_back(name_of(kind));
        list.push_back({{"name", algorithm->name},
                        {"family", name_of(algorithm->family)},
                        {"description", algorithm->description},
                        {"source", algorithm->source},
                        {"collectives", std::move(collectives)},
                        {"models", algorithm->models}});
    }
    return {{"format", "espalier-algorithms"}, {"version", 1}, {"algorithms", std::move(list)}};
}

std::string algorithms_text(const std::vector<const AlgorithmEntry*>& algorithms) {
    Table table({{"algorithm"}, {"family"}, {"what it does"}, {"source"}});
    for (const AlgorithmEntry* algorithm : algorithms)
        table.add({std::string(algorithm->name), std::string(name_of(algorithm->family)),
                   std::string(algorithm->description), std::string(algorithm->source)});
    return table.text(columns_of_tables(STDOUT_FILENO));
}

}  // namespace

Action add_algorithms(CLI::App& app) {
    auto options = std::make_shared<ResultOptions>();
    add_json_option(app, *options);
    return [options](const Passed&) {
        const auto& algorithms = frontend::known_algorithms();
        deliver(*options, algorithms_json(algorithms), [&] { return algorithms_text(algorithms); });
    };
}

}  // namespace espalier::cli
