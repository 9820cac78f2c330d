#include "runtime/call.hpp"
#include "runtime/calls.hpp"
#include "runtime/flavour.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/nonblocking.hpp"

namespace espalier::runtime {

namespace {

using schedule::Kind;

/// A reduce-scatter into blocks of one size, or of sizes that differ.
class ReduceScatter final : public Call {
public:
    /// `blocks` has the counts of all blocks, and its base is the input.
    ReduceScatter(MPI_Comm on, const Side& blocks, void* output, MPI_Op op, NativeCall own)
        : Call("reduce-scatter", Kind::reduce_scatter, blocks.counts != nullptr, on, own),
          blocks_(blocks),
          output_(output),
          op_(op) {}

    [[nodiscard]] Question ask(const Membership& in) const override {
        Question question =
            blocks_.counts == nullptr
                ? Question::about(Kind::reduce_scatter, message_bytes(blocks_.count, blocks_.type))
                : Question::of_blocks(Kind::reduce_scatter, blocks_.counts, in.size, blocks_.type);
        question.combine(op_, blocks_.type);
        return question;
    }
    [[nodiscard]] bool is_sound(const Membership& in) const override {
        const Side output = output_of(in.rank);
        Side input = blocks_;
        if (input.is_in_place()) input.base = output.base;
        return (output.is_sound(1) || output.count == 0) &&
               input.is_sound(static_cast<std::size_t>(in.size)) &&
               !(blocks_.base == output_ && Flavour::refuses_aliases());
    }
    [[nodiscard]] Operands operands(const Membership& in) const override {
        return {Kind::reduce_scatter, 0, blocks_, output_of(in.rank), op_};
    }

private:
    [[nodiscard]] Side output_of(int rank) const {
        return {output_, blocks_.count_of(static_cast<std::size_t>(rank)), nullptr, nullptr,
                blocks_.type};
    }

    const Side blocks_;
    void* const output_;
    const MPI_Op op_;
};

}  // namespace

int mpi_reduce_scatter(const void* input, void* output, const int* counts, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm) {
    const auto own = [&] {
        return native<PMPI_Reduce_scatter>(input, output, counts, type, op, comm);
    };
    if (counts == nullptr) return own();
    return perform(
        ReduceScatter(comm, Side::of(input, counts, nullptr, type), output, op, NativeCall(own)));
}

int mpi_reduce_scatter_block(const void* input, void* output, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) {
    const auto own = [&] {
        return native<PMPI_Reduce_scatter_block>(input, output, count, type, op, comm);
    };
    return perform(ReduceScatter(comm, Side::of(input, count, type), output, op, NativeCall(own)));
}

int mpi_ireduce_scatter(const void* input, void* output, const int* counts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Request* request,
                        const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Ireduce_scatter>(input, output, counts, types.input, op, on, as);
    };
    const NativeBegin mpi("MPI_Ireduce_scatter", own, {type, type}, comm, request, persistent);
    if (counts == nullptr) return mpi();
    return begin(
        ReduceScatter(comm, Side::of(input, counts, nullptr, type), output, op, NativeCall(mpi)),
        mpi);
}

int mpi_ireduce_scatter_block(const void* input, void* output, int count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Request* request,
                              const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Ireduce_scatter_block>(input, output, count, types.input, op, on, as);
    };
    const NativeBegin mpi("MPI_Ireduce_scatter_block", own, {type, type}, comm, request,
                          persistent);
    return begin(ReduceScatter(comm, Side::of(input, count, type), output, op, NativeCall(mpi)),
                 mpi);
}

}  // namespace espalier::runtime
