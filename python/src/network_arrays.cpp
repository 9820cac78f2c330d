#include "network_arrays.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "network/convert.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace espalier::python {

namespace {

using network::GridNetwork;
using network::Network;
using network::PairwiseNetwork;
using network::SenderNetwork;
using Names = std::optional<std::vector<std::string>>;

/// The number of rows of an array that is to be square.
std::size_t rows_of(const NumberArray& array) {
    return array.ndim() == 0 ? 0 : static_cast<std::size_t>(array.shape(0));
}

std::vector<std::string> names_or(const Names& names, const char* argument, const char* prefix,
                                  std::size_t count) {
    if (!names) {
        std::vector<std::string> made;
        for (std::size_t i = 0; i < count; ++i) made.push_back(fmt::format("{}{}", prefix, i));
        return made;
    }
    if (names->size() != count)
        throw InputError(argument, "",
                         fmt::format("it has {} names, and there are {}", names->size(), count));
    return *names;
}

std::vector<BytesPerSecond> rates_of(const py::object& array, const char* name, std::size_t count) {
    std::vector<BytesPerSecond> rates;
    if (array.is_none()) return rates;
    for (const double rate : vector_of(NumberArray(array), name, count)) rates.emplace_back(rate);
    return rates;
}

PyNetwork sender(const NumberArray& times, const Names& nodes, const std::string& time_unit,
                 const std::string& name) {
    SenderNetwork network;
    network.time_unit = time_unit;
    const auto numbers = vector_of(times, "transmission_time", rows_of(times));
    const auto names = names_or(nodes, "nodes", "n", numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        network.classes.push_back({names[i], numbers[i], 1, true});
    return {Network(std::move(network), name), name};
}

PyNetwork pairwise(const NumberArray& startup, const NumberArray& bandwidth, const Names& nodes,
                   const py::object& egress, const py::object& ingress, const py::object& cycle,
                   const std::string& name) {
    PairwiseNetwork network;
    const std::size_t count = rows_of(startup);
    network.nodes = names_or(nodes, "nodes", "n", count);
    const auto seconds = matrix_of(startup, "startup_s", count);
    const auto rates = matrix_of(bandwidth, "bandwidth_Bps", count);
    network.startup = Matrix<std::optional<Seconds>>(count, count);
    network.bandwidth = Matrix<std::optional<BytesPerSecond>>(count, count);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j) {
            if (i == j) continue;
            if (const auto cell = seconds(i, j)) network.startup(i, j) = Seconds(*cell);
            if (const auto cell = rates(i, j)) network.bandwidth(i, j) = BytesPerSecond(*cell);
        }
    network.egress = rates_of(egress, "egress_Bps", count);
    network.ingress = rates_of(ingress, "ingress_Bps", count);
    if (!cycle.is_none()) network.cycle_times = vector_of(NumberArray(cycle), "cycle_times", count);
    return {Network(std::move(network), name), name};
}

/// The numbers of each pair of clusters at each size, from an array of shape (k, k), for any size,
/// or (k, k, m).
class GapTables {
public:
    GapTables(const NumberArray& gaps, const py::object& sizes, std::size_t clusters)
        : clusters_(clusters), gaps_(gaps) {
        if (!sizes.is_none()) {
            const NumberArray bytes(sizes);
            for (const double size : vector_of(bytes, "gap_bytes", rows_of(bytes)))
                sizes_.push_back(parse_bytes(fmt::format("{:.17g}", size), "gap_bytes"));
        }
        const auto size = static_cast<py::ssize_t>(clusters);
        const bool table = gaps.ndim() == 3;
        const std::size_t entries = table ? static_cast<std::size_t>(gaps.shape(2)) : 1;
        if ((!table && gaps.ndim() != 2) || gaps.shape(0) != size || gaps.shape(1) != size ||
            table == sizes_.empty() || (table && entries != sizes_.size()))
            throw InputError(
                "gap_s", "",
                fmt::format("its shape is {}, and ({}, {}) was expected, or with gap_bytes ({}, "
                            "{}, {})",
                            std::string(py::str(gaps.attr("shape"))), clusters, clusters, clusters,
                            clusters, sizes_.empty() ? 1 : sizes_.size()));
    }

