#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "frontend/ring_file.hpp"
#include "frontend/ring_search.hpp"
#include "network/json.hpp"
#include "plan.hpp"
#include "report/ring_svg.hpp"
#include "report/ring_text.hpp"
#include "schedule/ring_json.hpp"
#include "timeline.hpp"

#include <fmt/format.h>

namespace espalier::python {

namespace {

using frontend::PlannedRing;

/// A ring as Python holds it, with what it lies on.
class PyRing {
public:
    PyRing(PlannedRing planned, PyNetwork network)
        : planned_(std::make_shared<const PlannedRing>(std::move(planned))),
          network_(std::move(network)) {}

    [[nodiscard]] const PlannedRing& planned() const { return *planned_; }
    [[nodiscard]] const schedule::Ring& ring() const { return planned_->ring; }
    [[nodiscard]] const network::LinksNetwork& platform() const { return planned_->platform; }
    [[nodiscard]] const PyNetwork& network() const { return network_; }
    [[nodiscard]] std::string json() const { return to_text(to_json(ring(), platform())); }

private:
    std::shared_ptr<const PlannedRing> planned_;
    PyNetwork network_;
};

PyRing plan_ring(const PyNetwork& network, const py::object& work, const py::object& exchange,
                 const std::string& algorithm, const std::string& refine, const py::object& paths,
                 const std::string& sharing, const py::object& time_limit, const py::object& seed) {
    frontend::RingSearchOptions options;
    options.work = text_of(work, "--work");
    options.exchange = text_of(exchange, "--exchange");
    options.algorithm = algorithm;
    options.refine = refine;
    options.paths = text_of(paths, "--paths");
    options.sharing = sharing;
    options.time_limit = text_of(time_limit, "--time-limit");
    options.seed = text_of(seed, "--seed");
    const ring::Request request = frontend::request_of(options);
    return {
        aside([=] { return frontend::search_ring(network.network(), network.name(), request); }),
        network};
}

/// The ring that a text states, if it holds on the network.
PyRing stated_ring(const std::string& text, const std::string& name, const PyNetwork& network,
                   const py::object& work, const py::object& exchange) {
    const frontend::RingOptions options{text_of(work, "--work"), text_of(exchange, "--exchange")};
    Warnings warnings;
    frontend::CheckedRing found =
        frontend::examine_ring(schedule::parse_ring(text, name), name, options, network.network(),
                               network.name(), warnings.sink());
    if (found.check.violation)
        throw InvalidError(fmt::format("{}: {}", name, *found.check.violation));
    warnings.raise();
    return {{std::move(found.platform), std::move(found.check.ring)}, network};
}

py::tuple hosts(const PyRing& self) {
    py::list names;
    for (const std::size_t host : self.ring().order) names.append(self.platform().nodes[host].name);
    return py::tuple(names);
}

py::tuple paths(const PyRing& self) {
    py::list all;
    for (const schedule::RingPath& path : self.ring().paths) {
        py::list links;
        for (const std::size_t link : path.links) links.append(self.platform().links[link].name);
        py::dict entry;
        entry["from"] = self.platform().nodes[path.from].name;
        entry["to"] = self.platform().nodes[path.to].name;
        entry["links"] = py::tuple(links);
        entry["bandwidth"] = path.bandwidth;
        all.append(entry);
    }
    return py::tuple(all);
}

py::array_t<LinkRecord> link_use(const PyRing& self) {
    std::vector<LinkRecord> records;
    for (const report::LinkUse& use : report::link_use(self.ring(), self.platform()))
        records.push_back(
            {static_cast<std::int64_t>(use.link), static_cast<std::int64_t>(use.paths), use.part});
    return record_array(records);
}

/// The step time of the ring, checked by what knows nothing of planning.
double check(const PyRing& self) {
    const auto found =
        frontend::examine_ring(schedule::parse_ring(self.json(), "ring"), "ring", {},
                               self.network().network(), self.network().name(), [](const auto&) {});
    if (found.check.violation) throw InvalidError(fmt::format("ring: {}", *found.check.violation));
    return found.check.ring.step_time;
}

std::string svg(const PyRing& self) { return report::ring_svg(self.ring(), self.platform()); }

std::string title(const PyRing& self) { return report::title_of(self.ring(), self.platform()); }

void add_facts(py::class_<PyRing>& type) {
    using schedule::Ring;
    type.def_property_readonly("hosts", &hosts, "The names of its hosts, in its order.")
        .def_property_readonly(
            "shares", [](const PyRing& self) { return to_array(self.ring().shares); },
            "What part of the work each of ``hosts`` does: shape (q,), sum 1.")
        .def_property_readonly("paths", &paths,
                               "Two for each host, to the next and to the one before: a dict\n"
                               "each, with ``from``, ``to``, ``links`` and ``bandwidth``.")
        .def_property_readonly("link_use", &link_use,
                               "What the paths use of each link of the network: a structured\n"
                               "array with the fields ``link`` (its index), ``paths`` (how many\n"
                               "cross it) and ``part`` (of its bandwidth, 1: all).")
        .def_property_readonly(
            "step_time", [](const PyRing& self) { return self.ring().step_time; },
            "What a step takes, in the network's unit.")
        .def_property_readonly(
            "lower_bound",
            [](const PyRing& self) -> std::optional<double> {
                if (self.ring().lower_bound <= 0) return std::nullopt;
                return self.ring().lower_bound;
            },
            "No ring on this network has a shorter step; None: not known.")
        .def_property_readonly(
            "optimal", [](const PyRing& self) { return self.ring().optimal; },
            "Whether it is proven that no ring of ``scope`` has a shorter step.")
        .def_property_readonly(
            "scope", [](const PyRing& self) { return self.ring().scope; },
            "The rings among which ``optimal`` holds: ``widest-paths``, ``all-paths``, …")
        .def_property_readonly(
            "algorithm", [](const PyRing& self) { return self.ring().algorithm; },
            "The name of the algorithm that made it.")
        .def_property_readonly(
            "sharing", [](const PyRing& self) { return name_of(self.ring().sharing); },
            "``reserved``: each path has its own bandwidth; ``fair``: as messages meet.")
        .def_property_readonly(
            "work", [](const PyRing& self) { return self.ring().work; },
            "Of one step, over all hosts.")
        .def_property_readonly(
            "exchange", [](const PyRing& self) { return self.ring().exchange; },
            "The size of the message that each host sends to each neighbour.");
}

}  // namespace

void add_rings(py::module_& module) {
    using namespace py::literals;
    py::class_<PyRing> type(
        module, "Ring",
        "An iterative computation laid over a ring of hosts: order, paths, shares of the work. An\n"
        "immutable value, made by :func:`ring`, or stated by a file (:meth:`read`).");
    add_facts(type);
    type.def_static(
            "read",
            [](const py::object& file, const PyNetwork& network, const py::object& work,
               const py::object& exchange) {
                const std::string path = py::str(file);
                return stated_ring(read_file(path), path, network, work, exchange);
            },
            "file"_a, "network"_a, py::kw_only(), "work"_a = py::none(), "exchange"_a = py::none(),
            "The ring that a file states, its step time recomputed. ``work`` and ``exchange``:\n"
            "where the file does not say them. Raises InputError naming file and field,\n"
            "InvalidError where it does not hold on the network.")
        .def_static("from_json", &stated_ring, "json"_a, "name"_a, "network"_a, py::kw_only(),
                    "work"_a = py::none(), "exchange"_a = py::none(),
                    "The same of a text of format ``espalier-ring``; errors call it ``name``.")
        .def("check", &check,
             "The step time, computed anew by what knows nothing of planning. Raises InvalidError\n"
             "where the ring does not hold.")
        .def(
            "messages",
            [](const PyRing& self) {
                schedule::Plan plan =
                    frontend::exchange_of(self.planned(), self.network().network());
                return plain_plan(std::move(plan), "plan", "");
            },
            "The messages of a step as the plan of a total exchange. Raises InputError where the\n"
            "network does not say what they cost.")
        .def("svg", &svg, "The network with the ring on it.")
        .def("_repr_svg_", &svg)
        .def("_repr_html_", [](const PyRing& self) { return figure(title(self), svg(self)); })
        .def("to_json", &PyRing::json, "The text of its file, format ``espalier-ring``.")
        .def(
            "to_dict", [](const PyRing& self) { return parsed(self.json()); },
            "The same as a dict.")
        .def(
            "write",
            [](const PyRing& self, const py::object& file) {
                write_file(py::str(file), self.json());
            },
            "file"_a, "Write its file, all or nothing.")
        .def("__len__", [](const PyRing& self) { return self.ring().order.size(); })
        .def("__repr__",
             [](const PyRing& self) {
                 return fmt::format("<espalier.Ring: {}, step time {}>", title(self),
                                    report::format_number(self.ring().step_time));
             })
        .def("__str__", [](const PyRing& self) {
            return fmt::format("{}\n{}\n", title(self), report::subtitle_of(self.ring()));
        });
    module.def(
        "ring", &plan_ring, "network"_a, "work"_a, "exchange"_a, py::kw_only(),
        "algorithm"_a = "auto", "refine"_a = "none", "paths"_a = py::none(),
        "sharing"_a = "reserved", "time_limit"_a = 5, "seed"_a = 1,
        "Lay an iterative computation over a ring of hosts.\n\n"
        "``work``: of one step, over all hosts; a host takes its cycle time for each unit.\n"
        "``exchange``: the size of the message that each host sends to each of its two\n"
        "neighbours, in the network's own unit, or bytes (\"64KiB\"). Others are the options\n"
        "of the same name of ``espalier ring``. Raises InputError naming the option.");
}

}  // namespace espalier::python
