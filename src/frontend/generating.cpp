#include "frontend/generating.hpp"

#include "core/error.hpp"
#include "core/nearest_word.hpp"
#include "core/text.hpp"
#include "frontend/input.hpp"
#include "network/generate.hpp"
#include "network/generate_gusto.hpp"
#include "network/generate_sizes.hpp"
#include "network/generate_tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace espalier::frontend {

namespace {

/// `1ms..15ms`, or one value for both ends.
template <typename Parse>
auto parse_range(const std::string& text, const std::string& where, Parse parse) {
    const std::size_t dots = text.find("..");
    return std::pair(parse(text.substr(0, dots), where),
                     parse(dots == std::string::npos ? text : text.substr(dots + 2), where));
}

network::SecondsRange parse_times(const std::string& text, const std::string& where) {
    const auto [low, high] = parse_range(text, where, parse_seconds);
    return {low, high};
}

std::vector<std::size_t> parse_sizes(const std::string& text) {
    std::vector<std::size_t> sizes;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        sizes.push_back(parse_count(text.substr(begin, end - begin), "--sizes", 1));
        begin = end + 1;
    }
    return sizes;
}

/// A number of things, each of which takes about `bytes` of the text. Throws InputError where that
/// would be more than a file that anything here reads back.
std::size_t parse_number_of(const std::string& text, const std::string& where, double bytes) {
    constexpr double most_bytes = 4e9;
    const std::size_t number = parse_count(text, where, 1);
    if (static_cast<double>(number) * bytes > most_bytes)
        throw InputError(where, "",
                         fmt::format("{} would make a file of {}", text,
                                     format_bytes(Bytes(static_cast<std::uint64_t>(
                                         std::min(static_cast<double>(number) * bytes, 1e18))))));
    return number;
}

/// The same of pairs of so many things.
std::size_t parse_square_of(const std::string& text, const std::string& where) {
    constexpr double bytes_of_a_pair = 20;
    const auto number = static_cast<double>(parse_count(text, where, 1));
    return parse_number_of(text, where, bytes_of_a_pair * number);
}

network::Network make_grid(const GenerateOptions& options) {
    network::RandomGridOptions wanted;
    wanted.clusters = parse_square_of(options.clusters, "--clusters");
    wanted.nodes_per_cluster = parse_count(options.nodes, "--nodes", 1);
    wanted.latency = parse_times(options.latency, "--latency");
    wanted.gap = parse_times(options.gap, "--gap");
    wanted.broadcast = parse_times(options.broadcast, "--broadcast");
    wanted.symmetric = options.symmetric;
    Random random(parse_count(options.seed, "--seed"));
    return network::Network(network::random_grid(wanted, random));
}

network::Network make_senders(const GenerateOptions& options) {
    if (options.distinct && !options.classes.empty())
        throw InputError("--classes", "", "nodes that are all distinct have no classes");
    network::RandomSenderOptions wanted;
    constexpr double bytes_of_a_node = 50;
    constexpr std::size_t most_drawn = 1'000'000'000;
    wanted.nodes = options.distinct ? parse_number_of(options.nodes, "--nodes", bytes_of_a_node)
                                    : parse_count(options.nodes, "--nodes", 1);
    // Those of classes are drawn one by one, too.
    if (wanted.nodes > most_drawn)
        throw InputError(
            "--nodes", "",
            fmt::format("{} are too many; at most {} are drawn", options.nodes, most_drawn));
    wanted.classes = options.distinct ? 0
                                      : parse_count(options.classes.empty() ? "3" : options.classes,
                                                    "--classes", 1);
    const auto [least, most] = parse_range(options.times, "--times", parse_number);
    wanted.least = least;
    wanted.most = most;
    wanted.integer = options.integer;
    Random random(parse_count(options.seed, "--seed"));
    return network::Network(network::random_senders(wanted, random));
}

network::Draw parse_draw(const std::string& text) {
    if (text == "uniform") return network::Draw::uniform;
    if (text == "log") return network::Draw::log;
    throw InputError("--draw", "", fmt::format("'{}' is neither uniform nor log", text));
}

network::Network make_gusto(const GenerateOptions& options) {
    if (options.symmetric && options.asymmetric)
        throw InputError("--asymmetric", "", "--symmetric says the opposite");
    network::RandomGustoOptions wanted;
    wanted.nodes = parse_square_of(options.nodes, "--nodes");
    wanted.startup = parse_times(options.startup, "--startup");
    const auto [slowest, fastest] = parse_range(options.bandwidth, "--bandwidth", parse_rate);
    wanted.bandwidth = {slowest, fastest};
    wanted.draw = parse_draw(options.draw);
    wanted.symmetric = !options.asymmetric;
    Random random(parse_count(options.seed, "--seed"));
    return network::Network(network::random_gusto(wanted, random));
}

network::SizePattern parse_pattern(const std::string& text) {
    using enum network::SizePattern;
    constexpr std::array<std::pair<std::string_view, network::SizePattern>, 5> patterns{
        {{"small", small},
         {"large", large},
         {"uniform", uniform},
         {"mixed", mixed},
         {"servers", servers}}};
    if (text.empty())
        throw InputError("--pattern", "", "needed: small, large, uniform, mixed or servers");
    for (const auto& [name, pattern] : patterns)
        if (text == name) return pattern;
    throw InputError("--pattern", "",
                     fmt::format("'{}' is not small, large, uniform, mixed or servers", text));
}

