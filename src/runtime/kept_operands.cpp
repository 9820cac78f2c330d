#include "runtime/kept_operands.hpp"

#include "runtime/failure.hpp"

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
    if (!side.is_given() || !is_read) return;
    const std::size_t length = side.index != nullptr ? side.index->blocks : blocks;
    for (Integers* array : {&side.counts, &side.displacements})
        if (*array != nullptr) *array = array->kept_in(arrays_.emplace_back(), length);
    if (side.types == nullptr) {
        side.type = kept(side.type);
        return;
    }
    types_.push_back(std::make_unique<MPI_Datatype[]>(length));
    for (std::size_t block = 0; block < length; ++block) {
        // Of a block of nothing the program need not have one; Open MPI takes no null type.
        types_.back()[block] = side.counts[block] == 0 ? MPI_BYTE : kept(side.types[block]);
    }
    side.types = types_.back().get();
}

MPI_Datatype KeptOperands::kept(MPI_Datatype type) {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_COMBINER_NAMED;
    // What is made with large counts says an error, and is not named.
    const int code = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (code == MPI_SUCCESS && combiner == MPI_COMBINER_NAMED) return type;
    // A duplicate would have the program's attributes, too.
    MPI_Datatype same = MPI_DATATYPE_NULL;
    check_handled(PMPI_Type_contiguous(1, type, &same));
    made_.push_back(same);
    check_handled(PMPI_Type_commit(&made_.back()));
    return made_.back();
}

Types KeptOperands::types(const Types& types) const {
    const auto is_kept = [](const Side& side) { return side.is_given() && !side.is_in_place(); };
    Types ours = types;
    if (is_kept(operands_.input)) {
        ours.input = operands_.input.type;
        ours.inputs = operands_.input.types;
    }
    if (is_kept(operands_.output)) {
        ours.output = operands_.output.type;
        ours.outputs = operands_.output.types;
    }
    return ours;
}

}  // namespace espalier::runtime
