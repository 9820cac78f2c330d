#pragma once

#include "network/network.hpp"
#include "schedule/collective.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::sender {

/// A broadcast or a reduction among nodes that differ only in how long they take to send
/// (liu-2000, liu-2002), as counts of like nodes: nothing is stored per node of a class.
struct Problem {
    struct Class {
        double time = 0;          ///< to send one message, in the network's own unit; > 0
        std::uint64_t count = 0;  ///< >= 1, the root included
    };
    schedule::Kind kind = schedule::Kind::broadcast;  ///< or reduce
    std::vector<Class> classes;                       ///< in strictly increasing order of time
    /// The class of the given root. None: any node may be the root of a broadcast. A reduction
    /// always has one.
    std::optional<std::size_t> root;
    std::size_t ports = 1;  ///< communications that a node takes part in at once

    [[nodiscard]] std::uint64_t nodes() const;
    [[nodiscard]] bool is_broadcast() const { return kind == schedule::Kind::broadcast; }
};

/// `root` is a node of the network. Without one, a broadcast may begin anywhere and a reduction
/// ends in a slowest node, which never sends (liu-2000, section 2). Throws InputError where times
/// are too small, too large or too far apart for sums of them in double precision.
[[nodiscard]] Problem make_problem(const network::SenderNetwork& network, schedule::Kind kind,
                                   std::optional<std::size_t> root, std::size_t ports = 1);

}  // namespace espalier::sender
