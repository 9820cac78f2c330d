#include "runtime/neighbours.hpp"
#include "runtime/persistent.hpp"
#include "runtime/process.hpp"

#ifndef ESPALIER_MPI_SMPI

#include <cstddef>
#include <memory>
#include <vector>

// What a persistent collective of ours failed with. Its request is a receive, and MPI only knows
// that what came was too long: that is replaced by what it was. All else is MPI's own.

namespace espalier::runtime {

namespace {

int error_class_of(int code) {
    int error_class = MPI_SUCCESS;
    return PMPI_Error_class(code, &error_class) == MPI_SUCCESS ? error_class : code;
}

/// Our calls among requests that are about to be completed, after which MPI may have no more of
/// them.
class Ours {
public:
    Ours(int count, const MPI_Request* requests) {
        // A program whose collectives do not come here may still wait here.
        Process* process = Process::has_begun() ? Process::current() : nullptr;
        if (process == nullptr || requests == nullptr || !process->persistent_calls().has_any())
            return;
        for (int k = 0; k < count; ++k)
            calls_.push_back(process->persistent_calls().find(requests[k]));
    }

    /// Whether the process has no call of ours; then nothing is to be told.
    [[nodiscard]] bool none() const { return calls_.empty(); }
    /// The code of a call that says `code` of request `index`, and whether that is over. Open MPI
    /// tells of some failures in the status alone.
    [[nodiscard]] int told(int index, bool is_over, int code) const {
        if (!is_over && code == MPI_SUCCESS) return code;
        const int failure = take_failure(index);
        return failure == MPI_SUCCESS ? code : at(index)->raise(failure);
    }
    /// The same of a call that says `code` of the requests of `indices`, or the first so many, each
    /// of which has a status.
    [[nodiscard]] int told(int count, const int* indices, MPI_Status* statuses, bool are_over,
                           int code) const {
        if (!are_over && code == MPI_SUCCESS) return code;
        const bool is_in_statuses = error_class_of(code) == MPI_ERR_IN_STATUS;
        const bool has_statuses = statuses != MPI_STATUSES_IGNORE;
        const PersistentCall* first = nullptr;
        int first_failure = MPI_SUCCESS;
        for (int k = 0; k < count; ++k) {
            if (is_in_statuses && has_statuses && statuses[k].MPI_ERROR == MPI_ERR_PENDING)
                continue;
            const int index = indices != nullptr ? indices[k] : k;
            const int failure = take_failure(index);
            if (failure != MPI_SUCCESS && first == nullptr) {
                first = at(index);
                first_failure = failure;
            }
            if (has_statuses && (failure != MPI_SUCCESS || code == MPI_SUCCESS))
                statuses[k].MPI_ERROR = failure;
        }
        if (first == nullptr) return code;
        if (code == MPI_SUCCESS) return first->raise(MPI_ERR_IN_STATUS);
        return first->raise(is_in_statuses ? code : first_failure);
    }

private:
    [[nodiscard]] PersistentCall* at(int index) const {
        const auto place = static_cast<std::size_t>(index);
        return index < 0 || place >= calls_.size() ? nullptr : calls_[place].get();
    }
    /// What a call of ours failed with, which nobody was told yet.
    [[nodiscard]] int take_failure(int index) const {
        PersistentCall* const call = at(index);
        return call == nullptr ? MPI_SUCCESS : call->take_failure();
    }

    std::vector<std::shared_ptr<PersistentCall>> calls_;
};

}  // namespace

}  // namespace espalier::runtime

using espalier::runtime::native;
using espalier::runtime::Ours;

extern "C" int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    const Ours ours(1, request);
    const int code = native<PMPI_Wait>(request, status);
    return ours.none() ? code : ours.told(0, true, code);
}

extern "C" int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    const Ours ours(1, request);
    const int code = native<PMPI_Test>(request, flag, status);
    return ours.none() ? code : ours.told(0, *flag != 0, code);
}

extern "C" int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
    const Ours ours(count, requests);
    const int code = native<PMPI_Waitany>(count, requests, index, status);
    return ours.none() ? code : ours.told(*index, true, code);
}

extern "C" int MPI_Testany(int count, MPI_Request* requests, int* index, int* flag,
                           MPI_Status* status) {
    const Ours ours(count, requests);
    const int code = native<PMPI_Testany>(count, requests, index, flag, status);
    return ours.none() ? code : ours.told(*index, *flag != 0, code);
}

extern "C" int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
    const Ours ours(count, requests);
    const int code = native<PMPI_Waitall>(count, requests, statuses);
    return ours.none() ? code : ours.told(count, nullptr, statuses, true, code);
}

extern "C" int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
    const Ours ours(count, requests);
    const int code = native<PMPI_Testall>(count, requests, flag, statuses);
    return ours.none() ? code : ours.told(count, nullptr, statuses, *flag != 0, code);
}

extern "C" int MPI_Waitsome(int count, MPI_Request* requests, int* over, int* indices,
                            MPI_Status* statuses) {
    const Ours ours(count, requests);
    const int code = native<PMPI_Waitsome>(count, requests, over, indices, statuses);
    return ours.none() ? code : ours.told(*over, indices, statuses, true, code);
}

extern "C" int MPI_Testsome(int count, MPI_Request* requests, int* over, int* indices,
                            MPI_Status* statuses) {
    const Ours ours(count, requests);
    const int code = native<PMPI_Testsome>(count, requests, over, indices, statuses);
    return ours.none() ? code : ours.told(*over, indices, statuses, true, code);
}

#endif
