#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace espalier::measure {

/// Does some work, and returns how many units it was: > 0.
using Kernel = std::function<double()>;

/// Sweeps of a five-point stencil over a field of doubles that fits a cache; a unit is the update
/// of one cell.
[[nodiscard]] Kernel stencil_kernel();

/// The function `double espalier_kernel(void)` of a shared object, with C linkage. Throws
/// InputError naming the file where there is none.
[[nodiscard]] Kernel load_kernel(const std::string& path);

/// Time per unit of work.
struct CycleTime {
    double value = 0;   ///< the median; 0 where the clock does not see the work
    double spread = 0;  ///< how far a typical sample is off, relative to the value
    std::size_t samples = 0;
};

/// Repeats the kernel for about `seconds` by `clock`, at least three times after one that counts
/// for nothing. Throws InputError where it does no work.
[[nodiscard]] CycleTime time_kernel(const Kernel& kernel, const std::function<double()>& clock,
                                    double seconds);

/// The time of a unit of work on a host whose processes divide the work as evenly in time as they
/// can; process i alone takes cycle_times[i] for a unit while all compute.
[[nodiscard]] double together(const std::vector<double>& cycle_times);

}  // namespace espalier::measure
