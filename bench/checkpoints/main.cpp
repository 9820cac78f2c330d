// What rescheduling at checkpoints gains and costs, where true times differ from the estimates
// (bhat-1998, 6.3): random networks guided by GUSTO, 100 kB from each node to each other.

#include "core/error.hpp"
#include "demands/objective.hpp"
#include "demands/open_shop.hpp"
#include "demands/problem.hpp"
#include "demands/rehearsal.hpp"
#include "network/generate_gusto.hpp"
#include "plan/exchange/bound.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <exception>
#include <string>
#include <vector>

namespace {

using namespace espalier;
using namespace espalier::demands;

struct Line {
    std::string name;
    Policy policy;
    double over = 0;  ///< sums over the runs: the makespan over planning with the true times
    double checkpoints = 0;
    double reschedulings = 0;
    double planning = 0;
};

std::vector<Line> lines() {
    std::vector<Line> found{{"never", {Checkpoints::never}}};
    for (const auto checkpoints : {Checkpoints::half, Checkpoints::every})
        for (const auto knowledge : {Knowledge::progress, Knowledge::directory})
            for (const double threshold : {0.0, 0.1})
                found.push_back({fmt::format("{}, {}{}", name_of(checkpoints), name_of(knowledge),
                                             threshold > 0 ? ", 10% off" : ""),
                                 {checkpoints, knowledge, threshold}});
    return found;
}

void study(std::size_t nodes, double noise, std::size_t runs) {
    auto policies = lines();
    double bound_over = 0;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        Random random(seed);
        network::RandomGustoOptions options;
        options.nodes = nodes;
        const network::Network network(random_gusto(options, random));
        const auto fabric = simulate::make_fabric(network);
        const auto true_fabric = with_noise(*fabric, noise, seed);
        const schedule::Collective collective{
            .kind = schedule::Kind::alltoall, .nodes = nodes, .bytes = Bytes(100'000)};
        const Problem estimate{exchange::make_problem(*fabric, collective)};
        const Problem truth{exchange::make_problem(*true_fabric, collective)};
        const double least = score_of(truth, ends_of(truth, open_shop(truth, {}).order)).makespan;
        bound_over += least / exchange::exchange_bound(truth);
        for (Line& line : policies) {
            const Rehearsal rehearsal = rehearse(estimate, truth, open_shop, line.policy);
            line.over += rehearsal.makespan / least;
            line.checkpoints += static_cast<double>(rehearsal.checkpoints);
            line.reschedulings += static_cast<double>(rehearsal.reschedulings);
            line.planning += rehearsal.planning;
        }
    }
    const auto mean = [&](double sum) { return sum / static_cast<double>(runs); };
    fmt::print(
        "\nP = {}, noise {:g}: {} runs; planned with the true times {:.3f} times the bound\n",
        nodes, noise, runs, mean(bound_over));
    for (const Line& line : policies)
        fmt::print("  {:<30} {:>6.3f} {:>8.1f} {:>8.1f} {:>9.2f} ms\n", line.name, mean(line.over),
                   mean(line.checkpoints), mean(line.reschedulings), 1e3 * mean(line.planning));
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::size_t> nodes{10, 20, 50};
    std::vector<double> noises{0.2, 1, 4};
    std::size_t runs = 20;
    CLI::App app("Exchanges whose true times differ from the estimates");
    app.add_option("--nodes", nodes)->check(CLI::Range(2, 1000))->capture_default_str();
    app.add_option("--noise", noises, "each pair is up to 1 + this times as slow, or as fast")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--runs", runs)->check(CLI::Range(1, 1'000'000))->capture_default_str();
    try {
        app.parse(argc, argv);
        fmt::print(
            "checkpoints, known there: makespan over planning with the true times; "
            "checkpoints met; plannings; time of planning (means)\n");
        for (const std::size_t n : nodes)
            for (const double noise : noises) study(n, noise, runs);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(espalier::ExitStatus::bad_input);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_checkpoints: {}\n", error.what());
        return static_cast<int>(espalier::ExitStatus::internal_fault);
    }
    return 0;
}
