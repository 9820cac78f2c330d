#include "runtime/call.hpp"
#include "runtime/calls.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/nonblocking.hpp"

namespace espalier::runtime {

namespace {

using schedule::Kind;

/// Scatter and gather: the root has a block for, or of, each rank, the others have their own.
class Rooted final : public Call {
public:
    /// If blocks differ, only the root knows their counts, and only its counts are read.
    Rooted(const char* name, Kind of, bool blocks_differ, MPI_Comm on, const Side& blocks,
           const Side& block, int root, NativeCall own)
        : Call(name, of, blocks_differ, on, own), blocks_(blocks), block_(block), root_(root) {}

    [[nodiscard]] Question ask(const Membership& in) const override {
        if (root_ < 0 || root_ >= in.size) return Question::refused(wrong_arguments);
        if (uneven) return Question::direct(kind, root_);
        const Side& known = in.rank == root_ ? blocks_ : block_;
        return Question::about(kind, message_bytes(known.count, known.type), root_);
    }
    [[nodiscard]] bool is_sound(const Membership& in) const override {
        if (in.rank != root_) return block_.is_sound(1);
        if (uneven && (blocks_.counts == nullptr || blocks_.displacements == nullptr)) return false;
        return are_sound(block_, blocks_, in.rank, in.size);
    }
    [[nodiscard]] Operands operands(const Membership& in) const override {
        const Side blocks = in.rank == root_ ? blocks_ : Side();
        return kind == Kind::scatter ? Operands{kind, root_, blocks, block_, MPI_OP_NULL}
                                     : Operands{kind, root_, block_, blocks, MPI_OP_NULL};
    }
    [[nodiscard]] std::vector<std::uint64_t> sizes(const Membership& in) const override {
        const Side& known = in.rank == root_ ? blocks_ : block_;
        const auto own = static_cast<std::size_t>(in.rank == root_ ? in.rank : 0);
        return {static_cast<std::uint64_t>(known.count_of(own)) * Element::of(known.type).bytes};
    }

private:
    const Side blocks_;
    const Side block_;
    const int root_;
};

template <auto Own>
int call_scatter(const void* input, auto input_count, MPI_Datatype input_type, void* output,
                 auto output_count, MPI_Datatype output_type, int root, MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_count, input_type, output, output_count, output_type, root,
                           comm);
    };
    return perform(Rooted("scatter", Kind::scatter, false, comm,
                          Side::of(input, input_count, input_type),
                          Side::of(output, output_count, output_type), root, NativeCall(own)));
}

template <auto Own>
int call_scatterv(const void* input, const auto* input_counts, const auto* input_displacements,
                  MPI_Datatype input_type, void* output, auto output_count,
                  MPI_Datatype output_type, int root, MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_counts, input_displacements, input_type, output,
                           output_count, output_type, root, comm);
    };
    return perform(Rooted("scatterv", Kind::scatter, true, comm,
                          Side::of(input, input_counts, input_displacements, input_type),
                          Side::of(output, output_count, output_type), root, NativeCall(own)));
}

template <auto Own>
int call_gather(const void* input, auto input_count, MPI_Datatype input_type, void* output,
                auto output_count, MPI_Datatype output_type, int root, MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_count, input_type, output, output_count, output_type, root,
                           comm);
    };
    return perform(Rooted("gather", Kind::gather, false, comm,
                          Side::of(output, output_count, output_type),
                          Side::of(input, input_count, input_type), root, NativeCall(own)));
}

template <auto Own>
int call_gatherv(const void* input, auto input_count, MPI_Datatype input_type, void* output,
                 const auto* output_counts, const auto* output_displacements,
                 MPI_Datatype output_type, int root, MPI_Comm comm) {
    const auto own = [&] {
        return native<Own>(input, input_count, input_type, output, output_counts,
                           output_displacements, output_type, root, comm);
    };
    return perform(Rooted("gatherv", Kind::gather, true, comm,
                          Side::of(output, output_counts, output_displacements, output_type),
                          Side::of(input, input_count, input_type), root, NativeCall(own)));
}

template <auto Own>
int begin_scatter(const char* name, const Initialization* persistent, const void* input,
                  auto input_count, MPI_Datatype input_type, void* output, auto output_count,
                  MPI_Datatype output_type, int root, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_count, types.input, output, output_count, types.output,
                           root, on, as);
    };
    const NativeBegin mpi(name, own, {input_type, output_type}, comm, request, persistent);
    return begin(
        Rooted("scatter", Kind::scatter, false, comm, Side::of(input, input_count, input_type),
               Side::of(output, output_count, output_type), root, NativeCall(mpi)),
        mpi);
}

template <auto Own>
int begin_scatterv(const char* name, const Initialization* persistent, const void* input,
                   const auto* input_counts, const auto* input_displacements,
                   MPI_Datatype input_type, void* output, auto output_count,
                   MPI_Datatype output_type, int root, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_counts, input_displacements, types.input, output,
                           output_count, types.output, root, on, as);
    };
    const NativeBegin mpi(name, own, {input_type, output_type}, comm, request, persistent);
    return begin(Rooted("scatterv", Kind::scatter, true, comm,
                        Side::of(input, input_counts, input_displacements, input_type),
                        Side::of(output, output_count, output_type), root, NativeCall(mpi)),
                 mpi);
}

template <auto Own>
int begin_gather(const char* name, const Initialization* persistent, const void* input,
                 auto input_count, MPI_Datatype input_type, void* output, auto output_count,
                 MPI_Datatype output_type, int root, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_count, types.input, output, output_count, types.output,
                           root, on, as);
    };
    const NativeBegin mpi(name, own, {input_type, output_type}, comm, request, persistent);
    return begin(
        Rooted("gather", Kind::gather, false, comm, Side::of(output, output_count, output_type),
               Side::of(input, input_count, input_type), root, NativeCall(mpi)),
        mpi);
}

template <auto Own>
int begin_gatherv(const char* name, const Initialization* persistent, const void* input,
                  auto input_count, MPI_Datatype input_type, void* output,
                  const auto* output_counts, const auto* output_displacements,
                  MPI_Datatype output_type, int root, MPI_Comm comm, MPI_Request* request) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<Own>(input, input_count, types.input, output, output_counts,
                           output_displacements, types.output, root, on, as);
    };
    const NativeBegin mpi(name, own, {input_type, output_type}, comm, request, persistent);
    return begin(Rooted("gatherv", Kind::gather, true, comm,
                        Side::of(output, output_counts, output_displacements, output_type),
                        Side::of(input, input_count, input_type), root, NativeCall(mpi)),
                 mpi);
}

}  // namespace

ESPALIER_FORMS(8, Scatter, scatter)
ESPALIER_FORMS(9, Scatterv, scatterv)
ESPALIER_FORMS(8, Gather, gather)
ESPALIER_FORMS(9, Gatherv, gatherv)

}  // namespace espalier::runtime
