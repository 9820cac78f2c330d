#include "runtime/call.hpp"
#include "runtime/calls.hpp"
#include "runtime/flavour.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/nonblocking.hpp"

namespace espalier::runtime {

namespace {

using schedule::Kind;

/// A total exchange of blocks of one size, or of sizes that only their source and target know.
class TotalExchange final : public Call {
public:
    TotalExchange(const char* name, MPI_Comm on, const Side& input, const Side& output,
                  NativeCall own)
        : Call(name, Kind::alltoall, output.counts != nullptr, on, own),
          input_(input),
          output_(output) {}

    [[nodiscard]] Question ask(const Membership& in) const override {
        // Before the sizes of all pairs are gathered.
        if (static_cast<std::size_t>(in.size) > most_ranks_of_blocks)
            return Question::refused("too many ranks");
        return output_.counts == nullptr
                   ? Question::about(Kind::alltoall, message_bytes(output_.count, output_.type))
                   : Question::direct(Kind::alltoall);
    }
    [[nodiscard]] bool is_sound(const Membership& in) const override {
        const auto blocks = static_cast<std::size_t>(in.size);
        return output_.is_sound(blocks) && (input_.is_in_place() || input_.is_sound(blocks)) &&
               !(are_one(input_, output_) && Flavour::refuses_aliases());
    }
    [[nodiscard]] Operands operands(const Membership&) const override {
        return {Kind::alltoall, 0, input_, output_, MPI_OP_NULL};
    }
    [[nodiscard]] std::vector<std::uint64_t> sizes(const Membership& in) const override {
        const auto ranks = static_cast<std::size_t>(in.size);
        const Area goes_out(input_.is_in_place() ? output_ : input_, ranks, false);
        std::vector<std::uint64_t> row;
        for (std::size_t to = 0; to < ranks; ++to) row.push_back(goes_out.units(to));
        return row;
    }

private:
    const Side input_;
    const Side output_;
};

/// Whether blocks are told by arrays; what is wrong, MPI tells the program itself.
bool has_arrays(const Side& side) {
    return side.is_in_place() || (side.counts != nullptr && side.displacements != nullptr &&
                                  (side.types != nullptr || side.type != MPI_DATATYPE_NULL));
}

template <auto Own>
int call_alltoall(const void* input, auto input_count, MPI_Datatype input_type, void* output,
                  auto output_count, MPI_Datatype output_type, MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_count, input_type, output, output_count, output_type, comm);
    };
    return perform(TotalExchange("alltoall", comm, Side::of(input, input_count, input_type),
                                 Side::of(output, output_count, output_type), NativeCall(own)));
}

template <auto Own>
int call_alltoallv(const void* input, const auto* input_counts, const auto* input_displacements,
                   MPI_Datatype input_type, void* output, const auto* output_counts,
                   const auto* output_displacements, MPI_Datatype output_type, MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_counts, input_displacements, input_type, output,
                           output_counts, output_displacements, output_type, comm);
    };
    const Side from = Side::of(input, input_counts, input_displacements, input_type);
    const Side to = Side::of(output, output_counts, output_displacements, output_type);
    if (!has_arrays(from) || !has_arrays(to)) return own();
    return perform(TotalExchange("alltoallv", comm, from, to, NativeCall(own)));
}

template <auto Own>
int begin_alltoall(const char* name, const Initialization* persistent, const void* input,
                   auto input_count, MPI_Datatype input_type, void* output, auto output_count,
                   MPI_Datatype output_type, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_count, types.input, output, output_count, types.output, on,
                           as);
    };
    const NativeBegin mpi(name, own, {input_type, output_type}, comm, request, persistent);
    return begin(TotalExchange("alltoall", comm, Side::of(input, input_count, input_type),
                               Side::of(output, output_count, output_type), NativeCall(mpi)),
                 mpi);
}

template <auto Own>
int begin_alltoallv(const char* name, const Initialization* persistent, const void* input,
                    const auto* input_counts, const auto* input_displacements,
                    MPI_Datatype input_type, void* output, const auto* output_counts,
                    const auto* output_displacements, MPI_Datatype output_type, MPI_Comm comm,
                    MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_counts, input_displacements, types.input, output,
                           output_counts, output_displacements, types.output, on, as);
    };
    const NativeBegin mpi(name, own, {input_type, output_type}, comm, request, persistent);
    const Side from = Side::of(input, input_counts, input_displacements, input_type);
    const Side to = Side::of(output, output_counts, output_displacements, output_type);
    if (!has_arrays(from) || !has_arrays(to)) return mpi();
    return begin(TotalExchange("alltoallv", comm, from, to, NativeCall(mpi)), mpi);
}

template <auto Own>
int call_alltoallw(const void* input, const auto* input_counts, const auto* input_displacements,
                   const MPI_Datatype* input_types, void* output, const auto* output_counts,
                   const auto* output_displacements, const MPI_Datatype* output_types,
                   MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_counts, input_displacements, input_types, output,
                           output_counts, output_displacements, output_types, comm);
    };
    const Side from = Side::of(input, input_counts, input_displacements, input_types);
    const Side to = Side::of(output, output_counts, output_displacements, output_types);
    if (!has_arrays(from) || !has_arrays(to)) return own();
    return perform(TotalExchange("alltoallw", comm, from, to, NativeCall(own)));
}

template <auto Own>
int begin_alltoallw(const char* name, const Initialization* persistent, const void* input,
                    const auto* input_counts, const auto* input_displacements,
                    const MPI_Datatype* input_types, void* output, const auto* output_counts,
                    const auto* output_displacements, const MPI_Datatype* output_types,
                    MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_counts, input_displacements, types.inputs, output,
                           output_counts, output_displacements, types.outputs, on, as);
    };
    const NativeBegin mpi(name, own, {.inputs = input_types, .outputs = output_types}, comm,
                          request, persistent);
    const Side from = Side::of(input, input_counts, input_displacements, input_types);
    const Side to = Side::of(output, output_counts, output_displacements, output_types);
    if (!has_arrays(from) || !has_arrays(to)) return mpi();
    return begin(TotalExchange("alltoallw", comm, from, to, NativeCall(mpi)), mpi);
}

}  // namespace

ESPALIER_FORMS(7, Alltoall, alltoall)
ESPALIER_FORMS(9, Alltoallv, alltoallv)
ESPALIER_FORMS(9, Alltoallw, alltoallw)

}  // namespace espalier::runtime
