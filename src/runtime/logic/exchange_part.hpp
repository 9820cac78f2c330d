#pragma once

#include "core/matrix.hpp"
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

/// One rank's part of a planned total exchange, and what the plan promises. Every other rank is
/// there once, whatever it had to bring when the plan was made: an order is good for any sizes.
struct ExchangePart {
    struct Send {
        std::size_t to = 0;
        simulate::MessageCost cost;  ///< as planned
    };
    /// Why there is no plan, and MPI's own algorithm runs; empty where there is one.
    std::string refusal;
    std::string algorithm;
    /// Simulated until the last rank is done; nullopt where there are too many messages for that.
    std::optional<Seconds> predicted;
    Seconds bound;          ///< seconds that no exchange beats, in the same model
    std::size_t ports = 1;  ///< messages that a rank sends at once
    std::vector<Send> sends;
    std::vector<std::size_t> receives;  ///< senders
    std::vector<Program::Barrier> barriers;
    bool tries_native = false;  ///< MPI's own is tried by turns with it

    [[nodiscard]] bool is_native() const { return !refusal.empty(); }
};

/// Plans an exchange between the ranks at `places`, the row sending to the column, for each rank
/// its part. Unless `choice` names an algorithm or a number of ports, everything is sent at once,
/// or else one message after the other, whichever is over first by simulation. Sending several
/// messages at once, a host has no more bandwidth than one of them has alone. Never throws: what
/// can't be planned is refused, with the reason.
[[nodiscard]] std::vector<ExchangePart> plan_exchange_parts(
    const network::GridView& view, const std::vector<network::GridView::Place>& places,
    const Matrix<Bytes>& sizes, const AlgorithmChoice& choice);

/// A part as words to be sent, and back.
[[nodiscard]] std::vector<std::uint64_t> encode(const ExchangePart& part);
[[nodiscard]] ExchangePart decode_exchange_part(std::span<const std::uint64_t> words);

/// What `rank` does: block r of the input goes to rank r, and what comes from it is block r of the
/// output, its own block included.
[[nodiscard]] Program compile(const ExchangePart& part, std::size_t rank);

}  // namespace espalier::runtime
