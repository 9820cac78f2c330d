#include "operands.hpp"

#include "mpi.hpp"

namespace espalier::torch {

namespace {

const char* name_of(c10d::ReduceOp::RedOpType op) {
    switch (op) {
        case c10d::ReduceOp::SUM:
            return "sum";
        case c10d::ReduceOp::AVG:
            return "average";
        case c10d::ReduceOp::PRODUCT:
            return "product";
        case c10d::ReduceOp::MIN:
            return "minimum";
        case c10d::ReduceOp::MAX:
            return "maximum";
        case c10d::ReduceOp::BAND:
            return "bitwise and";
        case c10d::ReduceOp::BOR:
            return "bitwise or";
        case c10d::ReduceOp::BXOR:
            return "bitwise exclusive or";
        default:
            return "operation that MPI has not";
    }
}

MPI_Datatype number_type(at::ScalarType type) {
    switch (type) {
        case at::kByte:
            return MPI_UINT8_T;
        case at::kChar:
            return MPI_INT8_T;
        case at::kShort:
            return MPI_INT16_T;
        case at::kInt:
            return MPI_INT32_T;
        case at::kLong:
            return MPI_INT64_T;
        case at::kHalf:
        case at::kBFloat16:
        case at::kFloat:
            return MPI_FLOAT;
        case at::kDouble:
            return MPI_DOUBLE;
        case at::kBool:
            return MPI_CXX_BOOL;
        default:
            return MPI_DATATYPE_NULL;
    }
}

MPI_Op number_op(c10d::ReduceOp::RedOpType op, bool floating) {
    switch (op) {
        case c10d::ReduceOp::SUM:
            return MPI_SUM;
        case c10d::ReduceOp::AVG:
            return floating ? MPI_SUM : MPI_OP_NULL;
        case c10d::ReduceOp::PRODUCT:
            return MPI_PROD;
        case c10d::ReduceOp::MIN:
            return MPI_MIN;
        case c10d::ReduceOp::MAX:
            return MPI_MAX;
        case c10d::ReduceOp::BAND:
            return floating ? MPI_OP_NULL : MPI_BAND;
        case c10d::ReduceOp::BOR:
            return floating ? MPI_OP_NULL : MPI_BOR;
        case c10d::ReduceOp::BXOR:
            return floating ? MPI_OP_NULL : MPI_BXOR;
        default:
            return MPI_OP_NULL;
    }
}

/// What the operation on 0 and 1 comes to, where a sum is whether any is true.
MPI_Op truth_op(c10d::ReduceOp::RedOpType op) {
    switch (op) {
        case c10d::ReduceOp::SUM:
        case c10d::ReduceOp::MAX:
        case c10d::ReduceOp::BOR:
            return MPI_LOR;
        case c10d::ReduceOp::PRODUCT:
        case c10d::ReduceOp::MIN:
        case c10d::ReduceOp::BAND:
            return MPI_LAND;
        case c10d::ReduceOp::BXOR:
            return MPI_LXOR;
        default:
            return MPI_OP_NULL;
    }
}

}  // namespace

void require_dense(const at::Tensor& tensor, const std::string& call) {
    const auto refuse_it = [&](const char* why) { refuse(call + ": " + why); };
    if (!tensor.defined()) refuse_it("the tensor is undefined");
    if (!tensor.device().is_cpu())
        refuse(call + ": the tensor is on " + tensor.device().str() +
               "; only the CPU's are served");
    if (tensor.layout() != at::kStrided) refuse_it("the tensor is sparse");
    if (tensor.is_quantized()) refuse_it("the tensor is quantised");
    if (!tensor.is_contiguous()) refuse_it("the tensor is not contiguous; use .contiguous()");
}

const at::Tensor& only(const std::vector<at::Tensor>& tensors, const char* call) {
    if (tensors.size() != 1)
        refuse(std::string(call) + " takes one tensor a rank, and has " +
               std::to_string(tensors.size()));
    require_dense(tensors.front(), call);
    return tensors.front();
}

std::string describe(const at::Tensor& tensor) {
    return std::to_string(tensor.numel()) + " " + c10::toString(tensor.scalar_type());
}

MPI_Datatype carrier(const at::Tensor& tensor) {
    switch (tensor.element_size()) {
        case 1:
            return MPI_UINT8_T;
        case 2:
            return MPI_UINT16_T;
        case 4:
            return MPI_UINT32_T;
        case 8:
            return MPI_UINT64_T;
        case 16:
            return MPI_C_DOUBLE_COMPLEX;
        default:
            refuse("elements of " + std::to_string(tensor.element_size()) +
                   " bytes can't be moved");
    }
}

Reduction Reduction::of(at::ScalarType type, const c10d::ReduceOp& op) {
    const c10d::ReduceOp::RedOpType kind = op;
    Reduction reduction;
    reduction.type = number_type(type);
    reduction.op = type == at::kBool ? truth_op(kind) : number_op(kind, at::isFloatingType(type));
    reduction.widened = type == at::kHalf || type == at::kBFloat16;
    reduction.averaged = kind == c10d::ReduceOp::AVG;
    reduction.name = name_of(kind);
    if (reduction.type == MPI_DATATYPE_NULL || reduction.op == MPI_OP_NULL)
        refuse(std::string("no ") + reduction.name + " of " + c10::toString(type));
    return reduction;
}

at::Tensor Reduction::operand(const at::Tensor& tensor, bool copied) const {
    return tensor.to(widened ? at::kFloat : tensor.scalar_type(), /*non_blocking=*/false, copied);
}

void Reduction::finish(const at::Tensor& result, const at::Tensor& to, int ranks) const {
    if (averaged) result.div_(ranks);
    if (!result.is_same(to)) to.copy_(result);
}

at::Tensor joined(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> flat;
    for (const at::Tensor& tensor : tensors) flat.push_back(tensor.view({-1}));
    return at::cat(flat);
}

void split(const at::Tensor& joined, const std::vector<at::Tensor>& tensors) {
    std::int64_t begin = 0;
    for (const at::Tensor& tensor : tensors) {
        tensor.view({-1}).copy_(joined.narrow(0, begin, tensor.numel()));
        begin += tensor.numel();
    }
}

}  // namespace espalier::torch
