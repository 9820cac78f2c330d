#include "runtime/call.hpp"
#include "runtime/calls.hpp"
#include "runtime/flavour.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/nonblocking.hpp"

namespace espalier::runtime {

namespace {

using schedule::Kind;

/// A reduction of one vector: reduce, all-reduce, scan or exscan.
class Reduction final : public Call {
public:
    Reduction(Kind of, MPI_Comm on, const Side& input, const Side& output, MPI_Op op, int root,
              NativeCall own)
        : Call(schedule::name_of(of).data(), of, false, on, own),
          input_(input),
          output_(output),
          op_(op),
          root_(root) {}

    [[nodiscard]] Question ask(const Membership& in) const override {
        if (root_ < 0 || root_ >= in.size) return Question::refused(wrong_arguments);
        Question question = Question::about(kind, message_bytes(input_.count, input_.type), root_);
        question.combine(op_, input_.type);
        return question;
    }
    [[nodiscard]] bool is_sound(const Membership& in) const override {
        if (!has_output(in.rank)) return input_.is_sound(1);
        return output_.is_sound(1) && (input_.is_in_place() || input_.is_sound(1)) &&
               !(input_.base == output_.base && Flavour::refuses_aliases());
    }
    [[nodiscard]] Operands operands(const Membership& in) const override {
        return {kind, root_, input_, has_output(in.rank) ? output_ : Side(), op_};
    }

private:
    [[nodiscard]] bool has_output(int rank) const { return kind != Kind::reduce || rank == root_; }

    const Side input_;
    const Side output_;
    const MPI_Op op_;
    const int root_;
};

template <auto Own>
int call_rootless(Kind kind, const void* input, void* output, auto count, MPI_Datatype type,
                  MPI_Op op, MPI_Comm comm) {
    const auto own = [&] { return native<Own>(input, output, count, type, op, comm); };
    return perform(Reduction(kind, comm, Side::of(input, count, type),
                             Side::of(output, count, type), op, 0, NativeCall(own)));
}

template <auto Own>
int begin_rootless(Kind kind, const char* name, const Initialization* persistent, const void* input,
                   void* output, auto count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, output, count, types.input, op, on, as);
    };
    const NativeBegin mpi(name, own, {type, type}, comm, request, persistent);
    return begin(Reduction(kind, comm, Side::of(input, count, type), Side::of(output, count, type),
                           op, 0, NativeCall(mpi)),
                 mpi);
}

template <auto Own>
int call_reduce(const void* input, void* output, auto count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm) {
    const auto own = [&] { return native<Own>(input, output, count, type, op, root, comm); };
    return perform(Reduction(Kind::reduce, comm, Side::of(input, count, type),
                             Side::of(output, count, type), op, root, NativeCall(own)));
}

template <auto Own>
int begin_reduce(const char* name, const Initialization* persistent, const void* input,
                 void* output, auto count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                 MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, output, count, types.input, op, root, on, as);
    };
    const NativeBegin mpi(name, own, {type, type}, comm, request, persistent);
    return begin(Reduction(Kind::reduce, comm, Side::of(input, count, type),
                           Side::of(output, count, type), op, root, NativeCall(mpi)),
                 mpi);
}

template <auto Own>
int call_allreduce(auto... arguments) {
    return call_rootless<Own>(Kind::allreduce, arguments...);
}

template <auto Own>
int begin_allreduce(const char* name, const Initialization* persistent, auto... arguments) {
    return begin_rootless<Own>(Kind::allreduce, name, persistent, arguments...);
}

template <auto Own>
int call_scan(auto... arguments) {
    return call_rootless<Own>(Kind::scan, arguments...);
}

template <auto Own>
int begin_scan(const char* name, const Initialization* persistent, auto... arguments) {
    return begin_rootless<Own>(Kind::scan, name, persistent, arguments...);
}

template <auto Own>
int call_exscan(auto... arguments) {
    return call_rootless<Own>(Kind::exscan, arguments...);
}

template <auto Own>
int begin_exscan(const char* name, const Initialization* persistent, auto... arguments) {
    return begin_rootless<Own>(Kind::exscan, name, persistent, arguments...);
}

}  // namespace

ESPALIER_FORMS(7, Reduce, reduce)
ESPALIER_FORMS(6, Allreduce, allreduce)
ESPALIER_FORMS(6, Scan, scan)
ESPALIER_FORMS(6, Exscan, exscan)

}  // namespace espalier::runtime
