#include "runtime/agreement.hpp"

#include "runtime/failure.hpp"
#include "runtime/process.hpp"

#include <cassert>
#include <utility>

namespace espalier::runtime {

Agreement::~Agreement() {
    if (!under_way_) return;
    // What MPI still writes to outlives its end.
    if (Process::is_over() || PMPI_Wait(&under_way_->request, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        (void)under_way_.release();
}

void Agreement::tell(std::span<const double> own, MPI_Comm comm) {
    assert(!is_under_way());
    auto begun = std::make_unique<UnderWay>();
    begun->own.assign(own.begin(), own.end());
    begun->greatest.resize(own.size());
    check(PMPI_Iallreduce(begun->own.data(), begun->greatest.data(), static_cast<int>(own.size()),
                          MPI_DOUBLE, MPI_MAX, comm, &begun->request));
    under_way_ = std::move(begun);
}

std::vector<double> Agreement::hear() {
    check(PMPI_Wait(&under_way_->request, MPI_STATUS_IGNORE));
    return std::move(std::exchange(under_way_, nullptr)->greatest);
}

}  // namespace espalier::runtime
