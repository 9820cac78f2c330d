#pragma once

#include "runtime/element.hpp"
#include "runtime/logic/rank_program.hpp"
#include "runtime/operands.hpp"
#include "runtime/seat.hpp"
#include "runtime/staging.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace espalier::runtime {

/// Whether something arrives in it, for each chunk of a program.
[[nodiscard]] std::vector<bool> written_chunks(const RankProgram& program);

/// The places of a program's chunks in memory during one call. What the program's memory holds in
/// order, as bytes or as elements to be combined, stays there; copies whose type has holes, or an
/// order of its own, are packed and unpacked; what a rank only relays or combines on behalf of
/// others is staged, chunk after chunk, so that several of them are one run.
class Layout {
public:
    /// Brings in what this rank contributes. Throws MpiFailure.
    /// `written` is what written_chunks(program) says; all have to outlive it.
    Layout(const Operands& operands, const RankProgram& program, const std::vector<bool>& written,
           const Seat& seat, Staging& staging);

    /// A part of a message that is in one chunk.
    struct Piece {
        Run run;                                 ///< in units
        std::uint64_t first = 0;                 ///< its first unit's index in its item
        std::byte* address_of_result = nullptr;  ///< of an exscan: where the result goes
    };
    /// Finds the pieces of a message, chunk by chunk; chunks without data are left out.
    void find(const RankProgram::Message& message, std::vector<Piece>& pieces) const;
    [[nodiscard]] std::uint64_t units(const RankProgram::Message& message) const;
    /// Whether the message is sent: it has units, or it has none because it only coordinates.
    [[nodiscard]] bool travels(const RankProgram::Message& message) const;
    /// The units as MPI is told of them.
    [[nodiscard]] const Element& unit() const { return unit_; }
    [[nodiscard]] const Seat& seat() const { return seat_; }
    [[nodiscard]] MPI_Op op() const { return operands_.op; }
    [[nodiscard]] bool is_exscan() const { return operands_.kind == schedule::Kind::exscan; }

    /// Moves what stays with this rank; at any time. Throws MpiFailure.
    void keep_own();
    /// Brings out what arrived. Throws MpiFailure.
    void finish();
    /// Gives up the memory lent to this call after a failure: it is not lent again, since messages
    /// may still be sent from it.
    void abandon() {
        bytes_memory_.abandon();
        sums_memory_.abandon();
        is_abandoned_ = true;
    }
    [[nodiscard]] bool is_abandoned() const { return is_abandoned_; }

private:
    enum class Where { input, output, relay, sum };
    struct Home {
        Where where = Where::relay;
        std::size_t block = 0;
    };
    struct Chunk {
        Home home;
        std::uint64_t item = 0;  ///< units of its item
        std::uint64_t first = 0;
        std::uint64_t units = 0;
        std::byte* address = nullptr;  ///< of its first unit
    };
    /// A block that is packed: of the input, or of the output.
    struct Packed {
        Home home;
        std::uint64_t offset = 0;
    };

    void add_piece(const Chunk& chunk, std::uint64_t begin, std::uint64_t end,
                   std::vector<Piece>& pieces) const;
    void choose_sides();
    [[nodiscard]] Home home_of(const RankProgram::Chunk& chunk, bool written) const;
    [[nodiscard]] Home home_of_copy(std::size_t source, std::size_t target) const;
    [[nodiscard]] std::uint64_t units_of_item(const Home& home) const;
    [[nodiscard]] const Area& area(Where where) const {
        return where == Where::output ? output_ : input_;
    }
    [[nodiscard]] bool is_packed(const Home& home) const;
    [[nodiscard]] std::uint64_t packed_offset(const Home& home);
    void place_chunks();
    void bring_in();
    [[nodiscard]] bool is_brought_in(const Home& home) const;
    void copy_own(std::size_t from, std::size_t to);

    const Operands& operands_;
    const RankProgram& program_;
    const Seat& seat_;
    const std::size_t me_;
    const bool combines_;
    bool in_place_ = false;
    Area input_;
    Area output_;
    Element unit_;
    std::vector<Chunk> chunks_;
    std::vector<Packed> packed_;
    std::uint64_t bytes_ = 0;     ///< packed or relayed
    std::uint64_t elements_ = 0;  ///< of sums
    Staging::Loan bytes_memory_;
    Staging::Loan sums_memory_;
    bool is_abandoned_ = false;
};

}  // namespace espalier::runtime
