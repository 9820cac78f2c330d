#pragma once

#include "network/grid_view.hpp"
#include "runtime/logic/settings.hpp"
#include "runtime/logic/size_class.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace espalier::runtime {

/// What every rank has to know of a plan: the schedule between ranks (without names of nodes), what
/// its messages are expected to cost, and what the plan promises. Made by one rank of a
/// communicator, and told to the others.
struct RankPlan {
    struct Cost {
        simulate::MessageCost first;  ///< of a transfer's first segment, and all of its size
        simulate::MessageCost last;   ///< of its last segment
    };
    schedule::Schedule schedule;
    std::vector<Cost> costs;  ///< one for each transfer
    Seconds predicted;        ///< the simulated makespan of that schedule
    /// Why there is no plan, and MPI's own algorithm runs; empty where there is one.
    std::string refusal;

    [[nodiscard]] bool is_native() const { return !refusal.empty(); }
    /// The most messages that a transfer is cut into.
    [[nodiscard]] std::size_t segments() const;
};

/// Plans a broadcast between the ranks at `places`. `spaced`: see schedule::Schedule. Never throws:
/// what can't be planned is refused, with the reason.
[[nodiscard]] RankPlan plan_job(const network::GridView& view,
                                const std::vector<network::GridView::Place>& places,
                                std::size_t root, Bytes bytes, const AlgorithmChoice& choice,
                                bool spaced);

/// A plan as words to be sent, and back. decode(encode(plan)) says the same, names of nodes apart.
[[nodiscard]] std::vector<std::uint64_t> encode(const RankPlan& plan);
[[nodiscard]] RankPlan decode(std::span<const std::uint64_t> words);

/// The same plan for a message of `bytes`: chunks keep their shares, transfers their segments.
[[nodiscard]] schedule::Schedule fit(const schedule::Schedule& schedule, Bytes bytes);

}  // namespace espalier::runtime
