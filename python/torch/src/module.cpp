#include "mpi.hpp"
#include "process_group.hpp"

#include <pybind11/chrono.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;

namespace {

using espalier::torch::ProcessGroup;

/// As Python holds it: callbacks of what is still to be done need Python's lock, so that it is not
/// held while they are waited for. torch may hold on to it until the process ends, after Python.
class HeldByPython : public ProcessGroup {
public:
    using ProcessGroup::ProcessGroup;
    ~HeldByPython() override {
        if (Py_IsInitialized() == 0 || PyGILState_Check() == 0) return;
        const py::gil_scoped_release released;
        close();
    }
};

c10::intrusive_ptr<c10d::ProcessGroup> make_group(int rank, int size,
                                                  const std::vector<int>& members,
                                                  std::chrono::milliseconds timeout) {
    return c10::make_intrusive<HeldByPython>(rank, size, members, timeout);
}

/// The text of rank 0.
std::string tell(std::string text) {
    constexpr int most = 256;
    text.resize(most);
    espalier::torch::check(MPI_Bcast(text.data(), most, MPI_CHAR, 0, MPI_COMM_WORLD));
    text.resize(text.find('\0'));
    return text;
}

bool end() {
    const bool in_time = ProcessGroup::close_all();
    if (in_time) espalier::torch::end_mpi();
    return in_time;
}

}  // namespace

PYBIND11_MODULE(ESPALIER_MODULE, module) {
    using Released = py::call_guard<py::gil_scoped_release>;
    module.doc() = "A process group of torch over MPI; espalier.torch is what programs import.";
    module.attr("torch_version") = ESPALIER_TORCH_VERSION;
    module.def("begin", &espalier::torch::begin_mpi, Released());
    module.def("end", &end, Released());
    module.def("abort", [] { MPI_Abort(MPI_COMM_WORLD, 1); });
    module.def("rank", &espalier::torch::world_rank);
    module.def("size", &espalier::torch::world_size);
    module.def("tell", &tell, Released());
    module.def("make_group", &make_group, Released());
}
