#pragma once

#include "schedule/schedule.hpp"

#include <optional>
#include <string>

namespace espalier::schedule {

/// Why a schedule does not do its job: in one line, naming node, chunk and transfer.
struct Violation {
    std::string what;
    std::optional<std::size_t> transfer;
};

/// Replays a schedule between ranks: does every sender hold what it sends, is every contribution
/// combined exactly once (in rank order where the operator is not commutative), and does every node
/// end with what the collective promises it? Looks at no times; nullopt: it does its job.
/// Local parts must have been expanded.
[[nodiscard]] std::optional<Violation> find_violation(const Schedule& schedule);

}  // namespace espalier::schedule
