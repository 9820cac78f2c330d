#include "common.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <future>
#include <list>
#include <thread>

namespace espalier::python {

namespace {

constexpr std::chrono::milliseconds between_looks(50);

/// Work that nobody waits for any more. It ends by its own limit, and has to before the module
/// goes.
class Abandoned {
public:
    void add(std::thread thread) { threads_.push_back(std::move(thread)); }
    void join() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

private:
    std::list<std::thread> threads_;
};

Abandoned& abandoned() {
    static Abandoned threads;
    return threads;
}

/// The module's exceptions: the base of all, bad input, and what was checked and does not hold.
struct Exceptions {
    PyObject* error = nullptr;
    PyObject* input_error = nullptr;
    PyObject* invalid_error = nullptr;
};

Exceptions& exceptions() {
    static Exceptions types;
    return types;
}

PyObject* new_exception(py::module_& module, const char* name, const char* doc,
                        const py::object& bases) {
    const std::string full = std::string("espalier.") + name;
    PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
    if (type == nullptr) throw py::error_already_set();
    module.attr(name) = py::handle(type);
    return type;
}

void translate(std::exception_ptr thrown) {
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
        PyErr_SetString(exceptions().input_error, error.what());
    } catch (const InvalidError& error) {
        PyErr_SetString(exceptions().invalid_error, error.what());
    } catch (const Error& error) {
        PyErr_SetString(exceptions().error, error.what());
    }
}

}  // namespace

void add_errors(py::module_& module) {
    Exceptions& types = exceptions();
    types.error =
        new_exception(module, "Error", "Whatever stops espalier from doing its work, in one line.",
                      py::reinterpret_borrow<py::object>(PyExc_Exception));
    types.input_error = new_exception(
        module, "InputError",
        "Bad input: the file or option, the field, and what is wrong, as the command line says it.",
        py::make_tuple(py::handle(types.error), py::handle(PyExc_ValueError)));
    types.invalid_error =
        new_exception(module, "InvalidError", "Something was checked and does not hold.",
                      py::reinterpret_borrow<py::object>(types.error));
    py::register_exception_translator(translate);
    module.add_object("_at_exit", py::cpp_function([] {
                          const py::gil_scoped_release released;
                          abandoned().join();
                      }));
    py::module_::import("atexit").attr("register")(module.attr("_at_exit"));
}

std::string text_of(const py::object& argument, const char* name) {
    if (argument.is_none()) return {};
    const bool number = PyNumber_Check(argument.ptr()) != 0 && !py::isinstance<py::bool_>(argument);
    if (!py::isinstance<py::str>(argument) && !number)
        throw py::type_error(fmt::format("{}: a text or a number was expected", name));
    std::string text = py::str(argument);
    if (text.empty()) throw InputError(name, "", "it is empty");
    return text;
}

void Warnings::raise() const {
    for (const std::string& line : lines_)
        if (PyErr_WarnEx(PyExc_UserWarning, line.c_str(), 1) != 0) throw py::error_already_set();
}

void run_aside(std::function<void()> work) {
    std::packaged_task<void()> task(std::move(work));
    std::future<void> done = task.get_future();
    std::thread thread(std::move(task));
    while (true) {
        std::future_status status{};
        {
            const py::gil_scoped_release released;
            status = done.wait_for(between_looks);
            if (status == std::future_status::ready) thread.join();
        }
        if (status == std::future_status::ready) return done.get();
        if (PyErr_CheckSignals() != 0) {
            abandoned().add(std::move(thread));
            throw py::error_already_set();
        }
    }
}

Matrix<std::optional<double>> matrix_of(const NumberArray& array, const char* name,
                                        std::size_t nodes) {
    const auto size = static_cast<py::ssize_t>(nodes);
    if (array.ndim() != 2 || array.shape(0) != size || array.shape(1) != size)
        throw InputError(name, "",
                         fmt::format("its shape is {}, and ({}, {}) was expected",
                                     std::string(py::str(array.attr("shape"))), nodes, nodes));
    const double* data = array.data();
    Matrix<std::optional<double>> matrix(nodes, nodes);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
            if (const double cell = data[i * nodes + j]; !std::isnan(cell)) matrix(i, j) = cell;
    return matrix;
}

std::vector<double> vector_of(const NumberArray& array, const char* name, std::size_t count) {
    if (array.ndim() != 1 || array.shape(0) != static_cast<py::ssize_t>(count))
        throw InputError(name, "",
                         fmt::format("its shape is {}, and ({},) was expected",
                                     std::string(py::str(array.attr("shape"))), count));
    return {array.data(), array.data() + count};
}

NumberArray to_array(const std::vector<double>& numbers) {
    NumberArray array(static_cast<py::ssize_t>(numbers.size()), numbers.data());
    array.attr("setflags")(py::arg("write") = false);
    return array;
}

py::object parsed(const std::string& json) {
    return py::module_::import("json").attr("loads")(json);
}

py::object parsed(const Json& document) { return parsed(document.dump()); }

std::string figure(const std::string& title, const std::string& svg) {
    const py::object escape = py::module_::import("html").attr("escape");
    return fmt::format("<figure><figcaption>{}</figcaption>{}</figure>",
                       std::string(py::str(escape(title))), svg);
}

}  // namespace espalier::python
