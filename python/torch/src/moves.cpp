#include "process_group.hpp"

namespace espalier::torch {

namespace {

std::string rooted(const char* call, const at::Tensor& tensor, std::int64_t root) {
    return std::string(call) + " of " + describe(tensor) + ", root " + std::to_string(root);
}

}  // namespace

ProcessGroup::Pointer ProcessGroup::broadcast(Tensors& tensors,
                                              const c10d::BroadcastOptions& options) {
    const Tensor tensor = only(tensors, "broadcast");
    const int root = peer("broadcast", static_cast<int>(options.rootRank));
    return queue(
        c10d::OpType::BROADCAST, rooted("broadcast", tensor, root), {tensor},
        [=](Shared& on) {
            check(MPI_Bcast(tensor.data_ptr(), count_of(tensor.numel()), carrier(tensor), root,
                            on.calls.get()));
        },
        options.timeout);
}

ProcessGroup::Pointer ProcessGroup::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                              const c10d::AllgatherOptions& options) {
    const Tensor input = only(inputs, "all-gather");
    if (outputs.size() != 1) refuse("all-gather takes one list of tensors");
    const Tensors blocks = outputs.front();
    check_blocks("all-gather", blocks, input);
    return queue(
        c10d::OpType::ALLGATHER, "all-gather of " + describe(input), blocks,
        [=](Shared& on) {
            const Tensor all = at::empty({input.numel() * on.size}, input.options());
            const int count = count_of(input.numel());
            check(MPI_Allgather(input.data_ptr(), count, carrier(input), all.data_ptr(), count,
                                carrier(input), on.calls.get()));
            split(all, blocks);
        },
        options.timeout);
}

ProcessGroup::Pointer ProcessGroup::_allgather_base(Tensor& output, Tensor& input,
                                                    const c10d::AllgatherOptions& options) {
    require_dense(input, "all-gather");
    require_dense(output, "all-gather");
    if (output.numel() != input.numel() * size_ || output.scalar_type() != input.scalar_type())
        refuse("all-gather of " + describe(input) + " into " + describe(output));
    return queue(
        c10d::OpType::_ALLGATHER_BASE, "all-gather of " + describe(input), {output},
        [from = input, to = output](Shared& on) {
            const int count = count_of(from.numel());
            // A rank's own block may be where it belongs already.
            const bool in_place = to.numel() > 0 && from.is_alias_of(to);
            if (in_place) {
                int rank = 0;
                check(MPI_Comm_rank(on.calls.get(), &rank));
                Tensor own = to.view({-1}).narrow(0, std::int64_t{count} * rank, count);
                if (own.data_ptr() != from.data_ptr()) own.copy_(from.view({-1}));
            }
            check(MPI_Allgather(in_place ? MPI_IN_PLACE : from.data_ptr(), count, carrier(from),
                                to.data_ptr(), count, carrier(from), on.calls.get()));
        },
        options.timeout);
}

ProcessGroup::Pointer ProcessGroup::allgather_coalesced(std::vector<Tensors>& outputs,
                                                        Tensors& inputs,
                                                        const c10d::AllgatherOptions& options) {
    Tensors bytes;
    std::string call = "joint all-gather of";
    for (const Tensor& input : inputs) {
        require_dense(input, "all-gather");
        bytes.push_back(input.view({-1}).view(at::kByte));
        call += " " + describe(input);
    }
    if (inputs.empty() || outputs.size() != static_cast<std::size_t>(size_))
        refuse("all-gather of lists: a list of tensors of each rank");
    Tensors parts;
    Tensors results;
    for (const Tensors& list : outputs) {
        if (list.size() != inputs.size()) refuse(call + ": a list of other length is to hold it");
        for (std::size_t i = 0; i < list.size(); ++i) {
            require_dense(list[i], "all-gather");
            if (list[i].numel() != inputs[i].numel() ||
                list[i].scalar_type() != inputs[i].scalar_type())
                refuse(call + ": " + describe(list[i]) + " is to hold " + describe(inputs[i]));
            parts.push_back(list[i].view({-1}).view(at::kByte));
            results.push_back(list[i]);
        }
    }
    return queue(
        c10d::OpType::ALLGATHER_COALESCED, call, results,
        [=](Shared& on) {
            const Tensor own = joined(bytes);
            const Tensor all = at::empty({own.numel() * on.size}, own.options());
            const int count = count_of(own.numel());
            check(MPI_Allgather(own.data_ptr(), count, carrier(own), all.data_ptr(), count,
                                carrier(own), on.calls.get()));
            split(all, parts);
        },
        options.timeout);
}

ProcessGroup::Pointer ProcessGroup::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                                           const c10d::GatherOptions& options) {
    const Tensor input = only(inputs, "gather");
    const int root = peer("gather", static_cast<int>(options.rootRank));
    Tensors blocks;
    if (root == rank_) {
        if (outputs.size() != 1) refuse("gather takes one list of tensors at the root");
        blocks = outputs.front();
        check_blocks("gather", blocks, input);
    }
    return queue(
        c10d::OpType::GATHER, rooted("gather", input, root), blocks,
        [=](Shared& on) {
            Tensor all;
            if (!blocks.empty()) all = at::empty({input.numel() * on.size}, input.options());
            const int count = count_of(input.numel());
            check(MPI_Gather(input.data_ptr(), count, carrier(input),
                             all.defined() ? all.data_ptr() : nullptr, count, carrier(input), root,
                             on.calls.get()));
            if (all.defined()) split(all, blocks);
        },
        options.timeout);
}

ProcessGroup::Pointer ProcessGroup::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                            const c10d::ScatterOptions& options) {
    const Tensor output = only(outputs, "scatter");
    const int root = peer("scatter", static_cast<int>(options.rootRank));
    Tensors blocks;
    if (root == rank_) {
        if (inputs.size() != 1) refuse("scatter takes one list of tensors at the root");
        blocks = inputs.front();
        check_blocks("scatter", blocks, output);
    }
    return queue(
        c10d::OpType::SCATTER, rooted("scatter", output, root), {output},
        [=](Shared& on) {
            Tensor all;
            if (!blocks.empty()) all = joined(blocks);
            const int count = count_of(output.numel());
            check(MPI_Scatter(all.defined() ? all.data_ptr() : nullptr, count, carrier(output),
                              output.data_ptr(), count, carrier(output), root, on.calls.get()));
        },
        options.timeout);
}

}  // namespace espalier::torch
