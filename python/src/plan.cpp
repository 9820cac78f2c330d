#include "plan.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "frontend/checking.hpp"
#include "report/diagram.hpp"
#include "report/viewer_html.hpp"
#include "schedule/json.hpp"

#include <fmt/format.h>

#include <utility>

namespace espalier::python {

namespace {

using frontend::Answer;
using frontend::ProblemOptions;

/// A plan that is its own answer.
class PlainAnswer final : public Answer {
public:
    PlainAnswer(schedule::Plan plan, std::string time_unit)
        : plan_(std::move(plan)), time_unit_(std::move(time_unit)) {}

    [[nodiscard]] report::Headline headline() const override {
        return report::headline_of(plan_, time_unit_);
    }
    [[nodiscard]] std::size_t segments() const override {
        std::size_t most = 1;
        for (const auto& chunk : plan_.schedule.chunks) most = std::max(most, chunk.segments);
        return most;
    }
    [[nodiscard]] std::string tables() const override { return {}; }
    [[nodiscard]] const schedule::Plan& plan() const override { return plan_; }
    [[nodiscard]] report::TimelineOptions look() const override {
        report::TimelineOptions look;
        look.time_unit = time_unit_;
        return look;
    }

private:
    schedule::Plan plan_;
    std::string time_unit_;
};

/// A matrix that stands ready, for whatever nodes there turn out to be.
frontend::PairNumbers numbers_of(const char* name, const py::object& value) {
    const NumberArray array(value);
    const auto matrix =
        matrix_of(array, name, array.ndim() == 0 ? 0 : static_cast<std::size_t>(array.shape(0)));
    return {name, [matrix, name](const std::vector<std::string>& nodes) {
                if (matrix.rows() != nodes.size())
                    throw InputError(name, "",
                                     fmt::format("it is {0} x {0}, and the network has {1} nodes",
                                                 matrix.rows(), nodes.size()));
                return matrix;
            }};
}

/// What each node has for each other, of shape (n, n), or each node's block, of shape (n,).
frontend::BlockSizes sizes_of(const py::object& value) {
    constexpr const char* name = "sizes";
    const NumberArray array(value);
    frontend::BlockSizes sizes{
        name,
        [](const auto&) -> Matrix<std::optional<double>> {
            throw InputError(name, "", "a matrix is needed: each node's for each other");
        },
        [](const auto&) -> std::vector<Bytes> {
            throw InputError(name, "", "a row is needed: one size for each node");
        }};
    if (array.ndim() != 1) {
        sizes.of_pairs = numbers_of(name, value).read;
        return sizes;
    }
    std::vector<Bytes> blocks;
    for (const double number : vector_of(array, name, static_cast<std::size_t>(array.shape(0))))
        blocks.push_back(frontend::as_bytes(number, name));
    sizes.of_nodes = [blocks](const std::vector<std::string>& nodes) {
        if (blocks.size() != nodes.size())
            throw InputError(name, "",
                             fmt::format("it has {} sizes, and the network {} nodes", blocks.size(),
                                         nodes.size()));
        return blocks;
    };
    return sizes;
}

void set(ProblemOptions& options, const std::string& name, const py::object& value) {
    if (value.is_none()) return;
    if (const auto word = frontend::find_word_option(name))
        options.*word = text_of(value, name.c_str());
    else if (name == "sizes")
        options.sizes = sizes_of(value);
    else if (name == "deadlines")
        options.deadlines = numbers_of("deadlines", value);
    else if (name == "priorities")
        options.priorities = numbers_of("priorities", value);
    else if (name == "relays")
        options.relays = value.cast<bool>();
    else if (name == "ranks")
        options.ranks = value.cast<bool>();
    else if (name == "without")
        options.without = value.cast<std::vector<std::string>>();
    else if (name == "refine")
        options.refine = {"refine", [plan = value.cast<PyPlan>()] { return plan.schedule(); }};
    else
        throw py::type_error("no argument is called '" + name + "'");
}

PyPlan make_plan(const PyNetwork& network, const std::string& collective,
                 const std::string& algorithm, const py::kwargs& words) {
    const ProblemOptions options = problem_options(network, collective, words);
    using Problem = std::shared_ptr<const frontend::PlanningProblem>;
    using Found = std::pair<Problem, std::shared_ptr<const Answer>>;
    const Found found = aside([options, algorithm]() -> Found {
        const Problem problem = frontend::make_problem(options);
        problem->require_algorithm(algorithm);
        return {problem, problem->plan(algorithm)};
    });
    Warnings warnings;
    for (const std::string& line : found.first->assumptions()) warnings.sink()(line);
    warnings.raise();
    return {found.first, found.second, "plan"};
}

PyPlan read_plan(const std::string& text, const std::string& name, const std::string& time_unit) {
    schedule::StatedPlan stated = schedule::parse_schedule(text, name);
    if (!stated.has_times)
        throw InputError(name, "transfers", "they have no times; espalier.check() computes them");
    frontend::complete_times(stated);
    return plain_plan(std::move(stated.plan), name, time_unit);
}

report::View view_of(const PyPlan& self, const std::optional<std::string>& name) {
    if (!name) return report::usual_view(self.schedule().collective.kind);
    const auto view = report::find_view(*name);
    if (!view) throw InputError("view", "", fmt::format("'{}' is no view", *name));
    return *view;
}

std::string svg(const PyPlan& self, const std::optional<std::string>& view) {
    return diagram_svg(self.plan(), view_of(self, view), self.answer().look());
}

std::string html(const PyPlan& self, const std::optional<std::string>& view) {
    return diagram_html(self.plan(), report::analyse(self.plan()), view_of(self, view),
                        self.answer().look());
}

}  // namespace

std::string PyPlan::json() const { return answer_json(*answer_, false); }

PyPlan plain_plan(schedule::Plan plan, std::string name, std::string time_unit) {
    return {nullptr, std::make_shared<PlainAnswer>(std::move(plan), std::move(time_unit)),
            std::move(name)};
}

ProblemOptions problem_options(const PyNetwork& network, const std::string& collective,
                               const py::kwargs& words) {
    ProblemOptions options;
    options.collective = collective;
    options.network = {network.name(), [network] { return network.network(); }};
    for (const auto& [key, value] : words)
        set(options, key.cast<std::string>(), py::reinterpret_borrow<py::object>(value));
    return options;
}

void add_plans(py::module_& module) {
    using namespace py::literals;
    add_plan_type(module);
    py::object type = module.attr("Plan");
    auto plan_type = py::reinterpret_borrow<py::class_<PyPlan>>(type);
    plan_type
        .def_static(
            "read",
            [](const py::object& file, const std::string& time_unit) {
                const std::string path = py::str(file);
                return read_plan(read_file(path), path, time_unit);
            },
            "file"_a, py::kw_only(), "time_unit"_a = "",
            "The plan that a schedule file states; :func:`check` tells whether it holds.\n\n"
            "``time_unit``: of a sender network that has its own. Raises InputError naming file\n"
            "and field, also where the file has no times.")
        .def_static("from_json", &read_plan, "json"_a, "name"_a = "plan", py::kw_only(),
                    "time_unit"_a = "",
                    "The plan that a text of format ``espalier-schedule`` states.")
        .def("svg", &svg, "view"_a = py::none(),
             "A picture: ``lanes``, ``columns``, ``receive-columns``, ``both`` or ``dependences``\n"
             "(columns for an alltoall, else lanes).")
        .def("html", &html, "view"_a = py::none(),
             "All views as a page that stands for itself, which opens with ``view``.")
        .def("_repr_svg_", [](const PyPlan& self) { return svg(self, std::nullopt); })
        .def("_repr_html_", [](const PyPlan& self) {
            return figure(subtitle_of(self.answer().headline()), svg(self, std::nullopt));
        });
    module.def(
        "plan", &make_plan, "network"_a, "collective"_a, "algorithm"_a = "auto",
        "Plan a collective operation (``broadcast``, ``reduce``, ``alltoall``, …) on a network.\n\n"
        "``algorithm``: a name of :func:`algorithms`, or ``auto``, the best prediction. Other\n"
        "arguments are the options of the same name of ``espalier plan``: ``root`` (a name),\n"
        "``bytes`` (4096 or \"4KiB\"), ``segment``, ``local``, ``ports``, ``ranks``,\n"
        "``time_limit`` (seconds, or \"10ms\"), ``robust``, ``critical``, ``relays``,\n"
        "``reception``, ``without``; and ``sizes``: bytes, shape (n, n), from row to column, for\n"
        "alltoall, or shape (n,), each node's block; ``deadlines`` (seconds) and ``priorities``,\n"
        "shape (n, n), NaN: none; ``refine``: an earlier plan to adapt.\n\n"
        "Other threads go on meanwhile. Raises InputError naming the option.");
    add_checks(module);
}

}  // namespace espalier::python
