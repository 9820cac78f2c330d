#include "runtime/call.hpp"
#include "runtime/calls.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/nonblocking.hpp"

namespace espalier::runtime {

namespace {

class Barrier final : public Call {
public:
    using Call::Call;
    [[nodiscard]] Question ask(const Membership&) const override {
        Question question;
        question.signature.kind = schedule::Kind::barrier;
        return question;
    }
    [[nodiscard]] bool is_sound(const Membership&) const override { return true; }
    [[nodiscard]] Operands operands(const Membership&) const override { return {}; }
};

}  // namespace

int mpi_barrier(MPI_Comm comm) {
    const auto own = [&] { return native<PMPI_Barrier>(comm); };
    return perform(Barrier("barrier", schedule::Kind::barrier, false, comm, NativeCall(own)));
}

int mpi_ibarrier(MPI_Comm comm, MPI_Request* request, const Initialization* persistent) {
    const auto own = [](const Types&, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Ibarrier>(on, as);
    };
    const NativeBegin mpi("MPI_Ibarrier", own, {}, comm, request, persistent);
    return begin(Barrier("barrier", schedule::Kind::barrier, false, comm, NativeCall(mpi)), mpi);
}

}  // namespace espalier::runtime
