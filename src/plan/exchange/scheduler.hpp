#pragma once

#include "plan/exchange/problem.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace espalier::plan::exchange {

/// What a pass of list scheduling goes by. Of the nodes that could take part in a message, it
/// prefers those with the most work left.
struct Preferences {
    std::vector<double> sender;    ///< by node: a factor of the sending that it has left
    std::vector<double> receiver;  ///< by node: a factor of the receiving that it has left
    std::vector<double> capacity;  ///< by shared capacity: likewise
    double length = 1;             ///< what a message's own duration counts beside that
    /// A message may wait while both its ends are ahead of the pace at which they would be done
    /// with all their work at this part of the bound; 0: no message waits that could start. Nodes
    /// with time to spare so keep some of it for later, and whoever has none finds somebody free.
    double pace = 0;

    /// Nobody is preferred for who it is.
    [[nodiscard]] static Preferences plain(const Problem& problem, double pace);
};

/// Makes schedules of one problem, one after the other.
class Scheduler {
public:
    virtual ~Scheduler() = default;
    /// The makespan in seconds; infinity if it gave up, since that would not be below `give_up`.
    virtual double pass(const Preferences& preferences, double give_up) = 0;
    /// Of the last pass: the messages as they start.
    [[nodiscard]] virtual const Order& messages() const = 0;
};

/// Whichever suits the problem.
[[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(const Problem& problem);

}  // namespace espalier::plan::exchange
