#include "runtime/call.hpp"
#include "runtime/calls.hpp"
#include "runtime/neighbours.hpp"

namespace espalier::runtime {

namespace {

class Barrier final : public Call {
public:
    using Call::Call;
    [[nodiscard]] Question ask(int, int) const override {
        Question question;
        question.signature.kind = schedule::Kind::barrier;
        return question;
    }
    [[nodiscard]] bool is_sound(int, int) const override { return true; }
    [[nodiscard]] Operands operands(int, int) const override { return {}; }
};

}  // namespace

int mpi_barrier(MPI_Comm comm) {
    const auto own = [&] { return native<PMPI_Barrier>(comm); };
    return perform(Barrier("barrier", schedule::Kind::barrier, false, comm, NativeCall(own)));
}

}  // namespace espalier::runtime
