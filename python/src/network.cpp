#include "network.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/text.hpp"
#include "frontend/all_nodes.hpp"
#include "frontend/converting.hpp"
#include "frontend/input.hpp"
#include "network/json.hpp"
#include "network_arrays.hpp"
#include "overview/text.hpp"
#include "report/network_svg.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <optional>

namespace espalier::python {

namespace {

using network::Network;

PyNetwork read(const py::object& file, const py::object& at, const py::object& old) {
    const std::string path = py::str(file);
    const frontend::SourceOptions source{text_of(at, "--at"), text_of(old, "--old")};
    Warnings warnings;
    std::optional<Network> network;
    {
        const py::gil_scoped_release released;
        network = frontend::read_network(path, source, warnings.sink());
    }
    warnings.raise();
    return {*std::move(network), path};
}

frontend::ConvertOptions convert_options(const py::object& to, const py::object& bytes,
                                         const py::object& cycle_time) {
    frontend::ConvertOptions options;
    options.to = text_of(to, "--to");
    options.bytes = text_of(bytes, "--bytes");
    options.import.cycle_time = text_of(cycle_time, "--cycle-time");
    return options;
}

PyNetwork converted(const frontend::Converted& from, const std::string& name,
                    const frontend::ConvertOptions& options, Warnings& warnings) {
    Network network = frontend::convert(from, name, options, warnings.sink());
    warnings.raise();
    return {std::move(network), name};
}

PyNetwork to_model(const PyNetwork& from, const py::object& model, const py::object& bytes,
                   const py::object& cycle_time) {
    Warnings warnings;
    return converted({from.network(), false}, from.name(),
                     convert_options(model, bytes, cycle_time), warnings);
}

PyNetwork import_file(const py::object& file, const py::object& to, const py::object& bytes,
                      const py::object& unit, bool rtt, const py::object& bandwidth,
                      const py::object& bandwidth_unit, bool caps, bool in_flight,
                      const py::object& speed, const py::object& latency,
                      const py::object& cycle_time, const py::object& hosts) {
    const std::string path = py::str(file);
    frontend::ConvertOptions options = convert_options(to, bytes, cycle_time);
    options.unit = text_of(unit, "--unit");
    options.round_trips = rtt;
    if (!bandwidth.is_none())
        options.bandwidth = {"bandwidth", [array = NumberArray(bandwidth)](const auto& nodes) {
                                 return matrix_of(array, "bandwidth", nodes.size());
                             }};
    options.bandwidth_unit = text_of(bandwidth_unit, "--bandwidth-unit");
    options.caps = caps;
    options.in_flight = in_flight;
    options.import.speed = text_of(speed, "--speed");
    options.import.latency = text_of(latency, "--latency");
    options.import.hosts = text_of(hosts, "--hosts");
    Warnings warnings;
    const auto from = frontend::read_any(path, options, warnings.sink());
    return converted(from, path, options, warnings);
}

py::object measured(const PyNetwork& self) {
    const Json& measured = self.network().measured();
    return parsed(measured);
}

py::tuple names(const PyNetwork& self) {
    return py::tuple(py::cast(frontend::AllNodes(self.network()).names()));
}

std::string title(const PyNetwork& self) { return title_of(overview::overview_of(self.network())); }

std::string svg(const PyNetwork& self) {
    const py::gil_scoped_release released;
    return report::network_svg(overview::overview_of(self.network()));
}

std::string html(const PyNetwork& self) {
    const py::gil_scoped_release released;
    return report::network_html(overview::overview_of(self.network()), "");
}

std::string text(const PyNetwork& self) { return to_text(to_json(self.network())); }

}  // namespace

void add_networks(py::module_& module) {
    using namespace py::literals;
    py::class_<PyNetwork> type(
        module, "Network",
        "Nodes, and what messages between them cost, in one of four models: ``sender``,\n"
        "``pairwise``, ``grid`` or ``links``. An immutable value, validated when it is made.\n\n"
        "Made by :meth:`read`, :meth:`from_json`, :meth:`sender`, :meth:`pairwise`,\n"
        ":meth:`grid`, :func:`generate` and :func:`convert`.");
    type.def_static(
            "read", &read, "file"_a, py::kw_only(), "at"_a = py::none(), "old"_a = py::none(),
            "Read a network file (JSON), or what a directory of measurements or a\n"
            "Prometheus server says.\n\n"
            "``at`` and ``old`` are, of a directory, the time and the rule for old values,\n"
            "as the command line has them. Raises InputError naming file and field.")
        .def_static(
            "from_json",
            [](const std::string& json, const std::string& name) {
                return PyNetwork(network::parse_network(json, name), name);
            },
            "json"_a, "name"_a = "network",
            "The network of a text of format ``espalier-network``; errors call it ``name``.")
        .def_property_readonly(
            "model", [](const PyNetwork& self) { return self.network().model_name(); },
            "``sender``, ``pairwise``, ``grid`` or ``links``.")
        .def_property_readonly("name", &PyNetwork::name, "What errors call it: its file, say.")
        .def_property_readonly("nodes", &names,
                               "The names of the nodes that take part in a collective: in a grid\n"
                               "those of all clusters, in a physical graph the hosts.")
        .def_property_readonly(
            "fingerprint",
            [](const PyNetwork& self) { return network::fingerprint(self.network()); },
            "``sha256:…`` of all that it says: networks that say the same have the same.")
        .def_property_readonly("measured", &measured,
                               "Where it is from, when and how it was measured; None: not said.")
        .def("to", &to_model, "model"_a, "bytes"_a = py::none(), "cycle_time"_a = py::none(),
             "The same network in another model.\n\n"
             "``bytes``: the message size, where the result is for one size. ``cycle_time``: of\n"
             "nodes whose is not known, of what becomes links. Raises InputError where the\n"
             "network says too little.")
        .def("to_json", &text, "The text of its file, format ``espalier-network``.")
        .def(
            "to_dict", [](const PyNetwork& self) { return parsed(text(self)); },
            "The same as a dict.")
        .def(
            "write",
            [](const PyNetwork& self, const py::object& file) {
                write_file(py::str(file), text(self));
            },
            "file"_a, "Write its file, all or nothing.")
        .def(
            "overview",
            [](const PyNetwork& self) {
                return parsed(to_json(overview::overview_of(self.network())));
            },
            "What ``espalier network --json`` says of it: groups, matrices, what is shared and\n"
            "what is not known, as a dict of format ``espalier-overview``.")
        .def("svg", &svg, "A picture: a map, latencies and rates, and what is shared.")
        .def("html", &html, "The same as a page that stands for itself.")
        .def("_repr_svg_", &svg)
        .def("_repr_html_", [](const PyNetwork& self) { return figure(title(self), svg(self)); })
        .def(
            "__len__",
            [](const PyNetwork& self) { return frontend::AllNodes(self.network()).names().size(); })
        .def("__repr__",
             [](const PyNetwork& self) {
                 return fmt::format("<espalier.Network {}: {}>", self.name(), title(self));
             })
        .def("__str__",
             [](const PyNetwork& self) {
                 return to_text(overview::overview_of(self.network()),
                                std::numeric_limits<std::size_t>::max());
             })
        .def(
            "__eq__",
            [](const PyNetwork& self, const PyNetwork& other) {
                return network::fingerprint(self.network()) ==
                       network::fingerprint(other.network());
            },
            py::is_operator())
        .def("__hash__",
             [](const PyNetwork& self) {
                 return py::hash(py::str(network::fingerprint(self.network())));
             })
        .def(py::pickle(
            [](const PyNetwork& self) { return py::make_tuple(text(self), self.name()); },
            [](const py::tuple& state) {
                const auto name = state[1].cast<std::string>();
                return PyNetwork(network::parse_network(state[0].cast<std::string>(), name), name);
            }));
    add_network_arrays(type);
    add_generators(module, type);
    module.def(
        "convert", &import_file, "file"_a, "to"_a = py::none(), py::kw_only(),
        "bytes"_a = py::none(), "unit"_a = py::none(), "rtt"_a = false, "bandwidth"_a = py::none(),
        "bandwidth_unit"_a = py::none(), "caps"_a = false, "in_flight"_a = false,
        "speed"_a = py::none(), "latency"_a = py::none(), "cycle_time"_a = py::none(),
        "hosts"_a = py::none(),
        "The network of a file in another form: a table of latencies (CSV), GraphML, a SimGrid\n"
        "platform (XML), or a network file, in the model ``to``.\n\n"
        "``bandwidth``: bandwidths between the nodes of a CSV, of shape (n, n), in\n"
        "``bandwidth_unit`` (bps); NaN: not known. The others are the options of the same name\n"
        "of ``espalier convert``. Raises InputError naming file and field.");
}

}  // namespace espalier::python
