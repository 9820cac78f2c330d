#pragma once

#include "core/meter.hpp"
#include "sender/deadline_table.hpp"
#include "sender/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace espalier::sender {

/// Searches all schedules that are over before a deadline, depth first, the earliest slot next
/// (of a reduction backwards in time, the latest). Prices are sought anew in every state; a state
/// is given up where at some prices its slots are worth less than the nodes that are left, or where
/// one that was no worse has failed.
class DeadlineSearch {
public:
    DeadlineSearch(const TickProblem& problem, Ticks longest, const Meter& meter,
                   std::uint64_t most_work);

    enum class Answer { found, none, unknown };
    /// Is anything over before `deadline`? It must be at most the longest. `most_nodes`: of the
    /// search, until the answer is unknown.
    [[nodiscard]] Answer search(Ticks deadline, std::uint64_t most_nodes, Effort& effort);
    /// What was found.
    [[nodiscard]] const Sequence& sequence() const { return found_; }

    /// The least deadline before which prices alone do not exclude that all is over, within `step`.
    [[nodiscard]] Ticks bound(Ticks low, Ticks high, Ticks step);

private:
    struct Slots {
        Ticks left = 0;                                ///< until the deadline
        std::uint16_t sender = DeadlineTable::nobody;  ///< who sends on after this; or none
        std::uint32_t count = 0;
    };
    struct State {
        std::vector<std::uint32_t> nodes;  ///< left, of each class
        std::size_t total = 0;
        std::vector<Slots> open;
        std::vector<double> price;
    };
    struct Placed {
        Ticks left;
        std::size_t class_index;
    };
    /// What is open, sender by sender, the most time first.
    using Openings = std::vector<std::pair<std::uint16_t, Ticks>>;

    [[nodiscard]] State first_state(Ticks deadline) const;
    [[nodiscard]] bool enough_streams(const State& state) const;
    /// False where the state is hopeless. Leaves its best prices in it and in the table.
    bool assess(State& state, std::size_t most_passes);
    double surplus_of(const State& state, std::span<const double> price);
    void improve_price(const State& state, double surplus, std::vector<double>& price);
    [[nodiscard]] std::vector<std::size_t> classes_for(const State& state, Ticks left) const;
    Answer explore(State& state);
    [[nodiscard]] State place(const State& state, std::size_t open, std::size_t c) const;
    static void add(std::vector<Slots>& open, Slots slots);
    [[nodiscard]] bool known_failure(const State& state);
    void keep_failure(const State& state);
    [[nodiscard]] static Openings openings_of(const State& state);
    [[nodiscard]] std::uint64_t key_of(const State& state) const;
    void keep_sequence(const State& state);

    const TickProblem& problem_;
    const Meter& meter_;
    DeadlineTable table_;
    std::uint64_t work_left_;
    std::uint64_t nodes_left_ = 0;
    Effort* effort_ = nullptr;
    std::vector<Placed> path_;
    std::vector<std::size_t> able_;
    std::vector<double> used_;
    std::vector<double> direction_;
    double surplus_ = 0;
    std::unordered_map<std::uint64_t, std::vector<Openings>> failures_;
    std::size_t kept_ = 0;
    Sequence found_;
};

}  // namespace espalier::sender
