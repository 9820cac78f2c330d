#pragma once

#include "core/random.hpp"
#include "runtime/logic/rank_program.hpp"
#include "schedule/collective.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime::test {

/// An item of a collective, as RankProgram::Chunk names it, and how many units of it there are.
using Item = std::pair<std::size_t, std::size_t>;
using Units = std::map<Item, std::uint64_t>;

/// The items of a collective and whose they are, by its definition.
[[nodiscard]] std::vector<Item> items_of(const schedule::Collective& collective);

/// Ranks that do their programs in any order that MPI and an executor could do them in: an MPI in
/// little. Messages of a pair are matched in order; sends overtake those to other ranks. Some are
/// taken from their memory when they are sent, others only when their receive is there; what is
/// copied lands in its place at any time after its receive is posted. Data is text: of what is
/// combined, the ranks in their order, in brackets as they were combined.
class RankMachine {
public:
    RankMachine(const schedule::Collective& collective, std::vector<RankProgram> programs,
                Units units, std::uint64_t seed);

    /// Whether all ranks came to their end, with what the collective promises each of them.
    [[nodiscard]] testing::AssertionResult run();

private:
    struct Cell {
        std::uint64_t unit = 0;  ///< of its item
        std::string text;        ///< empty: nothing is there
    };
    struct Part {
        Item item;
        RankProgram::Run run;
    };
    struct Packet {
        std::size_t send = 0;  ///< of its sender
        bool taken = false;
        std::vector<Cell> cells;
    };
    enum class State { waits, posted, arrived, over };
    struct Rank {
        RankProgram program;
        std::map<Item, std::vector<Cell>> memory{};
        std::map<Item, std::vector<Cell>> result{};  ///< of an exscan
        std::vector<State> receives{};
        std::vector<std::vector<Cell>> buffers{};  ///< what arrived to be combined
        std::vector<char> issued{};                ///< sends
        std::vector<char> left{};                  ///< sends
        std::size_t barriers = 0;                  ///< passed
        bool begun = false;
    };
    struct Wire {
        std::deque<Packet> packets;
        std::deque<std::size_t> posted;  ///< receives
    };

    [[nodiscard]] std::uint64_t units(const Item& item) const;
    void fill(std::size_t index);
    [[nodiscard]] std::vector<Part> parts_of(const Rank& rank,
                                             const RankProgram::Message& message) const;
    [[nodiscard]] bool travels(const Rank& rank, const RankProgram::Message& message) const;
    bool step(std::size_t index);
    bool meet();
    bool post_receives(std::size_t index);
    bool send_next(std::size_t index);
    bool take(std::size_t from, std::size_t to);
    bool deliver(std::size_t from, std::size_t to);
    bool combine(std::size_t index);
    [[nodiscard]] bool may_land(const Rank& rank, const RankProgram::Receive& receive) const;
    [[nodiscard]] bool is_done(const Rank& rank) const;
    [[nodiscard]] std::vector<Cell> read(std::size_t index, std::size_t send) const;
    void write(std::size_t index, std::size_t receive, const std::vector<Cell>& cells);
    [[nodiscard]] testing::AssertionResult check(std::size_t index) const;
    [[nodiscard]] testing::AssertionResult check_items(std::size_t index) const;

    schedule::Collective collective_;
    Units units_;
    Random random_;
    std::vector<Rank> ranks_;
    std::map<std::pair<std::size_t, std::size_t>, Wire> wires_;
};

}  // namespace espalier::runtime::test
