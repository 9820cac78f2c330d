#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::simulate {

/// How far times may be off, relatively, because a file states them in decimal.
inline constexpr double file_rounding = 1e-9;

/// Whether a < b by more than times lose when a file states them in decimal.
[[nodiscard]] bool clearly_less(double a, double b);

/// An amount of a capacity that is in use between `start` and `end` (seconds): a port, a node, or
/// bytes to be moved.
struct Use {
    double start = 0;
    double end = 0;
    double amount = 0;
    std::size_t transfer = 0;  ///< index by which the caller names it
    double rounding = 0;       ///< seconds by which `end` may be too early, if it is a difference
};

/// For a capacity that is held while a use lasts, such as a port: the index in `uses` of the first
/// use with which more than `limit` is held at once. A use that ends when another starts makes room
/// for it. nullopt if the limit is kept.
[[nodiscard]] std::optional<std::size_t> find_crowd(const std::vector<Use>& uses, double limit);

/// For a capacity that is a rate: the index in `uses` of one with which more must be moved within
/// some interval than `limit` allows; nullopt if there is none. This test is necessary for any way
/// of sharing the capacity, and sufficient, because an amount may be moved at any time up to its
/// `end`.
[[nodiscard]] std::optional<std::size_t> find_overload(const std::vector<Use>& uses, double limit);

}  // namespace espalier::simulate