    /// Empty where a number of the pair is not known.
    [[nodiscard]] std::optional<network::CostTable> operator()(std::size_t i, std::size_t j) const {
        const double* data = gaps_.data();
        const std::size_t pair = i * clusters_ + j;
        if (sizes_.empty())
            return std::isnan(data[pair]) ? std::nullopt
                                          : std::optional(network::CostTable(Seconds(data[pair])));
        std::vector<network::CostTable::Entry> entries;
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            const double time = data[pair * sizes_.size() + k];
            if (std::isnan(time)) return std::nullopt;
            entries.push_back({sizes_[k], Seconds(time)});
        }
        try {
            return network::CostTable(std::move(entries));
        } catch (const std::invalid_argument& error) {
            throw InputError("gap_s", "", error.what());
        }
    }

private:
    std::size_t clusters_;
    NumberArray gaps_;
    std::vector<Bytes> sizes_;
};

PyNetwork grid(const NumberArray& latency, const NumberArray& gap, const py::object& sizes,
               const Names& clusters, const py::object& gap_bytes, const std::string& name) {
    const std::size_t count = rows_of(latency);
    const auto latencies = matrix_of(latency, "latency_s", count);
    const GapTables gaps(gap, gap_bytes, count);
    std::vector<double> nodes(count, 1);
    if (!sizes.is_none()) nodes = vector_of(NumberArray(sizes), "sizes", count);
    const auto names = names_or(clusters, "clusters", "c", count);
    GridNetwork network;
    network.links = Matrix<std::optional<network::PLogP>>(count, count);
    for (std::size_t i = 0; i < count; ++i) {
        network::Cluster cluster;
        cluster.name = names[i];
        cluster.size = parse_count(fmt::format("{:.17g}", nodes[i]), "sizes", 1);
        for (std::size_t j = 0; j < count; ++j) {
            const auto table = gaps(i, j);
            if (!latencies(i, j) || !table) continue;
            const network::PLogP link{network::CostTable(Seconds(*latencies(i, j))), *table};
            if (i != j)
                network.links(i, j) = link;
            else if (cluster.size > 1)
                cluster.inside = network::Cluster::Local{link};
        }
        network.clusters.push_back(std::move(cluster));
    }
    return {Network(std::move(network), name), name};
}

const PairwiseNetwork& pairwise_of(const PyNetwork& self, const char* property) {
    if (const auto* pairwise = self.network().pairwise()) return *pairwise;
    throw InputError(property, "",
                     fmt::format("it is of pairwise networks, and {} is of model {}", self.name(),
                                 self.network().model_name()));
}

template <typename Quantity>
std::optional<double> number(const std::optional<Quantity>& quantity) {
    return quantity ? std::optional(quantity->value) : std::nullopt;
}

NumberArray message_time(const PyNetwork& self, const py::object& bytes) {
    const Bytes size = parse_bytes(text_of(bytes, "bytes"), "bytes");
    const Network& network = self.network();
    if (const auto* sender = network.sender())
        return square_array(sender->size(), [&](std::size_t i, std::size_t j) {
            return std::optional(i == j ? 0 : sender->class_of(i).transmission_time);
        });
    const PairwiseNetwork costs = network.grid()    ? to_pairwise(*network.grid(), size)
                                  : network.links() ? to_pairwise(*network.links())
                                                    : *network.pairwise();
    return square_array(costs.size(), [&](std::size_t i, std::size_t j) -> std::optional<double> {
        if (i == j) return 0;
        const auto rate = costs.usable_bandwidth(i, j);
        if (!costs.startup(i, j) || !rate) return std::nullopt;
        return (*costs.startup(i, j) + size / *rate).value;
    });
}

}  // namespace

