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

template <auto Own>
int call_bcast(void* buffer, auto count, MPI_Datatype type, int root, MPI_Comm comm) {
    const auto own = [&] { return native<Own>(buffer, count, type, root, comm); };
    return perform(Broadcast(comm, Side::of(buffer, count, type), root, NativeCall(own)));
}

template <auto Own>
int begin_bcast(const char* name, const Initialization* persistent, void* buffer, auto count,
                MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(buffer, count, types.input, root, on, as);
    };
    const NativeBegin mpi(name, own, {type, type}, comm, request, persistent);
    return begin(Broadcast(comm, Side::of(buffer, count, type), root, NativeCall(mpi)), mpi);
}

}  // namespace

ESPALIER_FORMS(5, Bcast, bcast)

}  // namespace espalier::runtime
