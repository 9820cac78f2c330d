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

}  // namespace

int mpi_scatter(const void* input, int input_count, MPI_Datatype input_type, void* output,
                int output_count, MPI_Datatype output_type, int root, MPI_Comm comm) {
    const auto own = [&] {
        return native<PMPI_Scatter>(input, input_count, input_type, output, output_count,
                                    output_type, root, comm);
    };
    return perform(Rooted("scatter", Kind::scatter, false, comm,
                          Side::of(input, input_count, input_type),
                          Side::of(output, output_count, output_type), root, NativeCall(own)));
}

int mpi_scatterv(const void* input, const int* input_counts, const int* input_displacements,
                 MPI_Datatype input_type, void* output, int output_count, MPI_Datatype output_type,
                 int root, MPI_Comm comm) {
    const auto own = [&] {
        return native<PMPI_Scatterv>(input, input_counts, input_displacements, input_type, output,
                                     output_count, output_type, root, comm);
    };
    return perform(Rooted("scatterv", Kind::scatter, true, comm,
                          Side::of(input, input_counts, input_displacements, input_type),
                          Side::of(output, output_count, output_type), root, NativeCall(own)));
}

int mpi_gather(const void* input, int input_count, MPI_Datatype input_type, void* output,
               int output_count, MPI_Datatype output_type, int root, MPI_Comm comm) {
    const auto own = [&] {
        return native<PMPI_Gather>(input, input_count, input_type, output, output_count,
                                   output_type, root, comm);
    };
    return perform(Rooted("gather", Kind::gather, false, comm,
                          Side::of(output, output_count, output_type),
                          Side::of(input, input_count, input_type), root, NativeCall(own)));
}

int mpi_gatherv(const void* input, int input_count, MPI_Datatype input_type, void* output,
                const int* output_counts, const int* output_displacements, MPI_Datatype output_type,
                int root, MPI_Comm comm) {
    const auto own = [&] {
        return native<PMPI_Gatherv>(input, input_count, input_type, output, output_counts,
                                    output_displacements, output_type, root, comm);
    };
    return perform(Rooted("gatherv", Kind::gather, true, comm,
                          Side::of(output, output_counts, output_displacements, output_type),
                          Side::of(input, input_count, input_type), root, NativeCall(own)));
}

int mpi_iscatter(const void* input, int input_count, MPI_Datatype input_type, void* output,
                 int output_count, MPI_Datatype output_type, int root, MPI_Comm comm,
                 MPI_Request* request, const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Iscatter>(input, input_count, types.input, output, output_count,
                                     types.output, root, on, as);
    };
    const NativeBegin mpi("MPI_Iscatter", own, {input_type, output_type}, comm, request,
                          persistent);
    return begin(
        Rooted("scatter", Kind::scatter, false, comm, Side::of(input, input_count, input_type),
               Side::of(output, output_count, output_type), root, NativeCall(mpi)),
        mpi);
}

int mpi_iscatterv(const void* input, const int* input_counts, const int* input_displacements,
                  MPI_Datatype input_type, void* output, int output_count, MPI_Datatype output_type,
                  int root, MPI_Comm comm, MPI_Request* request, const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Iscatterv>(input, input_counts, input_displacements, types.input, output,
                                      output_count, types.output, root, on, as);
    };
    const NativeBegin mpi("MPI_Iscatterv", own, {input_type, output_type}, comm, request,
                          persistent);
    return begin(Rooted("scatterv", Kind::scatter, true, comm,
                        Side::of(input, input_counts, input_displacements, input_type),
                        Side::of(output, output_count, output_type), root, NativeCall(mpi)),
                 mpi);
}

int mpi_igather(const void* input, int input_count, MPI_Datatype input_type, void* output,
                int output_count, MPI_Datatype output_type, int root, MPI_Comm comm,
                MPI_Request* request, const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Igather>(input, input_count, types.input, output, output_count,
                                    types.output, root, on, as);
    };
    const NativeBegin mpi("MPI_Igather", own, {input_type, output_type}, comm, request, persistent);
    return begin(
        Rooted("gather", Kind::gather, false, comm, Side::of(output, output_count, output_type),
               Side::of(input, input_count, input_type), root, NativeCall(mpi)),
        mpi);
}

int mpi_igatherv(const void* input, int input_count, MPI_Datatype input_type, void* output,
                 const int* output_counts, const int* output_displacements,
                 MPI_Datatype output_type, int root, MPI_Comm comm, MPI_Request* request,
                 const Initialization* persistent) {
    const auto own = [=](const Types& types, MPI_Comm on, MPI_Request* as) {
        return native<PMPI_Igatherv>(input, input_count, types.input, output, output_counts,
                                     output_displacements, types.output, root, on, as);
    };
    const NativeBegin mpi("MPI_Igatherv", own, {input_type, output_type}, comm, request,
                          persistent);
    return begin(Rooted("gatherv", Kind::gather, true, comm,
                        Side::of(output, output_counts, output_displacements, output_type),
                        Side::of(input, input_count, input_type), root, NativeCall(mpi)),
                 mpi);
}

}  // namespace espalier::runtime
