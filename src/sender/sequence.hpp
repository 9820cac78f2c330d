#pragma once

#include "schedule/schedule.hpp"
#include "sender/problem.hpp"
#include "sender/ticks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace espalier::sender {

/// A number of consecutive nodes of one class.
struct Run {
    std::size_t class_index = 0;
    std::uint64_t count = 0;
    friend bool operator==(const Run&, const Run&) = default;
};

/// A schedule without delay, in its canonical form: the classes in the order in which their nodes
/// receive (broadcast; liu-2002, section 4) or start to send (reduction; liu-2000, section 3). The
/// root is apart, and in no run.
struct Sequence {
    std::size_t root = 0;  ///< its class
    std::vector<Run> runs;
    /// Adds nodes at the end; it may be none.
    void add(std::size_t class_index, std::uint64_t count);
    friend bool operator==(const Sequence&, const Sequence&) = default;
};

/// The sequence of all nodes in the order of their classes, from the given root or a fastest node.
[[nodiscard]] Sequence fastest_first(const Problem& problem);

/// Nodes of one class that receive, or start to send, at one time.
template <typename Time>
struct Wave {
    Time at = 0;
    Run run;
};

/// The times of a sequence in which all nodes act as early as possible. In a broadcast, a node that
/// holds the message sends without pause, the earliest delivery to the next node in the sequence;
/// in a reduction the next node starts as soon as it and a receiver are free (liu-2000, algorithm
/// EP). `waves` are in the order of the sequence; runs that act at several times are cut.
template <typename Time>
struct Course {
    std::vector<Wave<Time>> waves;
    Time makespan = 0;
};

/// `time` is the sending time of each class, in any unit.
[[nodiscard]] Course<double> run_course(const Problem& problem, const Sequence& sequence,
                                        std::span<const double> time);
[[nodiscard]] Course<Ticks> run_course(const Problem& problem, const Sequence& sequence,
                                       std::span<const Ticks> time);
/// The makespan in the network's own unit.
[[nodiscard]] double makespan_of(const Problem& problem, const Sequence& sequence);

/// The same, node by node, from a node of the root's class. Takes memory for every node.
[[nodiscard]] schedule::Schedule to_schedule(const Problem& problem, const Sequence& sequence,
                                             const network::SenderNetwork& network,
                                             std::size_t root);

}  // namespace espalier::sender
