#include "network_arrays.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/text.hpp"
#include "frontend/all_nodes.hpp"
#include "frontend/drawn_network.hpp"
#include "frontend/generating.hpp"
#include "frontend/input.hpp"
#include "network/clusters_json.hpp"
#include "network/partition.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace espalier::python {

namespace {

using frontend::GenerateOptions;

std::string option_of(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

void set(GenerateOptions& options, const std::string& name, const py::object& value) {
    if (const auto word = frontend::find_generate_word(name))
        options.*word = text_of(value, option_of(name).c_str());
    else if (const auto flag = frontend::find_generate_flag(name))
        options.*flag = value.cast<bool>();
    else
        throw py::type_error("generate() has no argument '" + name + "'");
}

py::object generate(const std::string& kind, const std::optional<PyNetwork>& network,
                    const py::kwargs& words) {
    GenerateOptions options;
    std::vector<std::string> given;
    if (network) given.emplace_back("--network");
    for (const auto& [key, value] : words) {
        const auto name = key.cast<std::string>();
        set(options, name, py::reinterpret_borrow<py::object>(value));
        given.push_back(option_of(name));
    }
    frontend::require_generate_kind(kind, given);
    if (kind != "sizes") return py::cast(PyNetwork(generate_network(kind, options), kind));
    std::vector<std::string> nodes;
    if (network) nodes = frontend::AllNodes(network->network()).names();
    const network::PairTable table = generate_sizes(std::move(nodes), options);
    py::array_t<std::uint64_t> sizes({table.size(), table.size()});
    auto cells = sizes.mutable_unchecked<2>();
    for (std::size_t i = 0; i < table.size(); ++i)
        for (std::size_t j = 0; j < table.size(); ++j)
            cells(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(j)) =
                static_cast<std::uint64_t>(table.cells(i, j).value_or(0));
    return sizes;
}

/// A partition of a network's nodes.
struct PyPartition {
    network::Metric metric;
    network::Partition partition;
};

PyPartition partition(const PyNetwork& self, const py::object& tolerance, const std::string& method,
                      const std::string& metric, const py::object& bytes) {
    const auto by = network::parse_partition_method(method, "--method");
    const double relative =
        frontend::parse_fraction(text_of(tolerance, "--tolerance"), "--tolerance");
    const auto kind = network::parse_metric_kind(metric, "--metric");
    const Bytes size = parse_bytes(text_of(bytes, "--bytes"), "--bytes");
    const py::gil_scoped_release released;
    PyPartition found{to_metric(self.network(), kind, size, self.name()), {}};
    found.partition = network::partition(found.metric, relative, by);
    return found;
}

py::tuple clusters(const PyPartition& self) {
    py::list all;
    for (const auto& names : with_names(self.partition, self.metric.names).clusters)
        all.append(py::tuple(py::cast(names)));
    return py::tuple(all);
}

py::array_t<std::int64_t> labels(const PyPartition& self) {
    std::vector<std::int64_t> labels(self.metric.size());
    for (std::size_t c = 0; c < self.partition.clusters.size(); ++c)
        for (const std::size_t node : self.partition.clusters[c])
            labels[node] = static_cast<std::int64_t>(c);
    return record_array(labels);
}

}  // namespace

void add_generators(py::module_& module, py::class_<PyNetwork>& type) {
    using namespace py::literals;
    module.def(
        "generate", &generate, "kind"_a, py::kw_only(), "network"_a = py::none(),
        "A random network of the kind ``grid``, ``gusto``, ``sender`` or ``tiers``; or, of the\n"
        "kind ``sizes``, the sizes of the messages of an exchange, shape (n, n), bytes, where row\n"
        "i has them for column j.\n\n"
        "Other arguments are the options of the same name of ``espalier generate`` (``clusters=8,\n"
        "nodes=16, latency=\"1ms..15ms\", seed=1``, …). One seed makes one network. ``network``:\n"
        "whose nodes exchange. Raises InputError naming the option.");
    py::class_<PyPartition>(module, "Partition", "Clusters of like nodes; each node is in one.")
        .def_property_readonly("clusters", &clusters, "The names in each cluster.")
        .def_property_readonly(
            "nodes", [](const PyPartition& self) { return py::tuple(py::cast(self.metric.names)); },
            "The names of all nodes.")
        .def_property_readonly("labels", &labels,
                               "The cluster of each of ``nodes``: shape (n,), indices.")
        .def_property_readonly(
            "tolerance", [](const PyPartition& self) { return self.partition.tolerance; },
            "How much distances inside a cluster may differ, relative.")
        .def_property_readonly(
            "unplaced",
            [](const PyPartition& self) {
                return py::tuple(py::cast(with_names(self.partition, self.metric.names).unplaced));
            },
            "Nodes of which nothing is known; each is a cluster of its own.")
        .def_property_readonly(
            "distances",
            [](const PyPartition& self) {
                const auto distances = cluster_distances(self.metric, self.partition);
                return square_array(distances.rows(),
                                    [&](std::size_t i, std::size_t j) { return distances(i, j); });
            },
            "The median distance between each two clusters, and inside each on the diagonal:\n"
            "shape (k, k), in the metric's unit (latency: seconds; bandwidth: seconds per byte);\n"
            "NaN: not known.")
        .def(
            "to_dict",
            [](const PyPartition& self) {
                return parsed(to_json(with_names(self.partition, self.metric.names)));
            },
            "What its file says, format ``espalier-clusters``.")
        .def("__len__", [](const PyPartition& self) { return self.partition.clusters.size(); })
        .def("__repr__", [](const PyPartition& self) {
            return fmt::format("<espalier.Partition of {} nodes into {} clusters>",
                               self.metric.size(), self.partition.clusters.size());
        });
    type.def(
        "partition", &partition, py::kw_only(), "tolerance"_a = 0.2, "method"_a = "lowekamp",
        "metric"_a = "latency", "bytes"_a = "1MiB",
        "Clusters of like nodes.\n\n"
        "``tolerance``: how much distances inside a cluster may differ, relative. ``method``:\n"
        "``lowekamp`` or ``closeness``. ``metric``: ``latency``, ``bandwidth`` or ``hops``.\n"
        "``bytes``: the message size at which a grid's bandwidths are taken. Raises\n"
        "InputError where the network does not say.");
}

}  // namespace espalier::python
