#include "common.hpp"

// The name is the module's, which begins with _ because `espalier` is what people import.
PYBIND11_MODULE(_espalier, module) {
    module.doc() = "What `import espalier` offers, in C++.";
    module.attr("__version__") = ESPALIER_VERSION;
    espalier::python::add_errors(module);
    espalier::python::add_networks(module);
    espalier::python::add_plans(module);
    espalier::python::add_comparisons(module);
    espalier::python::add_rings(module);
    espalier::python::add_runs(module);
}
