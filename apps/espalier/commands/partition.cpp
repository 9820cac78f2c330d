#include "network/partition.hpp"

#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "frontend/input.hpp"
#include "inputs/network_source.hpp"
#include "network/clusters_json.hpp"
#include "outputs/result.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

namespace espalier::cli {

namespace {

struct PartitionOptions {
    std::string input;
    std::string tolerance = "0.2";
    std::string method = "lowekamp";
    std::string metric = "latency";
    std::string unit;
    std::string bytes = "1MiB";
    SourceOptions source;
    ResultOptions result;
};

/// What nodes are apart by, and whether that is in SI units: bandwidths of a CSV, and of a network
/// of links, are in whatever their file is in.
struct Distances {
    network::Metric metric;
    network::MetricKind kind;
    bool in_si_units = true;
};

Distances read_distances(const PartitionOptions& options) {
    const auto kind = network::parse_metric_kind(options.metric, "--metric");
    const frontend::Input input =
        frontend::read_input(options.input, options.unit, options.source, warn);
    const bool latency = kind == network::MetricKind::latency;
    if (const auto* table = std::get_if<network::PairTable>(&input.content))
        return {to_metric(*table, kind, input.unit), kind, latency};
    const auto& network = std::get<network::Network>(input.content);
    return {to_metric(network, kind, parse_bytes(options.bytes, "--bytes"), options.input), kind,
            latency || network.links() == nullptr};
}

/// A distance as people read it; the metric of bandwidth is its reciprocal.
std::string format_distance(double distance, const Distances& distances) {
    switch (distances.kind) {
        case network::MetricKind::latency:
            return format_seconds(Seconds(distance));
        case network::MetricKind::bandwidth:
            return distances.in_si_units ? format_rate(BytesPerSecond(1 / distance))
                                         : fmt::format("{:.3g}", 1 / distance);
        case network::MetricKind::hops:
            return fmt::format("{:.3g}", distance);
    }
    return {};
}

std::string distance_table(const Matrix<std::optional<double>>& between,
                           const Distances& distances) {
    std::vector<Table::Column> columns{{"cluster"}};
    for (std::size_t c = 0; c < between.columns(); ++c)
        columns.push_back({fmt::format("{}", c), Table::Align::right});
    Table table(std::move(columns));
    for (std::size_t row = 0; row < between.rows(); ++row) {
        std::vector<std::string> cells{fmt::format("{}", row)};
        for (std::size_t c = 0; c < between.columns(); ++c) {
            const auto& distance = between(row, c);
            cells.push_back(distance ? format_distance(*distance, distances) : "-");
        }
        table.add(std::move(cells));
    }
    return table.text(columns_of_tables(STDOUT_FILENO));
}

std::string partition_text(const Distances& distances, const network::Partition& partition) {
    const network::Metric& metric = distances.metric;
    constexpr std::size_t readable_clusters = 12;
    constexpr std::size_t readable_names = 6;
    const auto named = with_names(partition, metric.names);
    std::string text =
        fmt::format("{} of {} at tolerance {:g}\n\n", counted(named.clusters.size(), "cluster"),
                    counted(metric.size(), "node"), partition.tolerance);
    Table table({{"cluster"}, {"nodes", Table::Align::right}, {"members"}});
    for (std::size_t c = 0; c < named.clusters.size(); ++c)
        table.add({fmt::format("{}", c), fmt::format("{}", named.clusters[c].size()),
                   listed(named.clusters[c], readable_names)});
    text += table.text(columns_of_tables(STDOUT_FILENO));
    if (!named.unplaced.empty())
        text +=
            fmt::format("\nNothing is known of {}: {}\n", counted(named.unplaced.size(), "node"),
                        listed(named.unplaced, readable_names));
    if (partition.clusters.size() <= readable_clusters)
        text += "\nMedian between clusters, and inside on the diagonal:\n\n" +
                distance_table(cluster_distances(metric, partition), distances);
    return text;
}

void run_partition(const PartitionOptions& options) {
    require_writable(options.result);
    const auto method = network::parse_partition_method(options.method, "--method");
    const double tolerance = frontend::parse_fraction(options.tolerance, "--tolerance");
    const Distances distances = read_distances(options);
    const network::Metric& metric = distances.metric;
    const network::Partition partition = network::partition(metric, tolerance, method);
    if (!partition.unplaced.empty())
        warn(fmt::format("{}: nothing is known of {}; each is a cluster of its own", options.input,
                         counted(partition.unplaced.size(), "node")));
    deliver(options.result, to_json(with_names(partition, metric.names)),
            [&] { return partition_text(distances, partition); });
}

}  // namespace

Action add_partition(CLI::App& app) {
    auto options = std::make_shared<PartitionOptions>();
    app.add_option("NETWORK", options->input,
                   "a network (JSON), a table of pairs (CSV) or a directory")
        ->type_name("")
        ->required();
    app.add_option("--tolerance", options->tolerance,
                   "how much distances inside a cluster may differ: 0.2 or 20%")
        ->type_name("NUMBER")
        ->capture_default_str();
    app.add_option("--method", options->method, "lowekamp or closeness")
        ->type_name("lowekamp|closeness")
        ->capture_default_str();
    app.add_option("--metric", options->metric, "latency, bandwidth or hops")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--unit", options->unit, "of a CSV's latencies: us (the default), ms or s")
        ->type_name("us|ms|s");
    app.add_option("--bytes", options->bytes, "message size at which a grid's bandwidths are taken")
        ->type_name("SIZE")
        ->capture_default_str();
    add_source_options(app, options->source);
    add_file_option(app, options->result, "CLUSTERS.json");
    add_json_option(app, options->result);
    return [options](const Passed&) { run_partition(*options); };
}

}  // namespace espalier::cli
