#pragma once

#include "plan/exchange/problem.hpp"
#include "plan/meter.hpp"

#include <compare>
#include <limits>
#include <span>

namespace espalier::plan::exchange {

/// What a schedule is worth: less is better, `first` before `second`.
struct Value {
    double first = std::numeric_limits<double>::infinity();
    double second = 0;
    friend auto operator<=>(const Value&, const Value&) = default;
};

/// A regular measure of schedules: it never falls when some message completes later.
class Measure {
public:
    virtual ~Measure() = default;
    /// Of a schedule in which message m, by its index in Problem::messages, completes at
    /// `completions[m]` seconds; of earliest possible completions, a bound.
    [[nodiscard]] virtual Value value(std::span<const double> completions) const = 0;
    /// By when that message must be complete in every schedule that is better than `best`;
    /// infinity where being better does not prescribe it. The tighter, the quicker the search.
    [[nodiscard]] virtual double latest(std::size_t message, const Value& best) const = 0;
};

/// The last completion.
class Makespan final : public Measure {
public:
    [[nodiscard]] Value value(std::span<const double> completions) const override;
    [[nodiscard]] double latest(std::size_t message, const Value& best) const override;
};

/// What an exact search came to.
struct Exact {
    Order order;  ///< the best known, `start` unless better was found
    Value value;
    Value bound;          ///< nothing is better than this
    bool proven = false;  ///< the search is complete: value == bound
};

/// Whether search_exactly() understands the problem: one port a node, serial reception, nothing
/// shared.
[[nodiscard]] bool can_search_exactly(const Problem& problem);

/// Branch and bound over all schedules of whole messages sent straight to their receivers, also
/// those that leave a port idle on purpose: branches on which of two messages goes first through a
/// port, and deduces what the time windows of the others then say (edge finding). `start` is any
/// order of all messages, a good one saves time.
[[nodiscard]] Exact search_exactly(const Problem& problem, const Measure& measure,
                                   const Order& start, Meter& meter);

/// When each message starts if every port serves its messages in the order given, each as early as
/// that allows: what simulate::simulate says where can_search_exactly(). Seconds, by message.
[[nodiscard]] std::vector<double> start_times(const Problem& problem, const Order& order);

}  // namespace espalier::plan::exchange
