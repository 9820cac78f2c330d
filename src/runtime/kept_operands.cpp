#include "runtime/kept_operands.hpp"

#include "runtime/failure.hpp"

#include <algorithm>

namespace espalier::runtime {

using schedule::Kind;

KeptOperands::KeptOperands(const Operands& of, int ranks) : operands_(of) {
    const auto blocks = static_cast<std::size_t>(ranks);
    keep(operands_.input, blocks);
    keep(operands_.output, blocks);
}

KeptOperands::~KeptOperands() {
    for (MPI_Datatype& type : made_) PMPI_Type_free(&type);
}

void KeptOperands::keep(Side& side, std::size_t blocks) {
    // The counts of a reduce-scatter in place are its input's.
    const bool is_read = !side.is_in_place() || operands_.kind == Kind::reduce_scatter;
    if (side.type == MPI_DATATYPE_NULL || !is_read) return;
    const std::size_t length = side.index != nullptr ? side.index->blocks : blocks;
    for (const int** array : {&side.counts, &side.displacements}) {
        if (*array == nullptr) continue;
        arrays_.push_back(std::make_unique<int[]>(length));
        std::copy_n(*array, length, arrays_.back().get());
        *array = arrays_.back().get();
    }
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_COMBINER_NAMED;
    // What is made with large counts says an error, and is not named.
    const int code = PMPI_Type_get_envelope(side.type, &integers, &addresses, &types, &combiner);
    if (code == MPI_SUCCESS && combiner == MPI_COMBINER_NAMED) return;
    // A duplicate would have the program's attributes, too.
    MPI_Datatype same = MPI_DATATYPE_NULL;
    check_handled(PMPI_Type_contiguous(1, side.type, &same));
    made_.push_back(same);
    check_handled(PMPI_Type_commit(&made_.back()));
    side.type = made_.back();
}

Types KeptOperands::types(const Types& types) const {
    const auto kept = [](const Side& side, MPI_Datatype type) {
        return side.type == MPI_DATATYPE_NULL || side.is_in_place() ? type : side.type;
    };
    return {kept(operands_.input, types.input), kept(operands_.output, types.output)};
}

}  // namespace espalier::runtime
