#include "plan.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "plan/explanation.hpp"
#include "report/plan_text.hpp"
#include "timeline.hpp"

#include <fmt/format.h>

namespace espalier::python {

namespace {

py::object robust(const PyPlan& self) {
    const auto& robust = self.plan().robust;
    if (!robust) return py::none();
    py::dict found;
    found["percentile"] = robust->percentile;
    found["makespan"] = robust->makespan.value;
    found["lower_bound"] = known(robust->lower_bound);
    return found;
}

std::optional<std::string> root(const PyPlan& self) {
    const auto& collective = self.schedule().collective;
    if (!has_root(collective.kind)) return std::nullopt;
    return self.schedule().nodes[collective.root];
}

py::object candidates(const PyPlan& self) {
    const auto considered = self.answer().considered();
    return parsed(plan::to_json(considered));
}

NumberArray completion(const PyPlan& self) {
    std::vector<double> times;
    for (const Seconds time : self.plan().timeline.completion) times.push_back(time.value);
    return to_array(times);
}

std::string title(const PyPlan& self) { return title_of(self.answer().headline()); }

void add_facts(py::class_<PyPlan>& type) {
    type.def_property_readonly(
            "collective",
            [](const PyPlan& self) { return name_of(self.schedule().collective.kind); },
            "``broadcast``, ``alltoall``, …")
        .def_property_readonly(
            "algorithm", [](const PyPlan& self) { return self.answer().headline().algorithm; },
            "The name of the algorithm that made it.")
        .def_property_readonly(
            "nodes", [](const PyPlan& self) { return py::tuple(py::cast(self.schedule().nodes)); },
            "The names that transfers number: of nodes, or, in a grid, of clusters.")
        .def_property_readonly("root", &root, "The root's name; None where there is none.")
        .def_property_readonly(
            "bytes", [](const PyPlan& self) { return self.schedule().collective.bytes.value; },
            "The size of one rank's operand, or of the largest block.")
        .def_property_readonly(
            "ports", [](const PyPlan& self) { return to_string(self.schedule().ports); },
            "``full-duplex``, ``half-duplex``, ``4-port``, …: how many transfers a node takes "
            "part\n"
            "in at once.")
        .def_property_readonly(
            "segments", [](const PyPlan& self) { return self.answer().segments(); },
            "The most that a chunk is cut into.")
        .def_property_readonly(
            "network", [](const PyPlan& self) { return self.schedule().network; },
            "The fingerprint of the network that it was planned for.")
        .def_property_readonly(
            "time_unit",
            [](const PyPlan& self) {
                const std::string unit = self.answer().headline().time_unit;
                return unit.empty() ? std::string("s") : unit;
            },
            "The unit of its times: ``s``, unless a sender network has its own.");
}

void add_bounds(py::class_<PyPlan>& type) {
    type.def_property_readonly(
            "makespan", [](const PyPlan& self) { return self.plan().timeline.makespan.value; },
            "When the last transfer is over, as simulated.")
        .def_property_readonly(
            "lower_bound", [](const PyPlan& self) { return known(self.plan().lower_bound); },
            "No schedule of ``bound_scope`` ends before that; None: not known.")
        .def_property_readonly(
            "bound_scope", [](const PyPlan& self) { return name_of(self.plan().scope); },
            "``whole-message``: of schedules in which nodes pass on what they hold whole, along\n"
            "one tree; ``any``: of all schedules.")
        .def_property_readonly(
            "any_lower_bound",
            [](const PyPlan& self) {
                const schedule::Plan& plan = self.plan();
                return known(plan.scope == schedule::BoundScope::any ? plan.lower_bound
                                                                     : plan.any_bound);
            },
            "No schedule of any kind ends before that; None: not known.")
        .def_property_readonly(
            "optimal", [](const PyPlan& self) { return self.plan().optimal; },
            "Whether it is proven that none of ``bound_scope`` is faster.")
        .def_property_readonly(
            "optimality_gap",
            [](const PyPlan& self) -> std::optional<double> {
                const schedule::Plan& plan = self.plan();
                if (plan.lower_bound <= Seconds(0)) return std::nullopt;
                return plan.timeline.makespan / plan.lower_bound - 1;
            },
            "How far the makespan is over ``lower_bound``, relative; None: not known.")
        .def_property_readonly(
            "robust", &robust,
            "With ``robust=``: the ``percentile``, the ``makespan`` that is not\n"
            "passed in so many per cent of scenarios, and its ``lower_bound``.")
        .def_property_readonly("candidates", &candidates,
                               "What ``auto`` considered: a dict each, with ``algorithm``,\n"
                               "``optimistic_s``, ``simulated_s`` and ``outcome``.");
}

}  // namespace

void add_plan_type(py::module_& module) {
    using namespace py::literals;
    register_records();
    py::class_<PyPlan> type(
        module, "Plan",
        "A schedule, its times as simulated, and bounds on those of all others. An immutable\n"
        "value, made by :func:`plan`, or stated by a file (:meth:`read`).");
    add_facts(type);
    add_bounds(type);
    type.def_property_readonly(
            "timeline", [](const PyPlan& self) { return timeline_array(self.plan()); },
            "The transfers in their order: a structured array of shape (t,) with the fields\n"
            "``sender``, ``receiver`` (indices into ``nodes``), ``chunk``, ``chunks`` (from\n"
            "``chunk`` on), ``combine`` (else copied), ``bytes``, ``segments``, and times:\n"
            "``start`` and ``sent`` of the sender's port, ``arrival`` and ``end`` of the\n"
            "receiver's.")
        .def_property_readonly(
            "local", [](const PyPlan& self) { return local_array(self.plan()); },
            "What is done inside nodes that are clusters: a structured array with the fields\n"
            "``node``, ``segments``, ``start`` and ``end``.")
        .def_property_readonly(
            "strategies",
            [](const PyPlan& self) {
                py::list names;
                for (const auto& part : self.schedule().local) names.append(part.strategy);
                return py::tuple(names);
            },
            "The algorithm inside each cluster, in the order of ``local``.")
        .def_property_readonly("completion", &completion,
                               "When each node's last transfer is over: shape (n,).")
        .def(
            "certificate", [](const PyPlan& self) { return self.answer().certificate(); },
            "The text of a proof of the lower bound, for :func:`check`. Raises InputError where\n"
            "the plan has none.")
        .def("to_json", &PyPlan::json, "The text of its file, format ``espalier-schedule``.")
        .def(
            "to_dict", [](const PyPlan& self) { return parsed(self.json()); },
            "The same as a dict.")
        .def(
            "write",
            [](const PyPlan& self, const py::object& file) {
                write_file(py::str(file), self.json());
            },
            "file"_a, "Write its file, all or nothing.")
        .def("__repr__",
             [](const PyPlan& self) {
                 return fmt::format("<espalier.Plan: {}, makespan {}>", title(self),
                                    report::format_time(self.plan().timeline.makespan,
                                                        self.answer().headline().time_unit));
             })
        .def("__str__", [](const PyPlan& self) {
            return fmt::format("{}\n{}\n{}{}", title(self), subtitle_of(self.answer().headline()),
                               self.answer().remarks(), self.answer().tables());
        });
}

}  // namespace espalier::python
