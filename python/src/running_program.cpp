#include "common.hpp"

#include "core/files.hpp"
#include "core/text.hpp"
#include "frontend/running_program.hpp"
#include "network.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::python {

namespace {

using frontend::KnownRun;
using runs::Call;

/// Without Python's lock: rank 0 may plan for it, and others wait for all.
template <typename Ask>
auto unlocked(const Ask& ask) {
    const py::gil_scoped_release released;
    return ask();
}

py::tuple calls_of(const KnownRun& self) { return py::tuple(py::cast(self.run.calls)); }

std::optional<double> seconds(const std::optional<Seconds>& time) {
    if (!time) return std::nullopt;
    return time->value;
}

Call ask(int communicator, const std::string& collective, const py::object& bytes, int root, int op,
         int type) {
    const Bytes size = parse_bytes(text_of(bytes, "bytes"), "bytes");
    const frontend::AskedCall asked{collective, size, root, op, type};
    return unlocked([&] { return frontend::ask(communicator, asked); }).run.calls.at(0);
}

void steer(int communicator, const std::vector<std::pair<std::string, std::string>>& words) {
    std::vector<runs::RunningProgram::Setting> settings;
    for (const auto& [name, value] : words) settings.push_back({name.c_str(), value.c_str()});
    unlocked([&] { frontend::steer(communicator, settings); });
}

std::string repr(const Call& call) {
    return fmt::format("<espalier.mpi.Call: {} of {} among {}, by {}>", call.collective,
                       format_bytes(call.bytes), call.ranks, call.algorithm);
}

void add_call(py::module_& module) {
    py::class_<Call> type(module, "Call",
                          "Calls of a running program that are alike, and by what they are done. "
                          "An immutable\nvalue. Times are in seconds.");
    type.def_readonly("collective", &Call::collective,
                      "``broadcast``, ``alltoallv``, ``reduce-scatter-block``, …")
        .def_readonly("ranks", &Call::ranks, "Of the communicator.")
        .def_readonly("root", &Call::root, "The root's rank; 0 where there is none.")
        .def_property_readonly(
            "bytes", [](const Call& self) { return self.bytes.value; },
            "Of one rank's operand or block, the largest; or of all that rank 0 sends.")
        .def_readonly("calls", &Call::calls,
                      "So far; 0: what is said is what the first one would find.")
        .def_readonly("algorithm", &Call::algorithm, "``native``: the MPI library's own.")
        .def_readonly("reason", &Call::reason, "Why it is that; empty where calls follow a plan.")
        .def_readonly("choice", &Call::choice,
                      "What was weighed, in words; empty where nothing was.")
        .def_readonly("exact", &Call::exact,
                      "Whether the order of operands can not change the result, as far as said.")
        .def_property_readonly(
            "predicted", [](const Call& self) { return seconds(self.predicted); },
            "Until the last rank is done, as simulated; None: not known.")
        .def_property_readonly(
            "lower_bound", [](const Call& self) { return known(self.bound.value_or(Seconds(0))); },
            "What nothing beats, in the same model; None: not known.")
        .def_property_readonly(
            "taken", [](const Call& self) { return seconds(self.taken); },
            "Until the last rank is done, where ranks told each other; None: not known.")
        .def_property_readonly(
            "own", [](const Call& self) { return known(self.sum); },
            "This rank's own time in all of them; None where that is not recorded.")
        .def_property_readonly(
            "planned",
            [](const Call& self) {
                return self.gain ? std::optional(self.gain->planned.value) : std::nullopt;
            },
            "What a call takes by the plan until the last rank is done; None: not known.")
        .def_property_readonly(
            "native",
            [](const Call& self) {
                return self.gain ? std::optional(self.gain->own.value) : std::nullopt;
            },
            "The same by the MPI library's own algorithm.")
        .def_property_readonly(
            "timed", [](const Call& self) { return self.gain && self.gain->measured; },
            "Whether ``planned`` and ``native`` were both measured.")
        .def("__repr__", &repr);
}

void add_run(py::module_& module) {
    using namespace py::literals;
    py::class_<KnownRun> type(module, "Run",
                              "What a process knows of the run that it is part of. An immutable\n"
                              "value, made by :func:`espalier.mpi.run`.");
    type.def_property_readonly(
            "program", [](const KnownRun& self) { return self.run.program; }, "Its name.")
        .def_property_readonly(
            "mpi", [](const KnownRun& self) { return self.run.mpi; }, "``openmpi`` or ``mpich``.")
        .def_property_readonly(
            "ranks", [](const KnownRun& self) { return self.run.ranks; }, "Of the whole job.")
        .def_property_readonly(
            "hosts", [](const KnownRun& self) { return py::tuple(py::cast(self.run.hosts)); },
            "The host of each rank of the job.")
        .def_property_readonly(
            "network", [](const KnownRun& self) { return self.run.network_fingerprint; },
            "The fingerprint of the network that is planned on; empty where there is none.")
        .def_property_readonly(
            "network_from", [](const KnownRun& self) { return self.run.network_from; },
            "How the run came to it: ``file``, ``cache``, ``measured``, …; empty but on rank 0 of\n"
            "the job, which alone knows.")
        .def_property_readonly(
            "left_to_mpi", [](const KnownRun& self) { return self.run.left_to_mpi; },
            "Why all collectives are left to MPI; empty where they are not.")
        .def_property_readonly("calls", &calls_of, "A :class:`Call` for those that are alike.")
        .def_property_readonly(
            "passed", [](const KnownRun& self) { return self.run.passed; },
            "How many calls were handed on to MPI whatever the network is, by name.")
        .def(
            "to_json", [](const KnownRun& self) { return self.json; },
            "A text of format ``espalier-run``.")
        .def(
            "to_dict", [](const KnownRun& self) { return parsed(self.json); },
            "The same as a dict.")
        .def(
            "write",
            [](const KnownRun& self, const py::object& file) {
                write_file(py::str(file), self.json);
            },
            "file"_a, "Write that, all or nothing, for ``espalier report``.")
        .def("__repr__", [](const KnownRun& self) {
            return fmt::format("<espalier.mpi.Run: {} kinds of calls on {} ranks>",
                               self.run.calls.size(), self.run.ranks);
        });
}

}  // namespace

void add_runs(py::module_& module) {
    add_call(module);
    add_run(module);
    // Of communicators as Fortran has them; espalier.mpi takes those of mpi4py.
    module.def("_run_so_far", [] { return unlocked([] { return frontend::run_so_far(); }); });
    module.def("_run_of", [](int communicator) {
        return unlocked([&] { return frontend::run_of(communicator); });
    });
    module.def("_ask", &ask);
    module.def("_network_in_use", [] {
        return PyNetwork(unlocked([] { return frontend::network_in_use(); }), "network in use");
    });
    module.def("_steer", &steer);
}

}  // namespace espalier::python
