#pragma once

#include "runtime/logic/program.hpp"
#include "runtime/memory.hpp"
#include "runtime/pacer.hpp"

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace espalier::runtime {

/// Moves the bytes of a program. Receives are posted before anything is sent; sends go out in the
/// program's order, each as soon as what it carries is there; what waits, waits inside MPI. A rank
/// that waits for a send to leave goes on taking in what arrives, so that ranks can't wait for each
/// other's receives in a circle. Blocks that are empty do not travel. Keeps its own memory from
/// call to call.
class Executor {
public:
    /// All of `program`, in `memory`, over a communicator that nobody else uses meanwhile and whose
    /// errors are returned. Throws MpiFailure; nothing is under way then.
    void run(const Program& program, const Memory& memory, MPI_Comm comm);

private:
    void perform();
    void copy(const Program::Copy& copy);
    void meet(const Program::Barrier& barrier);
    void post_receives();
    void wait_for_receive(std::size_t index);
    void wait_for_sends();
    void make_room_for_send();
    void send(const Program::Send& send);
    void give_up();
    [[nodiscard]] Memory::Place place(const Program::Part& part);

    const Program* program_ = nullptr;
    const Memory* memory_ = nullptr;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::vector<MPI_Request> receives_;
    std::vector<MPI_Request> sends_;  ///< under way
    std::size_t posted_ = 0;          ///< receives [0, posted_) are posted
    std::size_t done_ = 0;            ///< receives [0, done_) are over
    std::vector<std::byte> scratch_;
    Pacer pacer_;
};

}  // namespace espalier::runtime
