#include "runtime/call.hpp"
#include "runtime/calls.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/nonblocking.hpp"

namespace espalier::runtime {

namespace {

using schedule::Kind;

/// An all-gather of blocks of one size, or of sizes that all ranks know.
class AllGather final : public Call {
public:
    AllGather(const char* name, MPI_Comm on, const Side& block, const Side& blocks, NativeCall own)
        : Call(name, Kind::allgather, blocks.counts != nullptr, on, own),
          block_(block),
          blocks_(blocks) {}

    [[nodiscard]] Question ask(const Membership& in) const override {
        return blocks_.counts == nullptr
                   ? Question::about(Kind::allgather, message_bytes(blocks_.count, blocks_.type))
                   : Question::of_blocks(Kind::allgather, blocks_.counts, in.size, blocks_.type);
    }
    [[nodiscard]] bool is_sound(const Membership& in) const override {
        return are_sound(block_, blocks_, in.rank, in.size);
    }
    [[nodiscard]] Operands operands(const Membership&) const override {
        return {Kind::allgather, 0, block_, blocks_, MPI_OP_NULL};
    }

private:
    const Side block_;
    const Side blocks_;
};

template <auto Own>
int call_allgather(const void* input, auto input_count, MPI_Datatype input_type, void* output,
                   auto output_count, MPI_Datatype output_type, MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_count, input_type, output, output_count, output_type, comm);
    };
    return perform(AllGather("allgather", comm, Side::of(input, input_count, input_type),
                             Side::of(output, output_count, output_type), NativeCall(own)));
}

template <auto Own>
int call_allgatherv(const void* input, auto input_count, MPI_Datatype input_type, void* output,
                    const auto* output_counts, const auto* output_displacements,
                    MPI_Datatype output_type, MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_count, input_type, output, output_counts,
                           output_displacements, output_type, comm);
    };
    if (output_counts == nullptr || output_displacements == nullptr) return own();
    return perform(AllGather("allgatherv", comm, Side::of(input, input_count, input_type),
                             Side::of(output, output_counts, output_displacements, output_type),
                             NativeCall(own)));
}

template <auto Own>
int begin_allgather(const char* name, const Initialization* persistent, const void* input,
                    auto input_count, MPI_Datatype input_type, void* output, auto output_count,
                    MPI_Datatype output_type, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_count, types.input, output, output_count, types.output, on,
                           as);
    };
    const NativeBegin mpi(name, own, {input_type, output_type}, comm, request, persistent);
    return begin(AllGather("allgather", comm, Side::of(input, input_count, input_type),
                           Side::of(output, output_count, output_type), NativeCall(mpi)),
                 mpi);
}

template <auto Own>
int begin_allgatherv(const char* name, const Initialization* persistent, const void* input,
                     auto input_count, MPI_Datatype input_type, void* output,
                     const auto* output_counts, const auto* output_displacements,
                     MPI_Datatype output_type, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_count, types.input, output, output_counts,
                           output_displacements, types.output, on, as);
    };
    const NativeBegin mpi(name, own, {input_type, output_type}, comm, request, persistent);
    if (output_counts == nullptr || output_displacements == nullptr) return mpi();
    return begin(AllGather("allgatherv", comm, Side::of(input, input_count, input_type),
                           Side::of(output, output_counts, output_displacements, output_type),
                           NativeCall(mpi)),
                 mpi);
}

}  // namespace

ESPALIER_FORMS(7, Allgather, allgather)
ESPALIER_FORMS(8, Allgatherv, allgatherv)

}  // namespace espalier::runtime
