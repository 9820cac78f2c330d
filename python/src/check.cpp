#include "plan.hpp"

#include "core/error.hpp"
#include "frontend/checking.hpp"
#include "frontend/known_algorithms.hpp"
#include "network/json.hpp"
#include "plan/check_plan.hpp"
#include "schedule/json.hpp"
#include "sender/certificate.hpp"
#include "timeline.hpp"

#include <fmt/format.h>

namespace espalier::python {

namespace {

/// What became of checking a plan on a network.
struct PyCheck {
    std::string name;
    simulate::Check check;
    schedule::StatedPlan stated;
    Seconds of_processors;
    std::optional<frontend::Proven> proven;
    bool other_network = false;

    [[nodiscard]] bool valid() const { return !check.violation; }
    void require() const {
        if (check.violation) throw InvalidError(fmt::format("{}: {}", name, *check.violation));
    }
    /// With the simulator's times; throws InvalidError where there are none.
    [[nodiscard]] schedule::Plan recomputed() const {
        require();
        return frontend::recomputed(stated, check);
    }
};

PyCheck examine(const std::string& text, const std::string& name, const PyNetwork& network,
                const std::optional<std::string>& certificate) {
    PyCheck found;
    found.name = name;
    found.stated = schedule::parse_schedule(text, name);
    const schedule::Schedule& schedule = found.stated.plan.schedule;
    found.check = plan::check_plan(found.stated, network.network(), name);
    if (!found.valid()) return found;
    found.other_network =
        !schedule.network.empty() && schedule.network != network::fingerprint(network.network());
    found.of_processors = frontend::processor_time(schedule, network.network());
    if (certificate)
        found.proven = frontend::verify(sender::parse_certificate(*certificate, "certificate"),
                                        "certificate", network.network(), network.name(), schedule,
                                        found.check.timeline.makespan);
    return found;
}

PyCheck check(const py::object& plan, const PyNetwork& network,
              const std::optional<std::string>& certificate) {
    std::string text;
    std::string name = "plan";
    if (py::isinstance<PyPlan>(plan)) {
        const auto& value = plan.cast<const PyPlan&>();
        text = value.json();
        name = value.name();
    } else {
        text = plan.cast<std::string>();
    }
    PyCheck found = aside([=] { return examine(text, name, network, certificate); });
    Warnings warnings;
    if (found.other_network)
        warnings.sink()(
            fmt::format("{}: it was planned for another network than {}", name, network.name()));
    warnings.raise();
    return found;
}

py::list algorithms() {
    py::list all;
    for (const frontend::AlgorithmEntry* algorithm : frontend::known_algorithms()) {
        py::list collectives;
        for (const schedule::Kind kind : algorithm->collectives) collectives.append(name_of(kind));
        py::dict entry;
        entry["name"] = algorithm->name;
        entry["family"] = name_of(algorithm->family);
        entry["description"] = algorithm->description;
        entry["source"] = algorithm->source;
        entry["collectives"] = collectives;
        entry["models"] = algorithm->models;
        all.append(entry);
    }
    return all;
}

void add_check_type(py::module_& module) {
    py::class_<PyCheck>(module, "Check",
                        "Whether a plan does its job on a network, and what it takes: recomputed\n"
                        "by the validator and the simulator, which know nothing of planning.")
        .def_property_readonly("valid", &PyCheck::valid, "Whether nothing is wrong.")
        .def("__bool__", &PyCheck::valid)
        .def_property_readonly(
            "violation", [](const PyCheck& self) { return self.check.violation; },
            "What is wrong, naming node, chunk and transfer; None: nothing.")
        .def("require", &PyCheck::require, "Raise InvalidError where something is wrong.")
        .def_property_readonly(
            "makespan",
            [](const PyCheck& self) {
                self.require();
                return self.check.timeline.makespan.value;
            },
            "When the last transfer is over, as simulated. Raises InvalidError where it is not\n"
            "valid.")
        .def_property_readonly(
            "stated_makespan",
            [](const PyCheck& self) -> std::optional<double> {
                if (!self.stated.has_makespan) return std::nullopt;
                return self.stated.plan.timeline.makespan.value;
            },
            "What the plan says of that; None: nothing.")
        .def_property_readonly(
            "timeline", [](const PyCheck& self) { return timeline_array(self.recomputed()); },
            "The transfers with the simulator's times, as ``Plan.timeline``. Raises InvalidError\n"
            "where it is not valid.")
        .def_property_readonly(
            "processor_time", [](const PyCheck& self) { return self.of_processors.value; },
            "Seconds that all messages take of processors that all nodes share.")
        .def_property_readonly(
            "robust_makespan",
            [](const PyCheck& self) -> std::optional<double> {
                if (!self.check.robust) return std::nullopt;
                return self.check.robust->value;
            },
            "The percentile of the makespan that the plan states, computed again.")
        .def_property_readonly(
            "proven_lower_bound",
            [](const PyCheck& self) -> std::optional<double> {
                if (!self.proven) return std::nullopt;
                return self.proven->lower_bound.value;
            },
            "What the certificate proves; None: there was none.")
        .def_property_readonly(
            "proven_optimal",
            [](const PyCheck& self) { return self.proven && self.proven->optimal; },
            "Whether the certificate proves that no schedule is faster.")
        .def("__repr__", [](const PyCheck& self) {
            return self.valid() ? fmt::format("<espalier.Check: valid, makespan {} s>",
                                              self.check.timeline.makespan.value)
                                : fmt::format("<espalier.Check: {}>", *self.check.violation);
        });
}

}  // namespace

void add_checks(py::module_& module) {
    using namespace py::literals;
    add_check_type(module);
    module.def("check", &check, "plan"_a, "network"_a, "certificate"_a = py::none(),
               "Check a plan, or the text of a schedule file, on a network, and compute its times\n"
               "anew.\n\n"
               "``certificate``: the text of a proof of the lower bound, to be verified. Raises\n"
               "InputError where the plan is not about these nodes, InvalidError where the\n"
               "certificate has a flaw.");
    module.def("algorithms", &algorithms,
               "All algorithms, a dict each: ``name``, ``family``, ``description``, ``source``\n"
               "(the paper), ``collectives`` and ``models``.");
}

}  // namespace espalier::python
