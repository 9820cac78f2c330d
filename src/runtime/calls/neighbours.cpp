#include "runtime/neighbours.hpp"
#include "runtime/call.hpp"
#include "runtime/calls.hpp"
#include "runtime/neighbourhood.hpp"
#include "runtime/nonblocking.hpp"

#include <cstddef>

namespace espalier::runtime {

namespace {

using schedule::Kind;

/// An exchange in which ranks have something for their neighbours in a topology alone: to each
/// the same (Kind::allgather), or to each a block of its own (Kind::alltoall).
class NeighbourExchange final : public Call {
public:
    NeighbourExchange(const char* name, Kind of, bool blocks_differ, MPI_Comm on, const Side& input,
                      const Side& output, NativeCall own)
        : Call(name, of, blocks_differ, on, own), input_(input), output_(output) {}

    [[nodiscard]] bool is_among_neighbours() const override { return true; }
    [[nodiscard]] Question ask(const Membership& in) const override {
        if (in.neighbours == nullptr) return Question::refused("neighbours that did not meet yet");
        const auto use = in.neighbours->use();
        if (use == Neighbourhood::Use::twice)
            return Question::refused("a neighbour twice, or only on one side");
        if (use == Neighbourhood::Use::none)
            return Question::refused("no topology, or too many ranks");
        const Side& known = in.neighbours->has_sources() ? output_ : input_;
        Question question =
            uneven || use == Neighbourhood::Use::direct
                ? Question::direct(Kind::alltoall)
                : Question::about(Kind::alltoall, message_bytes(known.count, known.type));
        question.signature.among_neighbours = true;
        return question;
    }
    [[nodiscard]] bool is_sound(const Membership& in) const override {
        return is_sound_with(input_, input_index(*in.neighbours)) &&
               is_sound_with(output_, in.neighbours->sources());
    }
    [[nodiscard]] Operands operands(const Membership& in) const override {
        Side output = output_.with(in.neighbours->sources());
        // Where nothing arrives, blocks that this rank passes on are as large as its own.
        if (!in.neighbours->has_sources()) {
            output.count = input_.count;
            output.type = input_.type;
        }
        return {Kind::alltoall, 0, input_.with(input_index(*in.neighbours)), output, MPI_OP_NULL};
    }
    [[nodiscard]] std::vector<std::uint64_t> sizes(const Membership& in) const override {
        const std::uint64_t element = Element::of(input_.type).bytes;
        const Side blocks = input_.with(input_index(*in.neighbours));
        std::vector<std::uint64_t> row;
        for (std::size_t to = 0; to < static_cast<std::size_t>(in.size); ++to)
            row.push_back(static_cast<std::uint64_t>(blocks.count_of(to)) * element);
        return row;
    }

private:
    [[nodiscard]] const BlockIndex& input_index(const Neighbourhood& neighbours) const {
        return kind == Kind::allgather ? neighbours.block_for_all() : neighbours.targets();
    }
    /// Who has no neighbours need not give more.
    [[nodiscard]] static bool is_sound_with(const Side& side, const BlockIndex& index) {
        return index.blocks == 0 || (side.is_sound(index.blocks) &&
                                     (side.counts == nullptr) == (side.displacements == nullptr));
    }

    const Side input_;
    const Side output_;
};

/// Blocks of one size.
template <auto Function>
int perform_even(const char* name, Kind kind, const void* input, int input_count,
                 MPI_Datatype input_type, void* output, int output_count, MPI_Datatype output_type,
                 MPI_Comm comm) {
    const auto own = [&] {
        return native<Function>(input, input_count, input_type, output, output_count, output_type,
                                comm);
    };
    return perform(NeighbourExchange(name, kind, false, comm,
                                     Side::of(input, input_count, input_type),
                                     Side::of(output, output_count, output_type), NativeCall(own)));
}

template <auto Function>
int begin_even(const char* name, const char* mpi_name, Kind kind, const void* input,
               int input_count, MPI_Datatype input_type, void* output, int output_count,
               MPI_Datatype output_type, MPI_Comm comm, MPI_Request* request,
               const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Function>(input, input_count, types.input, output, output_count, types.output,
                                on, as);
    };
    const NativeBegin mpi(mpi_name, own, {input_type, output_type}, comm, request, persistent);
    return begin(
        NeighbourExchange(name, kind, false, comm, Side::of(input, input_count, input_type),
                          Side::of(output, output_count, output_type), NativeCall(mpi)),
        mpi);
}

}  // namespace

