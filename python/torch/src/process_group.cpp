#include "process_group.hpp"

#include <array>
#include <mutex>
#include <utility>

namespace espalier::torch {

namespace {

/// All groups of the process that are there, to be closed before MPI is.
std::mutex registering;
std::unordered_set<ProcessGroup*> groups;

Communicator communicator_of(const std::vector<int>& members) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_group(MPI_COMM_WORLD, &world));
    check(MPI_Group_incl(world, count_of(static_cast<std::int64_t>(members.size())), members.data(),
                         &group));
    check(MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &made));
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return Communicator(made);
}

std::vector<int> all_ranks(int rank, int size) {
    if (size != world_size() || rank != world_rank())
        refuse("rank " + std::to_string(rank) + " of " + std::to_string(size) + " is rank " +
               std::to_string(world_rank()) + " of " + std::to_string(world_size()) +
               " to MPI; start the program by mpirun, with torch's ranks as MPI's or unset");
    std::vector<int> all;
    for (int each = 0; each < size; ++each) all.push_back(each);
    return all;
}

}  // namespace

void ProcessGroup::Shared::agree(const std::string& call) {
    if (!always && agreed.count(call) > 0) return;
    const std::uint64_t mark = std::hash<std::string>{}(call);
    std::array<std::uint64_t, 2> marks{mark, ~mark};
    check(MPI_Allreduce(MPI_IN_PLACE, marks.data(), 2, MPI_UINT64_T, MPI_MAX, checks.get()));
    if (marks[0] != mark || marks[1] != ~mark)
        refuse("ranks differ in what they call: here it is " + call);
    agreed.insert(call);
}

ProcessGroup::ProcessGroup(int rank, int size, const std::vector<int>& members,
                           Milliseconds timeout)
    : c10d::ProcessGroup(rank, size),
      timeout_(timeout),
      shared_(std::make_shared<Shared>([&] {
          Communicator calls = communicator_of(members.empty() ? all_ranks(rank, size) : members);
          Communicator checks = calls.duplicate();
          return Shared{std::move(calls),
                        std::move(checks),
                        {},
                        size,
                        c10d::debug_level() == c10d::DebugLevel::Detail};
      }())),
      queue_([shared = shared_](CollectiveWork& work) {
          const at::NoGradGuard no_gradients;
          shared->agree(work.call());
          work.run();
      }) {
    const std::scoped_lock lock(registering);
    groups.insert(this);
}

ProcessGroup::~ProcessGroup() {
    {
        const std::scoped_lock lock(registering);
        groups.erase(this);
    }
    close();
}

bool ProcessGroup::close() {
    const bool in_time = queue_.close();
    if (!in_time) {
        shared_->calls.leak();
        shared_->checks.leak();
    }
    return in_time;
}

bool ProcessGroup::close_all() {
    const std::scoped_lock lock(registering);
    bool in_time = true;
    for (ProcessGroup* group : groups) in_time = group->close() && in_time;
    return in_time;
}

ProcessGroup::Pointer ProcessGroup::queue(c10d::OpType type, std::string call, Tensors outputs,
                                          std::function<void(Shared&)> run, Milliseconds timeout) {
    auto work = c10::make_intrusive<CollectiveWork>(
        type, std::move(call), std::move(outputs),
        [shared = shared_, run = std::move(run)] { run(*shared); },
        timeout == c10d::kUnsetTimeout ? timeout_ : timeout);
    queue_.push(work);
    return work;
}

void ProcessGroup::check_blocks(const std::string& call, const Tensors& blocks,
                                const Tensor& like) const {
    if (blocks.size() != static_cast<std::size_t>(size_))
        refuse(call + ": a tensor of each of the " + std::to_string(size_) + " ranks, not " +
               std::to_string(blocks.size()));
    for (const Tensor& block : blocks) {
        require_dense(block, call);
        if (block.numel() != like.numel() || block.scalar_type() != like.scalar_type())
            refuse(call + ": a tensor of " + describe(block) + " beside one of " + describe(like));
    }
}

int ProcessGroup::peer(const char* call, int rank) const {
    if (rank < 0 || rank >= size_)
        refuse(std::string(call) + ": no rank " + std::to_string(rank) + " among " +
               std::to_string(size_));
    return rank;
}

ProcessGroup::Pointer ProcessGroup::send(Tensors& tensors, int to, int tag) {
    const Tensor tensor = only(tensors, "send");
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(tensor.data_ptr(), count_of(tensor.numel()), carrier(tensor), peer("send", to),
                    tag, shared_->calls.get(), &request));
    return c10::make_intrusive<MessageWork>(c10d::OpType::SEND, tensor, request, timeout_);
}

ProcessGroup::Pointer ProcessGroup::recv(Tensors& tensors, int from, int tag) {
    return receive(c10d::OpType::RECV, tensors, peer("receive", from), tag);
}

ProcessGroup::Pointer ProcessGroup::recvAnysource(Tensors& tensors, int tag) {
    return receive(c10d::OpType::RECVANYSOURCE, tensors, MPI_ANY_SOURCE, tag);
}

ProcessGroup::Pointer ProcessGroup::receive(c10d::OpType type, Tensors& tensors, int from,
                                            int tag) {
    const Tensor tensor = only(tensors, "receive");
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(tensor.data_ptr(), count_of(tensor.numel()), carrier(tensor), from, tag,
                    shared_->calls.get(), &request));
    return c10::make_intrusive<MessageWork>(type, tensor, request, timeout_);
}

ProcessGroup::Pointer ProcessGroup::barrier(const c10d::BarrierOptions& options) {
    return queue(
        c10d::OpType::BARRIER, "barrier", {},
        [](Shared& on) { check(MPI_Barrier(on.calls.get())); }, options.timeout);
}

}  // namespace espalier::torch
