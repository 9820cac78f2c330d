#include "runtime/logic/arrivals.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace espalier::runtime {

namespace {

/// The lowest bits of a number, which hold a rank.
constexpr std::uint64_t rank_bits = (1U << 20U) - 1;

}  // namespace

bool awaits_all(schedule::Kind kind) {
    using schedule::Kind;
    switch (kind) {
        case Kind::allreduce:
        case Kind::allgather:
        case Kind::reduce_scatter:
        case Kind::alltoall:
        case Kind::barrier:
            return true;
        default:
            return false;
    }
}

double as_least(Seconds elapsed, int rank) {
    const auto number = static_cast<std::uint64_t>(rank);
    if (!std::isfinite(elapsed.value) || elapsed.value < 0 || number > rank_bits) return -infinity;
    return -std::bit_cast<double>((std::bit_cast<std::uint64_t>(elapsed.value) & ~rank_bits) |
                                  number);
}

std::optional<Arrival> arrival(Seconds longest, double least, Seconds predicted) {
    if (!std::isfinite(least) || !std::isfinite(longest.value)) return std::nullopt;
    const auto bits = std::bit_cast<std::uint64_t>(-least);
    const Seconds shortest(std::bit_cast<double>(bits & ~rank_bits));
    const Seconds once_all_are_there = std::max(std::min(shortest * 2, predicted), shortest);
    return Arrival{std::max(longest - once_all_are_there, Seconds(0)),
                   static_cast<int>(bits & rank_bits)};
}

void Arrivals::add(const std::string& collective, std::size_t ranks, Seconds late,
                   const std::string& host) {
    Told& told = told_[{collective, ranks}];
    ++told.calls;
    told.sum += late;
    if (late.value > 0) waited_for_[host] += late;
}

std::vector<runs::Lateness> Arrivals::lateness() const {
    std::vector<runs::Lateness> all;
    for (const auto& [kind, told] : told_)
        all.push_back({kind.first, kind.second, told.calls, told.sum});
    return all;
}

}  // namespace espalier::runtime
