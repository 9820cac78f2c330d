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
        const auto ranks = static_cast<std::size_t>(in.size);
        const BlockIndex& index = input_index(*in.neighbours);
        std::vector<std::uint64_t> row(ranks);
        if (index.blocks == 0) return row;
        const Area blocks(input_.with(index), ranks, false);
        for (std::size_t to = 0; to < ranks; ++to) row[to] = blocks.units(to);
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
template <auto Own>
int call_even(const char* name, Kind kind, const void* input, auto input_count,
              MPI_Datatype input_type, void* output, auto output_count, MPI_Datatype output_type,
              MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_count, input_type, output, output_count, output_type, comm);
    };
    return perform(NeighbourExchange(name, kind, false, comm,
                                     Side::of(input, input_count, input_type),
                                     Side::of(output, output_count, output_type), NativeCall(own)));
}

template <auto Own>
int begin_even(const char* name, Kind kind, const char* mpi_name, const Initialization* persistent,
               const void* input, auto input_count, MPI_Datatype input_type, void* output,
               auto output_count, MPI_Datatype output_type, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_count, types.input, output, output_count, types.output, on,
                           as);
    };
    const NativeBegin mpi(mpi_name, own, {input_type, output_type}, comm, request, persistent);
    return begin(
        NeighbourExchange(name, kind, false, comm, Side::of(input, input_count, input_type),
                          Side::of(output, output_count, output_type), NativeCall(mpi)),
        mpi);
}

template <auto Own>
int call_neighbor_allgather(auto... arguments) {
    return call_even<Own>("neighbor_allgather", Kind::allgather, arguments...);
}

template <auto Own>
int begin_neighbor_allgather(auto... arguments) {
    return begin_even<Own>("neighbor_allgather", Kind::allgather, arguments...);
}

template <auto Own>
int call_neighbor_alltoall(auto... arguments) {
    return call_even<Own>("neighbor_alltoall", Kind::alltoall, arguments...);
}

template <auto Own>
int begin_neighbor_alltoall(auto... arguments) {
    return begin_even<Own>("neighbor_alltoall", Kind::alltoall, arguments...);
}

template <auto Own>
int call_neighbor_allgatherv(const void* input, auto input_count, MPI_Datatype input_type,
                             void* output, const auto* output_counts,
                             const auto* output_displacements, MPI_Datatype output_type,
                             MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_count, input_type, output, output_counts,
                           output_displacements, output_type, comm);
    };
    return perform(NeighbourExchange(
        "neighbor_allgatherv", Kind::allgather, true, comm,
        Side::of(input, input_count, input_type),
        Side::of(output, output_counts, output_displacements, output_type), NativeCall(own)));
}

template <auto Own>
int call_neighbor_alltoallv(const void* input, const auto* input_counts,
                            const auto* input_displacements, MPI_Datatype input_type, void* output,
                            const auto* output_counts, const auto* output_displacements,
                            MPI_Datatype output_type, MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_counts, input_displacements, input_type, output,
                           output_counts, output_displacements, output_type, comm);
    };
    return perform(NeighbourExchange(
        "neighbor_alltoallv", Kind::alltoall, true, comm,
        Side::of(input, input_counts, input_displacements, input_type),
        Side::of(output, output_counts, output_displacements, output_type), NativeCall(own)));
}

template <auto Own>
int begin_neighbor_allgatherv(const char* name, const Initialization* persistent, const void* input,
                              auto input_count, MPI_Datatype input_type, void* output,
                              const auto* output_counts, const auto* output_displacements,
                              MPI_Datatype output_type, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_count, types.input, output, output_counts,
                           output_displacements, types.output, on, as);
    };
    const NativeBegin mpi(name, own, {input_type, output_type}, comm, request, persistent);
    return begin(
        NeighbourExchange("neighbor_allgatherv", Kind::allgather, true, comm,
                          Side::of(input, input_count, input_type),
                          Side::of(output, output_counts, output_displacements, output_type),
                          NativeCall(mpi)),
        mpi);
}

template <auto Own>
int begin_neighbor_alltoallv(const char* name, const Initialization* persistent, const void* input,
                             const auto* input_counts, const auto* input_displacements,
                             MPI_Datatype input_type, void* output, const auto* output_counts,
                             const auto* output_displacements, MPI_Datatype output_type,
                             MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_counts, input_displacements, types.input, output,
                           output_counts, output_displacements, types.output, on, as);
    };
    const NativeBegin mpi(name, own, {input_type, output_type}, comm, request, persistent);
    return begin(
        NeighbourExchange("neighbor_alltoallv", Kind::alltoall, true, comm,
                          Side::of(input, input_counts, input_displacements, input_type),
                          Side::of(output, output_counts, output_displacements, output_type),
                          NativeCall(mpi)),
        mpi);
}

template <auto Own>
int call_neighbor_alltoallw(const void* input, const auto* input_counts,
                            const MPI_Aint* input_displacements, const MPI_Datatype* input_types,
                            void* output, const auto* output_counts,
                            const MPI_Aint* output_displacements, const MPI_Datatype* output_types,
                            MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_counts, input_displacements, input_types, output,
                           output_counts, output_displacements, output_types, comm);
    };
    return perform(NeighbourExchange(
        "neighbor_alltoallw", Kind::alltoall, true, comm,
        Side::of(input, input_counts, input_displacements, input_types),
        Side::of(output, output_counts, output_displacements, output_types), NativeCall(own)));
}

template <auto Own>
int begin_neighbor_alltoallw(const char* name, const Initialization* persistent, const void* input,
                             const auto* input_counts, const MPI_Aint* input_displacements,
                             const MPI_Datatype* input_types, void* output,
                             const auto* output_counts, const MPI_Aint* output_displacements,
                             const MPI_Datatype* output_types, MPI_Comm comm,
                             MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_counts, input_displacements, types.inputs, output,
                           output_counts, output_displacements, types.outputs, on, as);
    };
    const NativeBegin mpi(name, own, {.inputs = input_types, .outputs = output_types}, comm,
                          request, persistent);
    return begin(
        NeighbourExchange("neighbor_alltoallw", Kind::alltoall, true, comm,
                          Side::of(input, input_counts, input_displacements, input_types),
                          Side::of(output, output_counts, output_displacements, output_types),
                          NativeCall(mpi)),
        mpi);
}

}  // namespace

ESPALIER_FORMS(7, Neighbor_allgather, neighbor_allgather)
ESPALIER_FORMS(8, Neighbor_allgatherv, neighbor_allgatherv)
ESPALIER_FORMS(7, Neighbor_alltoall, neighbor_alltoall)
ESPALIER_FORMS(9, Neighbor_alltoallv, neighbor_alltoallv)
ESPALIER_FORMS(9, Neighbor_alltoallw, neighbor_alltoallw)

}  // namespace espalier::runtime