network::Network make_tiers(const GenerateOptions& options) {
    network::RandomTiersOptions wanted;
    constexpr double bytes_of_a_host = 500;  // with its routers and links
    wanted.hosts = parse_number_of(options.hosts, "--hosts", bytes_of_a_host);
    wanted.routers = options.routers.empty() ? network::default_tiers_routers(wanted.hosts)
                                             : parse_count(options.routers, "--routers");
    wanted.links = options.links.empty()
                       ? network::default_tiers_links(wanted.hosts, wanted.routers)
                       : parse_count(options.links, "--links");
    if (!options.cycle_times.empty()) {
        const auto [least, most] = parse_range(options.cycle_times, "--cycle-times", parse_number);
        wanted.cycle_times = {least, most};
    }
    wanted.bandwidth_factor = parse_number(options.bandwidth_factor, "--bandwidth-factor");
    wanted.latencies = options.latencies;
    Random random(parse_count(options.seed, "--seed"));
    return network::Network(network::random_tiers(wanted, random));
}

struct NetworkKind {
    std::string_view name;
    network::Network (*make)(const GenerateOptions& options);
};
constexpr std::array<NetworkKind, 4> network_kinds{
    {{"grid", make_grid}, {"gusto", make_gusto}, {"sender", make_senders}, {"tiers", make_tiers}}};

/// What can be made, and its own options, beside --seed.
struct GenerateKind {
    std::string_view name;
    std::vector<std::string_view> options;

    [[nodiscard]] bool has(std::string_view option) const {
        return std::ranges::find(options, option) != options.end();
    }
};

const std::vector<GenerateKind>& generate_kinds() {
    static const std::vector<GenerateKind> kinds{
        {"grid",
         {"--clusters", "--nodes", "--latency", "--gap", "--broadcast", "--symmetric", "--expand",
          "--sizes", "--noise", "--unit"}},
        {"gusto", {"--nodes", "--startup", "--bandwidth", "--draw", "--symmetric", "--asymmetric"}},
        {"sender", {"--nodes", "--classes", "--times", "--integer", "--distinct"}},
        {"sizes",
         {"--nodes", "--network", "--at", "--old", "--pattern", "--small", "--large", "--servers"}},
        {"tiers",
         {"--hosts", "--routers", "--links", "--cycle-times", "--bandwidth-factor", "--latencies"}},
    };
    return kinds;
}

}  // namespace

void require_generate_kind(const std::string& kind, const std::vector<std::string>& given) {
    const auto& kinds = generate_kinds();
    const auto found = std::ranges::find(kinds, kind, &GenerateKind::name);
    if (found == kinds.end()) {
        std::vector<std::string_view> names;
        for (const GenerateKind& each : kinds) names.push_back(each.name);
        throw InputError(
            kind, "",
            "nothing of this kind is made here; grid, gusto, sender, sizes and tiers are" +
                did_you_mean(kind, names));
    }
    for (const GenerateKind& other : kinds)
        for (const std::string& option : given)
            if (other.has(option) && !found->has(option))
                throw InputError(option, "",
                                 fmt::format("it is for generate {}, not {}", other.name, kind));
}

network::Network generate_network(const std::string& kind, const GenerateOptions& options) {
    const auto* const found = std::ranges::find(network_kinds, kind, &NetworkKind::name);
    if (found == network_kinds.end()) throw InputError(kind, "", "is no network");
    return found->make(options);
}

network::PairTable generate_machines(const network::PairTable& clusters,
                                     const GenerateOptions& options) {
    return network::expand_latencies(clusters, parse_sizes(options.sizes),
                                     parse_fraction(options.noise, "--noise"),
                                     parse_count(options.seed, "--seed"));
}

network::PairTable generate_sizes(std::vector<std::string> nodes, const GenerateOptions& options) {
    network::PairTable table;
    table.names = std::move(nodes);
    if (table.names.empty()) {
        const std::size_t count = parse_square_of(options.nodes, "--nodes");
        for (std::size_t node = 0; node < count; ++node)
            table.names.push_back(fmt::format("n{}", node));
    }
    network::RandomSizesOptions wanted;
    wanted.nodes = table.size();
    wanted.pattern = parse_pattern(options.pattern);
    wanted.small = parse_bytes(options.small, "--small");
    wanted.large = parse_bytes(options.large, "--large");
    wanted.servers = parse_fraction(options.servers, "--servers");
    Random random(parse_count(options.seed, "--seed"));
    const Matrix<Bytes> sizes = network::random_sizes(wanted, random);
    table.cells = Matrix<std::optional<double>>(wanted.nodes, wanted.nodes);
    for (std::size_t from = 0; from < wanted.nodes; ++from)
        for (std::size_t to = 0; to < wanted.nodes; ++to)
            if (from != to) table.cells(from, to) = static_cast<double>(sizes(from, to).value);
    return table;
}

}  // namespace espalier::frontend
