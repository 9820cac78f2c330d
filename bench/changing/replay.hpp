#pragma once

#include "call.hpp"
#include "core/matrix.hpp"
#include "core/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace espalier::bench {

/// What a call's plan is made on.
enum class Policy {
    once,            ///< the first slice, at all times
    last,            ///< all pairs' values of the slice before
    expected,        ///< what is expected after all pairs' values up to the slice before
    last_asked,      ///< the last values that calls and questions told; the oldest are asked anew
    expected_asked,  ///< what is expected after those; what is worth most is asked
    last_robust,     ///< as `last`, for a percentile of the makespan
    expected_robust  ///< as `expected`, likewise
};
inline constexpr std::size_t policies = 7;
[[nodiscard]] std::string_view name_of(Policy policy);

struct ReplaySettings {
    Call call;
    std::size_t calls_per_slice = 1;
    Bytes question{16};              ///< there and back
    double part = 0.01;              ///< that questions may add to the bytes of the calls
    std::optional<unsigned> robust;  ///< the percentile; none: no calls of these policies
};

struct PolicyOutcome {
    std::vector<double> ratios;  ///< of each call's makespan to that of the plan for the truth
    std::uint64_t moved = 0;     ///< bytes of the calls
    std::uint64_t asked = 0;     ///< bytes of the questions, those about the first slice included
};
using ReplayOutcome = std::array<PolicyOutcome, policies>;

/// Replays calls on a network whose latencies are, slice after slice, the given ones; there are at
/// least two. In the first slice all pairs are asked; calls begin with the second. A call tells the
/// latencies of the pairs over which it went. What `last` and `expected` ask, all other pairs once
/// a slice, nothing limits; the others begin with the first slice's questions as a debt and ask
/// when the bytes of the calls allow it, after each call, so that the next one knows.
[[nodiscard]] ReplayOutcome replay(const std::vector<Matrix<Seconds>>& slices,
                                   const ReplaySettings& settings);

}  // namespace espalier::bench
