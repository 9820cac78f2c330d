#pragma once

#include "runtime/coverage.hpp"
#include "runtime/layout.hpp"
#include "runtime/logic/rank_program.hpp"
#include "runtime/pacer.hpp"
#include "runtime/staging.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::runtime {

/// Moves the bytes of a program. Receives are posted ahead, in the program's order; sends go out in
/// the program's order, each as soon as what it carries is there; what waits, waits inside MPI.
/// What is to be combined lands in memory of its own, as much of it as a limit allows, and is
/// combined in the program's order, whenever it came. A rank that waits for a send to leave goes on
/// taking in what arrives, so that ranks can't wait for each other's receives in a circle. Parts
/// without data do not travel. Keeps its own tables from call to call.
class Executor {
public:
    /// All of `program`, in `layout`, over the communicator of its seat, which nobody else uses
    /// meanwhile and whose errors are returned. Throws MpiFailure; nothing is under way then.
    void run(const RankProgram& program, bool ordered, Layout& layout, Staging& staging);

    /// How many programs it has begun.
    [[nodiscard]] std::uint64_t runs() const { return begun_; }

private:
    void prepare_slots(Staging& staging);
    void perform();
    void meet(const RankProgram::Barrier& barrier);
    void post_receives();
    [[nodiscard]] bool post_next();
    void unblock();
    void complete(std::size_t receive);
    void combine(std::size_t receive);
    void add_to_result(const Layout::Piece& piece, std::byte* incoming);
    void reduce(std::byte* incoming, std::byte* held, std::uint64_t count);
    void send(std::size_t index);
    void make_room_for_send();
    [[nodiscard]] bool has_left(std::size_t send);
    void wait_for_send(std::size_t send);
    void wait_for_sends();
    [[nodiscard]] bool may_be_completed(std::size_t receive) const;
    void retire(std::size_t under_way);
    void give_up();
    [[nodiscard]] Place place_of(const RankProgram::Message& message);

    std::uint64_t begun_ = 0;
    const RankProgram* program_ = nullptr;
    Layout* layout_ = nullptr;
    bool ordered_ = false;
    MPI_Comm comm_ = MPI_COMM_NULL;

    std::vector<MPI_Request> receives_;
    std::vector<char> received_;          ///< and combined
    std::size_t posted_ = 0;              ///< receives [0, posted_) are posted
    std::size_t first_open_ = 0;          ///< receives [0, first_open_) are over
    std::vector<MPI_Request> under_way_;  ///< sends
    std::vector<std::size_t> which_;      ///< of the program they are
    std::vector<char> left_;              ///< sends that are over

    /// Where what is to be combined arrives: slots of one size.
    Staging::Loan slots_memory_;
    std::size_t slot_bytes_ = 0;
    std::vector<std::size_t> free_slots_;
    std::vector<std::size_t> slot_of_;  ///< of each receive

    Coverage reached_;  ///< of an exscan's result
    std::vector<Layout::Piece> pieces_;
    std::vector<Run> runs_;
    Pacer pacer_;
};

}  // namespace espalier::runtime
