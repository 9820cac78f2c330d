#pragma once

#include <ATen/ATen.h>
#include <mpi.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include <string>
#include <vector>

namespace espalier::torch {

/// Throws, in one line, if MPI can't be handed the tensor's memory: it is not the CPU's, sparse,
/// quantised, or not contiguous. `call` begins the line.
void require_dense(const at::Tensor& tensor, const std::string& call);

/// The tensor of a call that takes one of each rank. Throws where there are others, or none.
[[nodiscard]] const at::Tensor& only(const std::vector<at::Tensor>& tensors, const char* call);

/// "12 float", as it stands in messages.
[[nodiscard]] std::string describe(const at::Tensor& tensor);

/// What moves elements of the tensor's size, whatever they are.
[[nodiscard]] MPI_Datatype carrier(const at::Tensor& tensor);

/// How tensors of a type are reduced by an operation. MPI's own types and operators alone:
/// float16 and bfloat16 are added up as float32, and rounded once, at the end.
struct Reduction {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    bool widened = false;
    bool averaged = false;
    const char* name = "";

    /// Throws, in one line, where there is no such reduction.
    [[nodiscard]] static Reduction of(at::ScalarType type, const c10d::ReduceOp& op);

    /// The operand as MPI is given it: a copy of its own where `widened` or `copied`.
    [[nodiscard]] at::Tensor operand(const at::Tensor& tensor, bool copied) const;
    /// What MPI made of operands, of `ranks` ranks, into `to`.
    void finish(const at::Tensor& result, const at::Tensor& to, int ranks) const;
};

/// All elements one after the other, in memory of their own.
[[nodiscard]] at::Tensor joined(const std::vector<at::Tensor>& tensors);
/// The reverse.
void split(const at::Tensor& joined, const std::vector<at::Tensor>& tensors);

}  // namespace espalier::torch
