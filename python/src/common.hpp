#pragma once

#include "core/json.hpp"
#include "core/matrix.hpp"
#include "frontend/problem_options.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::python {

namespace py = pybind11;

/// Makes InputError, InvalidError and Error exceptions of the module, with their one line.
void add_errors(py::module_& module);
void add_networks(py::module_& module);
void add_plans(py::module_& module);
void add_comparisons(py::module_& module);
void add_rings(py::module_& module);
void add_runs(py::module_& module);

/// An argument as the command line would have it: `4096`, `64KiB`, `0.5`; empty for None. Throws
/// TypeError naming it unless it is a text or a number.
[[nodiscard]] std::string text_of(const py::object& argument, const char* name);

/// Lines that become Python warnings, at the caller's line, once their maker has returned.
class Warnings {
public:
    [[nodiscard]] frontend::Warn sink() {
        return [this](const std::string& line) { lines_.push_back(line); };
    }
    void raise() const;

private:
    std::vector<std::string> lines_;
};

/// Does `work`, which must own all that it needs and know nothing of Python, in a thread of its own
/// and without the interpreter's lock. Ctrl-C ends the waiting at once; the work goes on until its
/// own limit, and its result is dropped.
void run_aside(std::function<void()> work);

template <typename Work>
auto aside(Work work) {
    using Result = decltype(work());
    auto result = std::make_shared<std::optional<Result>>();
    run_aside([result, work = std::move(work)] { result->emplace(work()); });
    return std::move(**result);
}

using NumberArray = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A square matrix of `nodes` rows; a cell that is no number (NaN) is empty. Throws InputError
/// naming the argument for another shape.
[[nodiscard]] Matrix<std::optional<double>> matrix_of(const NumberArray& array, const char* name,
                                                      std::size_t nodes);
/// The numbers of an array of one dimension and `count` entries.
[[nodiscard]] std::vector<double> vector_of(const NumberArray& array, const char* name,
                                            std::size_t count);

[[nodiscard]] NumberArray to_array(const std::vector<double>& numbers);

/// A square array; `cell(i, j)` is an optional number, NaN where there is none.
template <typename Cell>
NumberArray square_array(std::size_t size, Cell cell) {
    NumberArray array(
        std::vector<py::ssize_t>{static_cast<py::ssize_t>(size), static_cast<py::ssize_t>(size)});
    double* data = array.mutable_data();
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) {
            const std::optional<double> value = cell(i, j);
            data[i * size + j] = value.value_or(std::numeric_limits<double>::quiet_NaN());
        }
    array.attr("setflags")(py::arg("write") = false);
    return array;
}

/// A read-only structured array of records.
template <typename Record>
py::array_t<Record> record_array(const std::vector<Record>& records) {
    py::array_t<Record> array(static_cast<py::ssize_t>(records.size()), records.data());
    array.attr("setflags")(py::arg("write") = false);
    return array;
}

/// Python's object for a JSON text or document.
[[nodiscard]] py::object parsed(const std::string& json);
[[nodiscard]] py::object parsed(const Json& document);

/// A picture under a heading, as a notebook shows it.
[[nodiscard]] std::string figure(const std::string& title, const std::string& svg);

/// None where it is 0, which stands for what is not known.
[[nodiscard]] inline std::optional<double> known(Seconds time) {
    return time > Seconds(0) ? std::optional(time.value) : std::nullopt;
}

}  // namespace espalier::python
