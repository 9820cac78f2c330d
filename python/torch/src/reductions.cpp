#include "process_group.hpp"

namespace espalier::torch {

namespace {

std::string reduced(const char* call, const at::Tensor& tensor, const Reduction& reduction) {
    return std::string(call) + " of " + describe(tensor) + ", " + reduction.name;
}

}  // namespace

ProcessGroup::Pointer ProcessGroup::allreduce(Tensors& tensors,
                                              const c10d::AllreduceOptions& options) {
    const Tensor tensor = only(tensors, "all-reduce");
    const auto reduction = Reduction::of(tensor.scalar_type(), options.reduceOp);
    return queue(
        c10d::OpType::ALLREDUCE, reduced("all-reduce", tensor, reduction), {tensor},
        [=](Shared& on) {
            const Tensor operand = reduction.operand(tensor, false);
            check(MPI_Allreduce(MPI_IN_PLACE, operand.data_ptr(), count_of(operand.numel()),
                                reduction.type, reduction.op, on.calls.get()));
            reduction.finish(operand, tensor, on.size);
        },
        options.timeout);
}

ProcessGroup::Pointer ProcessGroup::allreduce_coalesced(
    Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) {
    if (tensors.empty()) refuse("all-reduce of no tensors");
    for (const Tensor& tensor : tensors) {
        require_dense(tensor, "all-reduce");
        if (tensor.scalar_type() != tensors.front().scalar_type())
            refuse("all-reduce of " + describe(tensor) + " together with " +
                   describe(tensors.front()));
    }
    const Tensors parts = tensors;
    const Tensor all = joined(parts);
    const auto reduction = Reduction::of(all.scalar_type(), options.reduceOp);
    return queue(
        c10d::OpType::ALLREDUCE_COALESCED, reduced("joint all-reduce", all, reduction), parts,
        [=](Shared& on) {
            const Tensor operand = reduction.operand(all, false);
            check(MPI_Allreduce(MPI_IN_PLACE, operand.data_ptr(), count_of(operand.numel()),
                                reduction.type, reduction.op, on.calls.get()));
            reduction.finish(operand, all, on.size);
            split(all, parts);
        },
        options.timeout);
}

ProcessGroup::Pointer ProcessGroup::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
    const Tensor tensor = only(tensors, "reduce");
    const auto reduction = Reduction::of(tensor.scalar_type(), options.reduceOp);
    const int root = peer("reduce", static_cast<int>(options.rootRank));
    const bool is_root = root == rank_;
    return queue(
        c10d::OpType::REDUCE,
        reduced("reduce", tensor, reduction) + ", root " + std::to_string(root), {tensor},
        [=](Shared& on) {
            const Tensor operand = reduction.operand(tensor, false);
            check(MPI_Reduce(is_root ? MPI_IN_PLACE : operand.data_ptr(),
                             is_root ? operand.data_ptr() : nullptr, count_of(operand.numel()),
                             reduction.type, reduction.op, root, on.calls.get()));
            if (is_root) reduction.finish(operand, tensor, on.size);
        },
        options.timeout);
}

ProcessGroup::Pointer ProcessGroup::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                                   const c10d::ReduceScatterOptions& options) {
    const Tensor output = only(outputs, "reduce-scatter");
    if (inputs.size() != 1) refuse("reduce-scatter takes one list of tensors");
    check_blocks("reduce-scatter", inputs.front(), output);
    Tensor all = joined(inputs.front());
    Tensor to = output;
    return _reduce_scatter_base(to, all, options);
}

ProcessGroup::Pointer ProcessGroup::_reduce_scatter_base(
    Tensor& output, Tensor& input, const c10d::ReduceScatterOptions& options) {
    require_dense(input, "reduce-scatter");
    require_dense(output, "reduce-scatter");
    if (input.numel() != output.numel() * size_ || input.scalar_type() != output.scalar_type())
        refuse("reduce-scatter of " + describe(input) + " into " + describe(output));
    const auto reduction = Reduction::of(input.scalar_type(), options.reduceOp);
    return queue(
        c10d::OpType::_REDUCE_SCATTER_BASE, reduced("reduce-scatter", input, reduction), {output},
        [from = input, to = output, reduction](Shared& on) {
            // Its output may be a part of its input.
            const Tensor operand = reduction.operand(from, from.is_alias_of(to));
            const Tensor result = reduction.widened ? at::empty(to.sizes(), operand.options()) : to;
            check(MPI_Reduce_scatter_block(operand.data_ptr(), result.data_ptr(),
                                           count_of(result.numel()), reduction.type, reduction.op,
                                           on.calls.get()));
            reduction.finish(result, to, on.size);
        },
        options.timeout);
}

}  // namespace espalier::torch
