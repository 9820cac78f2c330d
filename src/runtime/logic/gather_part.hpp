#pragma once

#include "network/grid_view.hpp"
#include "runtime/logic/program.hpp"
#include "runtime/logic/settings.hpp"
#include "simulate/fabric.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace espalier::runtime {

/// A planned all-gather round a ring of all ranks, the same for each of them.
struct GatherPart {
    /// Why there is no plan, and MPI's own algorithm runs; empty where there is one.
    std::string refusal;
    std::string algorithm;
    /// Simulated until the last rank is done; nullopt where there are too many messages for that.
    std::optional<Seconds> predicted;
    Seconds bound;                   ///< seconds that no all-gather beats, in the same model
    std::vector<std::size_t> order;  ///< ranks; each sends to the next
    std::vector<simulate::MessageCost> cost;  ///< of a block, from order[place] to the next
    bool tries_native = false;                ///< MPI's own is tried by turns with it

    [[nodiscard]] bool is_native() const { return !refusal.empty(); }
};

/// Plans an all-gather of `block` bytes of each of the ranks at `places`. `only_if_faster`: refused
/// where doubling is predicted to be as fast, which is what libraries do with small blocks: in each
/// of log2(P) rounds every rank sends all that it has. Never throws: what can't be planned is
/// refused, with the reason.
[[nodiscard]] GatherPart plan_gather_part(const network::GridView& view,
                                          const std::vector<network::GridView::Place>& places,
                                          Bytes block, const AlgorithmChoice& choice,
                                          bool only_if_faster);

/// How long doubling takes: the rounds one after the other, each as long as its slowest message, or
/// as all of them from one cluster to another in turn, as over one link. Where they have more than
/// one it takes less; a plan that is not refused for it can still be found slower by trial.
[[nodiscard]] Seconds predict_doubling(const network::GridView& view,
                                       const std::vector<network::GridView::Place>& places,
                                       Bytes block);

/// A part as words to be sent, and back.
[[nodiscard]] std::vector<std::uint64_t> encode(const GatherPart& part);
[[nodiscard]] GatherPart decode_gather_part(std::span<const std::uint64_t> words);

/// What `rank` does: the only block of its input goes to the next rank, then each block that comes
/// from the one before it; block r of the output is rank r's, its own included.
[[nodiscard]] Program compile(const GatherPart& part, std::size_t rank);

}  // namespace espalier::runtime
