#pragma once

#include "runtime/coverage.hpp"
#include "runtime/layout.hpp"
#include "runtime/logic/rank_program.hpp"
#include "runtime/logic/send_order.hpp"
#include "runtime/pacer.hpp"
#include "runtime/staging.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::runtime {

/// Moves the bytes of a program. Receives are posted ahead, in the program's order. A send leaves
/// as soon as its data is there and SendOrder lets it. The executor waits inside MPI, for whichever
/// request ends first. An operand that is to be combined arrives in memory of its own, as far as a
/// limit allows. Operands are combined in the program's order, whatever the order in which they
/// arrived. Messages without data are not sent. The executor keeps its tables from call to call.
class Executor {
public:
    /// When the first and the last message of another rank had come, by MPI's clock.
    struct Heard {
        int from = 0;
        double first = 0;
        double last = 0;
    };

    /// Runs all of `program`, in `layout`, with the tag of its seat, which nobody else uses
    /// meanwhile; sets `heard`, where it is given, to whom it heard. Throws MpiFailure; then no
    /// request is pending. Where a message went wrong, it goes on to the end before.
    void run(const RankProgram& program, Layout& layout, Staging& staging,
             std::vector<Heard>* heard = nullptr);

    /// The same without waiting: begin() does what can be done at once, poll() what can be done
    /// since, and returns whether the program is over. `program`, `layout` and `staging` have to
    /// last until then. Both throw MpiFailure.
    void begin(const RankProgram& program, Layout& layout, Staging& staging,
               std::vector<Heard>* heard = nullptr);
    [[nodiscard]] bool poll();

    /// The number of programs that it has begun.
    [[nodiscard]] std::uint64_t runs() const { return begun_; }

private:
    void prepare_slots(Staging& staging);
    void perform();
    template <typename Action>
    void or_give_up(const Action& action);
    [[nodiscard]] bool only_waits() const;
    [[nodiscard]] bool is_over() const;
    void advance();
    [[nodiscard]] bool meet();
    [[nodiscard]] bool post_receives();
    [[nodiscard]] bool post_next();
    [[nodiscard]] bool may_land(const RankProgram::Receive& receive) const;
    void watch_revocation();
    void watch(std::size_t receive, MPI_Request request);
    void take_in_any();
    [[nodiscard]] bool take_in_one();
    void take_in(int place, int code);
    void arrive(std::size_t receive);
    void note(int from);
    void watch_next(std::size_t receive);
    [[nodiscard]] bool combine_arrived();
    void combine(std::size_t receive);
    void add_to_result(const Layout::Piece& piece, std::byte* incoming);
    void reduce(std::byte* incoming, std::byte* held, std::uint64_t count);
    void finish_receive(std::size_t receive);
    [[nodiscard]] bool send_what_can_go();
    void send(std::size_t index);
    void wait_for_all();
    void end_watching_revocation();
    void note_failure(int code);
    void give_up();
    [[nodiscard]] Place place_of(const RankProgram::Message& message);

    /// A request of MPI's that is waited for.
    struct Watched {
        bool is_send = false;
        std::size_t index = 0;
    };

    std::uint64_t begun_ = 0;
    const RankProgram* program_ = nullptr;
    Layout* layout_ = nullptr;
    std::vector<Heard>* heard_ = nullptr;

    SendOrder order_;
    std::vector<MPI_Request> receives_;   ///< posted, behind one from the same rank
    std::vector<char> received_;          ///< and combined
    std::size_t posted_ = 0;              ///< receives [0, posted_) are posted
    std::size_t first_open_ = 0;          ///< receives [0, first_open_) are over
    std::vector<std::size_t> next_from_;  ///< the next receive from the same rank
    std::vector<char> is_next_;           ///< all from the same rank before it have come
    std::vector<std::size_t> arrived_;    ///< to be combined, ascending
    std::size_t to_combine_ = 0;          ///< receives that are not combined yet
    std::vector<MPI_Request> requests_;   ///< sends, and the next receive from each rank
    std::vector<Watched> watched_;        ///< what each of them is
    bool may_be_revoked_ = false;         ///< the first of them waits for that
    int failure_ = MPI_SUCCESS;           ///< of the first message that went wrong

    /// Memory for arriving data that is to be combined: slots of one size.
    Staging::Loan slots_memory_;
    std::size_t slot_bytes_ = 0;
    std::vector<std::size_t> free_slots_;
    std::vector<std::size_t> slot_of_;  ///< of each receive

    Coverage reached_;  ///< of an exscan's result
    std::vector<Layout::Piece> pieces_;
    std::vector<Run> runs_;
    std::vector<std::size_t> firsts_;   ///< working space
    std::vector<std::size_t> scratch_;  ///< working space
    Pacer pacer_;
};

}  // namespace espalier::runtime