void add_network_arrays(py::class_<PyNetwork>& type) {
    using namespace py::literals;
    type.def_static(
            "sender", &sender, "transmission_time"_a, py::kw_only(), "nodes"_a = py::none(),
            "time_unit"_a = "s", "name"_a = "network",
            "Nodes that differ in the time to send one unit message, whoever receives it.\n\n"
            "``transmission_time``: shape (n,), > 0, in ``time_unit``. ``nodes``: n names (n0, "
            "n1,\n"
            "…). Raises InputError.")
        .def_static(
            "pairwise", &pairwise, "startup_s"_a, "bandwidth_Bps"_a, py::kw_only(),
            "nodes"_a = py::none(), "egress_Bps"_a = py::none(), "ingress_Bps"_a = py::none(),
            "cycle_times"_a = py::none(), "name"_a = "network",
            "Start-up and bandwidth of each ordered pair of nodes: row i, column j is from i to "
            "j.\n\n"
            "``startup_s``: shape (n, n), seconds. ``bandwidth_Bps``: shape (n, n), bytes per\n"
            "second. NaN: not known; diagonals are not looked at. ``egress_Bps``,\n"
            "``ingress_Bps``: shape (n,), what each node sends and receives in all.\n"
            "``cycle_times``: shape (n,), time per unit of work. Raises InputError.")
        .def_static(
            "grid", &grid, "latency_s"_a, "gap_s"_a, py::kw_only(), "sizes"_a = py::none(),
            "clusters"_a = py::none(), "gap_bytes"_a = py::none(), "name"_a = "network",
            "Clusters of like nodes, with latency and gap (pLogP) of each ordered pair, and "
            "inside\n"
            "each on the diagonal.\n\n"
            "``latency_s``: shape (k, k), seconds. ``gap_s``: shape (k, k), seconds for a message\n"
            "of any size; or (k, k, m), for messages of ``gap_bytes``, shape (m,), linear in\n"
            "between. ``sizes``: shape (k,), nodes of each cluster (1). ``clusters``: k names "
            "(c0,\n"
            "c1, …). NaN: not known. Raises InputError.")
        .def_property_readonly(
            "transmission_time",
            [](const PyNetwork& self) {
                const auto* senders = self.network().sender();
                if (senders == nullptr)
                    throw InputError("transmission_time", "",
                                     fmt::format("it is of sender networks, and {} is of model {}",
                                                 self.name(), self.network().model_name()));
                std::vector<double> times;
                for (const auto& members : senders->classes)
                    times.insert(times.end(), members.count, members.transmission_time);
                return to_array(times);
            },
            "Of a sender network: each node's, shape (n,), in ``time_unit``.")
        .def_property_readonly(
            "time_unit",
            [](const PyNetwork& self) {
                const auto* senders = self.network().sender();
                return senders == nullptr ? std::string("s") : senders->time_unit;
            },
            "The unit of its times: ``s``, unless a sender network has its own.")
        .def_property_readonly(
            "startup_s",
            [](const PyNetwork& self) {
                const auto& network = pairwise_of(self, "startup_s");
                return square_array(network.size(), [&](std::size_t i, std::size_t j) {
                    return i == j ? std::optional(0.0) : number(network.startup(i, j));
                });
            },
            "Of a pairwise network: shape (n, n), seconds; NaN: not known, the diagonal is 0.")
        .def_property_readonly(
            "bandwidth_Bps",
            [](const PyNetwork& self) {
                const auto& network = pairwise_of(self, "bandwidth_Bps");
                return square_array(network.size(), [&](std::size_t i, std::size_t j) {
                    return i == j ? std::optional(0.0) : number(network.bandwidth(i, j));
                });
            },
            "Of a pairwise network: shape (n, n), bytes per second; NaN: not known, the diagonal\n"
            "is 0.")
        .def(
            "message_time", &message_time, "bytes"_a,
            "What one message of that size takes by itself from each node to each other: shape\n"
            "(n, n), seconds, in the order of ``nodes``; NaN: not known. Of a sender network, for\n"
            "its unit message, in ``time_unit``.");
}

}  // namespace espalier::python
