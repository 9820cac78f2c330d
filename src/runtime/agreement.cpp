#include "runtime/agreement.hpp"

#include "runtime/failure.hpp"
#include "runtime/process.hpp"

#include <cassert>
#include <utility>

namespace espalier::runtime {

void Agreement::tell(std::span<const double> own, MPI_Comm comm) {
    assert(!is_under_way());
    auto told = std::make_shared<Told>();
    told->own.assign(own.begin(), own.end());
    told->greatest.resize(own.size());
    check_handled(PMPI_Iallreduce(told->own.data(), told->greatest.data(),
                                  static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX, comm,
                                  &told->request));
    if (Process* process = Process::current()) process->under_way().add(comm, told->request, told);
    told_ = std::move(told);
}

std::vector<double> Agreement::hear() {
    check_handled(PMPI_Wait(&told_->request, MPI_STATUS_IGNORE));
    if (Process* process = Process::current()) process->under_way().remove(told_->request);
    return std::exchange(told_, nullptr)->greatest;
}

}  // namespace espalier::runtime
