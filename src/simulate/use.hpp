#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::simulate {

/// Whether a < b by more than times lose when a file states them in decimal.
[[nodiscard]] bool clearly_less(double a, double b);

/// What something takes of a capacity while it lasts: a port, a node, or bytes to be moved between
/// `start` and `end`.
struct Use {
    double start = 0;
    double end = 0;
    double amount = 0;
    std::size_t transfer = 0;  ///< or whatever else it is by which one can name it
    double rounding =
        0;  ///< by how much `end`, where it is a difference of times, may be too early
};

/// Of a capacity that is held while a use lasts: the index in `uses` of the first with which more
/// than `limit` is held at once. What ends when another starts makes room for it.
[[nodiscard]] std::optional<std::size_t> find_crowd(const std::vector<Use>& uses, double limit);

/// Of a capacity that is a rate: the index in `uses` of one with which more must be moved within
/// some interval than it carries. Necessary for any way of sharing it, and sufficient, since what
/// has until `end` can wait.
[[nodiscard]] std::optional<std::size_t> find_overload(const std::vector<Use>& uses, double limit);

}  // namespace espalier::simulate
