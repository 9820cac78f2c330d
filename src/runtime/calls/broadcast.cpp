#include "runtime/call.hpp"
#include "runtime/calls.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/nonblocking.hpp"

namespace espalier::runtime {

namespace {

class Broadcast final : public Call {
public:
    Broadcast(MPI_Comm on, const Side& message, int root, NativeCall own)
        : Call("broadcast", schedule::Kind::broadcast, false, on, own),
          message_(message),
          root_(root) {}

    [[nodiscard]] Question ask(const Membership& in) const override {
        if (root_ < 0 || root_ >= in.size) return Question::refused(wrong_arguments);
        return Question::about(schedule::Kind::broadcast,
                               message_bytes(message_.count, message_.type), root_);
    }
    [[nodiscard]] bool is_sound(const Membership&) const override { return message_.is_sound(1); }
    [[nodiscard]] Operands operands(const Membership&) const override {
        return {schedule::Kind::broadcast, root_, message_, message_, MPI_OP_NULL};
    }

private:
    const Side message_;
    const int root_;
};

}  // namespace

int mpi_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    const auto own = [&] { return native<PMPI_Bcast>(buffer, count, type, root, comm); };
    return perform(Broadcast(comm, Side::of(buffer, count, type), root, NativeCall(own)));
}

int mpi_ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request, const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Ibcast>(buffer, count, types.input, root, on, as);
    };
    const NativeBegin mpi("MPI_Ibcast", own, {type, type}, comm, request, persistent);
    return begin(Broadcast(comm, Side::of(buffer, count, type), root, NativeCall(mpi)), mpi);
}

}  // namespace espalier::runtime
