#include "instance.hpp"

#include "common/stopwatch.hpp"
#include "importers/graphml.hpp"
#include "network/generate_tiers.hpp"
#include "ring/routes.hpp"
#include "simulate/check_ring.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

namespace espalier::bench {

namespace {

using ring::Found;
using ring::Solution;
using schedule::StatedRing;

constexpr double bytes_per_gigabit = 1.25e8;

network::RandomTiersOptions tiers_options(std::size_t hosts) {
    network::RandomTiersOptions options;
    options.hosts = hosts;
    options.routers = network::default_tiers_routers(hosts);
    options.links = network::default_tiers_links(hosts, options.routers);
    // The second platform of the paper, and what is to be reached at 500 hosts.
    if (hosts == 70) options = {.hosts = 70, .routers = 103, .links = 182, .cycle_times = {}};
    if (hosts == 500) options = {.hosts = 500, .routers = 700, .links = 1300, .cycle_times = {}};
    return options;
}

StatedRing stated(const Instance& instance, double exchange, const Solution& solution) {
    const ring::Problem problem = instance.problem(exchange);
    StatedRing ring;
    ring.work = problem.work;
    ring.exchange = exchange;
    ring.step_time = solution.division.step_time;
    const ring::Embedding& embedding = solution.embedding;
    const auto name = [&](std::size_t place) {
        return instance.network().nodes[problem.platform.vertex_of(embedding.order[place])].name;
    };
    const auto add = [&](std::size_t from, std::size_t to, const ring::Path& path, double rate) {
        StatedRing::Path& added = ring.paths.emplace_back();
        added = {name(from), name(to), {}, rate};
        for (const ring::LinkId link : path)
            added.links.push_back(instance.network().links[link].name);
    };
    for (std::size_t place = 0; place < embedding.size(); ++place) {
        ring.order.push_back(name(place));
        ring.shares.emplace_back(name(place), solution.division.shares[place]);
        if (embedding.size() == 1) break;
        add(place, embedding.after(place), embedding.to_successor[place],
            solution.rates.to_successor[place]);
        add(place, embedding.before(place), embedding.to_predecessor[place],
            solution.rates.to_predecessor[place]);
    }
    return ring;
}

}  // namespace

Instance::Instance(std::string name, network::LinksNetwork network)
    : name_(std::move(name)),
      network_(std::move(network)),
      platform_(network_),
      routes_(ring::widest_routes(platform_)) {}

std::unique_ptr<Instance> Instance::tiers(std::size_t hosts, std::uint64_t seed) {
    const network::RandomTiersOptions options = tiers_options(hosts);
    Random random(seed);
    return std::make_unique<Instance>(
        fmt::format("tiers --hosts {} --routers {} --links {} --seed {}", options.hosts,
                    options.routers, options.links, seed),
        network::random_tiers(options, random));
}

std::unique_ptr<Instance> Instance::research(const std::string& file) {
    network::LinksNetwork network = importers::read_graphml(importers::XmlFile(file)).network;
    for (auto& link : network.links) link.bandwidth.value /= bytes_per_gigabit;
    return std::make_unique<Instance>(std::filesystem::path(file).stem().string(),
                                      std::move(network));
}

Outcome plan_with(const Instance& instance, double exchange, ring::Planner planner,
                  const ring::Settings& settings) {
    const Stopwatch watch;
    Found found = planner(instance.problem(exchange), settings);
    Outcome outcome;
    outcome.cpu = watch.cpu();
    outcome.wall = watch.wall();
    outcome.hosts = found.solution.embedding.size();
    outcome.optimal = found.optimal;
    const simulate::RingCheck check =
        simulate::check_ring(stated(instance, exchange, found.solution), instance.network());
    if (check.violation)
        throw std::runtime_error(
            fmt::format("{}, H/W {}: {}", instance.name(), exchange, *check.violation));
    outcome.step_time = check.ring.step_time;
    outcome.solution = std::move(found.solution);
    return outcome;
}

Limits as_much_as(double seconds) {
    constexpr double steps_per_second = 7e8;  // as `auto` takes a limit of time
    constexpr Seconds no_limit(1e7);
    return {no_limit, static_cast<std::uint64_t>(seconds * steps_per_second) + 1};
}

}  // namespace espalier::bench
