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
        return Side::of(output_, blocks_.count_of(static_cast<std::size_t>(rank)), blocks_.type);
    }

    const Side blocks_;
    void* const output_;
    const MPI_Op op_;
};

template <auto Own>
int call_reduce_scatter(const void* input, void* output, const auto* counts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm) {
    const auto own = [&] { return native<Own>(input, output, counts, type, op, comm); };
    if (counts == nullptr) return own();
    return perform(
        ReduceScatter(comm, Side::of(input, counts, nullptr, type), output, op, NativeCall(own)));
}

template <auto Own>
int call_reduce_scatter_block(const void* input, void* output, auto count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm) {
    const auto own = [&] { return native<Own>(input, output, count, type, op, comm); };
    return perform(ReduceScatter(comm, Side::of(input, count, type), output, op, NativeCall(own)));
}

template <auto Own>
int begin_reduce_scatter(const char* name, const Initialization* persistent, const void* input,
                         void* output, const auto* counts, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, output, counts, types.input, op, on, as);
    };
    const NativeBegin mpi(name, own, {type, type}, comm, request, persistent);
    if (counts == nullptr) return mpi();
    return begin(
        ReduceScatter(comm, Side::of(input, counts, nullptr, type), output, op, NativeCall(mpi)),
        mpi);
}

template <auto Own>
int begin_reduce_scatter_block(const char* name, const Initialization* persistent,
                               const void* input, void* output, auto count, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, output, count, types.input, op, on, as);
    };
    const NativeBegin mpi(name, own, {type, type}, comm, request, persistent);
    return begin(ReduceScatter(comm, Side::of(input, count, type), output, op, NativeCall(mpi)),
                 mpi);
}

}  // namespace

ESPALIER_FORMS(6, Reduce_scatter, reduce_scatter)
ESPALIER_FORMS(6, Reduce_scatter_block, reduce_scatter_block)

}  // namespace espalier::runtime
