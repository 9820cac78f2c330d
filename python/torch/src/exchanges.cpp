#include "process_group.hpp"

namespace espalier::torch {

namespace {

/// Counts and displacements of tensors that lie one after the other.
struct Blocks {
    std::vector<int> counts;
    std::vector<int> begins;

    explicit Blocks(const std::vector<at::Tensor>& tensors) {
        std::int64_t begin = 0;
        for (const at::Tensor& tensor : tensors) {
            begins.push_back(count_of(begin));
            counts.push_back(count_of(tensor.numel()));
            begin += tensor.numel();
        }
    }
};

/// Rows of a tensor, for each rank as many as it says, or as all others.
std::vector<at::Tensor> rows_of(const at::Tensor& tensor, const std::vector<std::int64_t>& splits,
                                int ranks) {
    const std::int64_t rows = tensor.dim() == 0 ? 0 : tensor.size(0);
    std::vector<std::int64_t> counts = splits;
    if (counts.empty()) counts.assign(static_cast<std::size_t>(ranks), rows / ranks);
    std::int64_t begin = 0;
    std::vector<at::Tensor> parts;
    for (const std::int64_t count : counts) {
        if (count < 0 || begin + count > rows) break;
        parts.push_back(tensor.dim() == 0 ? tensor : tensor.narrow(0, begin, count));
        begin += count;
    }
    if (parts.size() != static_cast<std::size_t>(ranks) || parts.size() != counts.size() ||
        begin != rows)
        refuse("all-to-all: " + std::to_string(rows) + " rows are not what " +
               std::to_string(ranks) + " ranks get by the splits");
    return parts;
}

}  // namespace

ProcessGroup::Pointer ProcessGroup::exchange(c10d::OpType type, const std::string& call,
                                             const Tensors& outputs, const Tensors& inputs,
                                             Milliseconds timeout) {
    for (const Tensors* tensors : {&outputs, &inputs}) {
        if (tensors->size() != static_cast<std::size_t>(size_))
            refuse("all-to-all: a tensor for each of the " + std::to_string(size_) +
                   " ranks, not " + std::to_string(tensors->size()));
        for (const Tensor& tensor : *tensors) {
            require_dense(tensor, "all-to-all");
            if (tensor.scalar_type() != outputs.front().scalar_type())
                refuse("all-to-all of " + describe(tensor) + " beside " +
                       describe(outputs.front()));
        }
    }
    return queue(
        type, call, outputs,
        [=](Shared& on) {
            const Blocks to(outputs);
            const Blocks from(inputs);
            const Tensor sent = joined(inputs);
            const Tensor received = at::empty_like(joined(outputs));
            check(MPI_Alltoallv(sent.data_ptr(), from.counts.data(), from.begins.data(),
                                carrier(sent), received.data_ptr(), to.counts.data(),
                                to.begins.data(), carrier(sent), on.calls.get()));
            split(received, outputs);
        },
        timeout);
}

ProcessGroup::Pointer ProcessGroup::alltoall(Tensors& outputs, Tensors& inputs,
                                             const c10d::AllToAllOptions& options) {
    const std::string type =
        outputs.empty() ? "nothing" : c10::toString(outputs.front().scalar_type());
    return exchange(c10d::OpType::ALLTOALL, "all-to-all of " + type, outputs, inputs,
                    options.timeout);
}

ProcessGroup::Pointer ProcessGroup::alltoall_base(Tensor& output, Tensor& input,
                                                  std::vector<std::int64_t>& output_splits,
                                                  std::vector<std::int64_t>& input_splits,
                                                  const c10d::AllToAllOptions& options) {
    require_dense(input, "all-to-all");
    require_dense(output, "all-to-all");
    if (output.scalar_type() != input.scalar_type())
        refuse("all-to-all of " + describe(input) + " into " + describe(output));
    const Tensors to = rows_of(output, output_splits, size_);
    const Tensors from = rows_of(input, input_splits, size_);
    if (!output_splits.empty() || !input_splits.empty())
        return exchange(c10d::OpType::ALLTOALL_BASE,
                        std::string("uneven all-to-all of ") + c10::toString(input.scalar_type()),
                        to, from, options.timeout);
    if (output.numel() != input.numel())
        refuse("all-to-all of " + describe(input) + " into " + describe(output));
    return queue(
        c10d::OpType::ALLTOALL_BASE, "all-to-all of " + describe(input), {output},
        [sent = input, received = output](Shared& on) {
            const int count = count_of(sent.numel() / on.size);
            check(MPI_Alltoall(sent.data_ptr(), count, carrier(sent), received.data_ptr(), count,
                               carrier(sent), on.calls.get()));
        },
        options.timeout);
}

}  // namespace espalier::torch
