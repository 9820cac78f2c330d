#pragma once

#include "mpi.hpp"
#include "operands.hpp"
#include "queue.hpp"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace espalier::torch {

/// A process group whose collectives are MPI's, on communicators of its own, and so Espalier's.
/// Calls of one group are done in order, those of several side by side.
class ProcessGroup : public c10d::ProcessGroup {
public:
    using Tensor = at::Tensor;
    using Tensors = std::vector<at::Tensor>;
    using Pointer = c10::intrusive_ptr<c10d::Work>;

    /// `members`: ranks of MPI_COMM_WORLD, of which this process is the `rank`th; all of them where
    /// empty. Collective over them. Throws where MPI says otherwise.
    ProcessGroup(int rank, int size, const std::vector<int>& members, Milliseconds timeout);
    ~ProcessGroup() override;

    const std::string getBackendName() const override { return "espalier"; }
#if ESPALIER_TORCH_MAJOR >= 2
    const std::string& getGroupName() const override { return name_; }
    void setGroupName(const std::string& name) override { name_ = name; }
#endif

    Pointer broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
    Pointer allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
    Pointer allreduce_coalesced(Tensors& tensors,
                                const c10d::AllreduceCoalescedOptions& options) override;
    Pointer reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
    Pointer allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                      const c10d::AllgatherOptions& options) override;
    Pointer _allgather_base(Tensor& output, Tensor& input,
                            const c10d::AllgatherOptions& options) override;
    Pointer allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                const c10d::AllgatherOptions& options) override;
    Pointer gather(std::vector<Tensors>& outputs, Tensors& inputs,
                   const c10d::GatherOptions& options) override;
    Pointer scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                    const c10d::ScatterOptions& options) override;
    Pointer reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                           const c10d::ReduceScatterOptions& options) override;
    Pointer _reduce_scatter_base(Tensor& output, Tensor& input,
                                 const c10d::ReduceScatterOptions& options) override;
    Pointer alltoall_base(Tensor& output, Tensor& input, std::vector<std::int64_t>& output_splits,
                          std::vector<std::int64_t>& input_splits,
                          const c10d::AllToAllOptions& options) override;
    Pointer alltoall(Tensors& outputs, Tensors& inputs,
                     const c10d::AllToAllOptions& options) override;
    Pointer send(Tensors& tensors, int to, int tag) override;
    Pointer recv(Tensors& tensors, int from, int tag) override;
    Pointer recvAnysource(Tensors& tensors, int tag) override;
    Pointer barrier(const c10d::BarrierOptions& options) override;

    /// Waits for all that is queued, and ends. False where something was late.
    bool close();
    /// Closes all groups of this process. False where something was late.
    static bool close_all();

private:
    /// What a thread that is stuck in MPI may still use.
    struct Shared {
        Communicator calls;   ///< for the calls themselves
        Communicator checks;  ///< for what ranks must agree on
        std::unordered_set<std::string> agreed;
        int size = 0;
        bool always = false;  ///< TORCH_DISTRIBUTED_DEBUG=DETAIL

        /// Throws where ranks differ in `call`. Communicates when a call is the first of its kind,
        /// or always.
        void agree(const std::string& call);
    };

    [[nodiscard]] Pointer queue(c10d::OpType type, std::string call, Tensors outputs,
                                std::function<void(Shared&)> run, Milliseconds timeout);
    [[nodiscard]] Pointer exchange(c10d::OpType type, const std::string& call,
                                   const Tensors& outputs, const Tensors& inputs,
                                   Milliseconds timeout);
    /// Refuses what is not a tensor like `like` for each rank.
    void check_blocks(const std::string& call, const Tensors& blocks, const Tensor& like) const;
    [[nodiscard]] Pointer receive(c10d::OpType type, Tensors& tensors, int from, int tag);
    [[nodiscard]] int peer(const char* call, int rank) const;

    std::string name_;  ///< that torch, from 2 on, knows it by
    const Milliseconds timeout_;
    std::shared_ptr<Shared> shared_;
    Queue queue_;
};

}  // namespace espalier::torch
