#include "frontend/comparison.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "plan.hpp"
#include "report/plan_text.hpp"

#include <fmt/format.h>

#include <atomic>
#include <memory>

namespace espalier::python {

namespace {

using frontend::Comparison;

/// Set when nobody waits for a comparison any more.
class Stop {
public:
    Stop() : set_(std::make_shared<std::atomic<bool>>(false)) {}
    [[nodiscard]] std::shared_ptr<const std::atomic<bool>> flag() const { return set_; }
    ~Stop() { *set_ = true; }
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;

private:
    std::shared_ptr<std::atomic<bool>> set_;
};

Comparison compare(const PyNetwork& network, const std::string& collective,
                   const py::kwargs& words) {
    const frontend::ProblemOptions options = problem_options(network, collective, words);
    if (!options.refine.empty())
        throw InputError("--refine", "", "a comparison plans anew; plan adapts a schedule");
    using Found = std::pair<Comparison, std::vector<std::string>>;
    const Stop stop;
    Found found = aside([options, stopped = stop.flag()]() -> Found {
        const auto problem = frontend::make_problem(options);
        const auto turn = [&](const std::string&, std::size_t, std::size_t) {
            if (*stopped) throw Error(ExitStatus::internal_fault, "nobody waits for it");
        };
        return {frontend::compare(*problem, limits_of(options).time, turn), problem->assumptions()};
    });
    Warnings warnings;
    for (const std::string& line : found.second) warnings.sink()(line);
    warnings.raise();
    return std::move(found.first);
}

/// A table for a notebook.
std::string html(const Comparison& self) {
    const Seconds bound = self.common_bound().time;
    std::string rows;
    for (const Comparison::Row& row : self.rows)
        rows += fmt::format(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            row.chosen.empty() ? row.algorithm : row.algorithm + ": " + row.chosen,
            report::format_time(row.makespan, row.time_unit),
            bound > Seconds(0) ? fmt::format("{:.1f}%", 100 * (row.makespan / bound - 1)) : "-",
            row.segments);
    return "<table><thead><tr><th>algorithm</th><th>makespan</th><th>over the bound</th>"
           "<th>segments</th></tr></thead><tbody>" +
           rows + "</tbody></table>";
}

void add_result(py::module_& module) {
    using Row = Comparison::Row;
    py::class_<Row>(module, "Result", "What one algorithm makes of a collective.")
        .def_readonly("algorithm", &Row::algorithm, "Its name.")
        .def_property_readonly(
            "chosen",
            [](const Row& self) -> std::optional<std::string> {
                if (self.chosen.empty()) return std::nullopt;
                return self.chosen;
            },
            "What ``auto`` took; None: what was asked for.")
        .def_property_readonly(
            "makespan", [](const Row& self) { return self.makespan.value; },
            "When the last transfer is over.")
        .def_property_readonly(
            "lower_bound", [](const Row& self) { return known(self.lower_bound); },
            "No schedule of ``bound_scope`` ends before that; None: not known.")
        .def_property_readonly(
            "bound_scope", [](const Row& self) { return name_of(self.scope); },
            "``whole-message`` or ``any``.")
        .def_readonly("optimal", &Row::optimal, "Whether none of ``bound_scope`` is faster.")
        .def_readonly("segments", &Row::segments, "The most that a chunk is cut into.")
        .def_property_readonly(
            "plan_s", [](const Row& self) { return self.took.value; }, "Seconds that it took.")
        .def_property_readonly(
            "robust_makespan",
            [](const Row& self) -> std::optional<double> {
                if (!self.robust) return std::nullopt;
                return self.robust->makespan.value;
            },
            "The percentile of the makespan by which plans were compared; None: none.")
        .def("__repr__", [](const Row& self) {
            return fmt::format("<espalier.Result: {}, makespan {}>", self.algorithm,
                               report::format_time(self.makespan, self.time_unit));
        });
}

}  // namespace

void add_comparisons(py::module_& module) {
    using namespace py::literals;
    add_result(module);
    py::class_<Comparison>(module, "Comparison", "Every algorithm that applies, side by side.")
        .def_readonly("results", &Comparison::rows, "What each made of it, the fastest first.")
        .def_property_readonly(
            "skipped",
            [](const Comparison& self) {
                py::dict reasons;
                for (const auto& skipped : self.skipped)
                    reasons[py::str(skipped.algorithm)] = skipped.reason;
                return reasons;
            },
            "The algorithms that gave no plan, and why.")
        .def_property_readonly(
            "lower_bound", [](const Comparison& self) { return known(self.common_bound().time); },
            "No schedule of ``bound_scope`` ends before that; None: not known.")
        .def_property_readonly(
            "bound_scope",
            [](const Comparison& self) { return name_of(self.common_bound().scope); },
            "``whole-message`` or ``any``.")
        .def_property_readonly(
            "any_lower_bound", [](const Comparison& self) { return known(self.any_bound()); },
            "No schedule of any kind ends before that; None: not known.")
        .def(
            "to_dict", [](const Comparison& self) { return parsed(to_json(self)); },
            "What its file says, format ``espalier-comparison``.")
        .def("__len__", [](const Comparison& self) { return self.rows.size(); })
        .def(
            "__getitem__",
            [](const Comparison& self, const std::string& algorithm) {
                for (const auto& row : self.rows)
                    if (row.algorithm == algorithm) return row;
                throw py::key_error(algorithm);
            },
            "algorithm"_a, "What the algorithm of that name made of it.")
        .def("_repr_html_", &html)
        .def("__repr__", [](const Comparison& self) {
            return fmt::format("<espalier.Comparison of {} plans>", self.rows.size());
        });
    module.def(
        "compare", &compare, "network"_a, "collective"_a,
        "Plan by every algorithm that applies, each in a process of its own that is ended when it\n"
        "takes longer than the time limit.\n\n"
        "Arguments are those of :func:`plan`, but for ``algorithm``. Raises InputError naming the\n"
        "option, also where no algorithm takes it.");
}

}  // namespace espalier::python