int mpi_neighbor_allgather(const void* input, int input_count, MPI_Datatype input_type,
                           void* output, int output_count, MPI_Datatype output_type,
                           MPI_Comm comm) {
    return perform_even<PMPI_Neighbor_allgather>("neighbor_allgather", Kind::allgather, input,
                                                 input_count, input_type, output, output_count,
                                                 output_type, comm);
}

int mpi_ineighbor_allgather(const void* input, int input_count, MPI_Datatype input_type,
                            void* output, int output_count, MPI_Datatype output_type, MPI_Comm comm,
                            MPI_Request* request, const Initialization* persistent) {
    return begin_even<PMPI_Ineighbor_allgather>(
        "neighbor_allgather", "MPI_Ineighbor_allgather", Kind::allgather, input, input_count,
        input_type, output, output_count, output_type, comm, request, persistent);
}

int mpi_neighbor_alltoall(const void* input, int input_count, MPI_Datatype input_type, void* output,
                          int output_count, MPI_Datatype output_type, MPI_Comm comm) {
    return perform_even<PMPI_Neighbor_alltoall>("neighbor_alltoall", Kind::alltoall, input,
                                                input_count, input_type, output, output_count,
                                                output_type, comm);
}

int mpi_ineighbor_alltoall(const void* input, int input_count, MPI_Datatype input_type,
                           void* output, int output_count, MPI_Datatype output_type, MPI_Comm comm,
                           MPI_Request* request, const Initialization* persistent) {
    return begin_even<PMPI_Ineighbor_alltoall>(
        "neighbor_alltoall", "MPI_Ineighbor_alltoall", Kind::alltoall, input, input_count,
        input_type, output, output_count, output_type, comm, request, persistent);
}

int mpi_neighbor_allgatherv(const void* input, int input_count, MPI_Datatype input_type,
                            void* output, const int* output_counts, const int* output_displacements,
                            MPI_Datatype output_type, MPI_Comm comm) {
    const auto own = [&] {
        return native<PMPI_Neighbor_allgatherv>(input, input_count, input_type, output,
                                                output_counts, output_displacements, output_type,
                                                comm);
    };
    return perform(NeighbourExchange(
        "neighbor_allgatherv", Kind::allgather, true, comm,
        Side::of(input, input_count, input_type),
        Side::of(output, output_counts, output_displacements, output_type), NativeCall(own)));
}

int mpi_neighbor_alltoallv(const void* input, const int* input_counts,
                           const int* input_displacements, MPI_Datatype input_type, void* output,
                           const int* output_counts, const int* output_displacements,
                           MPI_Datatype output_type, MPI_Comm comm) {
    const auto own = [&] {
        return native<PMPI_Neighbor_alltoallv>(input, input_counts, input_displacements, input_type,
                                               output, output_counts, output_displacements,
                                               output_type, comm);
    };
    return perform(NeighbourExchange(
        "neighbor_alltoallv", Kind::alltoall, true, comm,
        Side::of(input, input_counts, input_displacements, input_type),
        Side::of(output, output_counts, output_displacements, output_type), NativeCall(own)));
}

int mpi_ineighbor_allgatherv(const void* input, int input_count, MPI_Datatype input_type,
                             void* output, const int* output_counts,
                             const int* output_displacements, MPI_Datatype output_type,
                             MPI_Comm comm, MPI_Request* request,
                             const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Ineighbor_allgatherv>(input, input_count, types.input, output,
                                                 output_counts, output_displacements, types.output,
                                                 on, as);
    };
    const NativeBegin mpi("MPI_Ineighbor_allgatherv", own, {input_type, output_type}, comm, request,
                          persistent);
    return begin(
        NeighbourExchange("neighbor_allgatherv", Kind::allgather, true, comm,
                          Side::of(input, input_count, input_type),
                          Side::of(output, output_counts, output_displacements, output_type),
                          NativeCall(mpi)),
        mpi);
}

int mpi_ineighbor_alltoallv(const void* input, const int* input_counts,
                            const int* input_displacements, MPI_Datatype input_type, void* output,
                            const int* output_counts, const int* output_displacements,
                            MPI_Datatype output_type, MPI_Comm comm, MPI_Request* request,
                            const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Ineighbor_alltoallv>(input, input_counts, input_displacements,
                                                types.input, output, output_counts,
                                                output_displacements, types.output, on, as);
    };
    const NativeBegin mpi("MPI_Ineighbor_alltoallv", own, {input_type, output_type}, comm, request,
                          persistent);
    return begin(
        NeighbourExchange("neighbor_alltoallv", Kind::alltoall, true, comm,
                          Side::of(input, input_counts, input_displacements, input_type),
                          Side::of(output, output_counts, output_displacements, output_type),
                          NativeCall(mpi)),
        mpi);
}

}  // namespace espalier::runtime
