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

int begin_reduction(Kind kind, const NativeBegin& own, const void* input, void* output, int count,
                    MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return begin(Reduction(kind, comm, Side::of(input, count, type), Side::of(output, count, type),
                           op, root, NativeCall(own)),
                 own);
}

template <auto Function>
int begin_rootless(Kind kind, const char* name, const void* input, void* output, int count,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request,
                   const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Function>(input, output, count, types.input, op, on, as);
    };
    return begin_reduction(kind, {name, own, {type, type}, comm, request, persistent}, input,
                           output, count, type, op, 0, comm);
}

}  // namespace

int mpi_reduce(const void* input, void* output, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
    const auto own = [&] {
        return native<PMPI_Reduce>(input, output, count, type, op, root, comm);
    };
    return perform(Reduction(Kind::reduce, comm, Side::of(input, count, type),
                             Side::of(output, count, type), op, root, NativeCall(own)));
}

int mpi_allreduce(const void* input, void* output, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    const auto own = [&] { return native<PMPI_Allreduce>(input, output, count, type, op, comm); };
    return perform(Reduction(Kind::allreduce, comm, Side::of(input, count, type),
                             Side::of(output, count, type), op, 0, NativeCall(own)));
}

int mpi_scan(const void* input, void* output, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm) {
    const auto own = [&] { return native<PMPI_Scan>(input, output, count, type, op, comm); };
    return perform(Reduction(Kind::scan, comm, Side::of(input, count, type),
                             Side::of(output, count, type), op, 0, NativeCall(own)));
}

int mpi_exscan(const void* input, void* output, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm) {
    const auto own = [&] { return native<PMPI_Exscan>(input, output, count, type, op, comm); };
    return perform(Reduction(Kind::exscan, comm, Side::of(input, count, type),
                             Side::of(output, count, type), op, 0, NativeCall(own)));
}

int mpi_ireduce(const void* input, void* output, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request* request, const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Ireduce>(input, output, count, types.input, op, root, on, as);
    };
    return begin_reduction(Kind::reduce,
                           {"MPI_Ireduce", own, {type, type}, comm, request, persistent}, input,
                           output, count, type, op, root, comm);
}

int mpi_iallreduce(const void* input, void* output, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request, const Initialization* persistent) {
    return begin_rootless<PMPI_Iallreduce>(Kind::allreduce, "MPI_Iallreduce", input, output, count,
                                           type, op, comm, request, persistent);
}

int mpi_iscan(const void* input, void* output, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, MPI_Request* request, const Initialization* persistent) {
    return begin_rootless<PMPI_Iscan>(Kind::scan, "MPI_Iscan", input, output, count, type, op, comm,
                                      request, persistent);
}

int mpi_iexscan(const void* input, void* output, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Request* request, const Initialization* persistent) {
    return begin_rootless<PMPI_Iexscan>(Kind::exscan, "MPI_Iexscan", input, output, count, type, op,
                                        comm, request, persistent);
}

}  // namespace espalier::runtime
