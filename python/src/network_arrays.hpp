#pragma once

#include "network.hpp"

namespace espalier::python {

/// Networks from arrays, and their arrays.
void add_network_arrays(py::class_<PyNetwork>& type);
/// Random networks, and clusters of like nodes.
void add_generators(py::module_& module, py::class_<PyNetwork>& type);

}  // namespace espalier::python
