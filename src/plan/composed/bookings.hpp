#pragma once

#include "core/matrix.hpp"
#include "simulate/fabric.hpp"
#include "simulate/slots.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan::composed {

/// What ports and shared capacities are booked for, as messages are decided on one after the other:
/// each starts after those that were booked before it, at both its ends. Transfers listed in the
/// order of their bookings take just that long, where capacities are not shared in other ways.
class Bookings {
public:
    /// The fabric must outlive it.
    Bookings(const simulate::Fabric& fabric, std::size_t ports)
        : fabric_(fabric),
          out_(fabric.nodes(), simulate::Slots(ports, 0)),
          in_(fabric.nodes(), simulate::Slots(ports, 0)),
          shared_(fabric.capacities().size(), 0) {}

    /// In seconds.
    struct Message {
        double start = 0;
        double sent = 0;
        double end = 0;
    };
    /// When a message would be there whose sender holds it at `ready`.
    [[nodiscard]] Message look(std::size_t from, std::size_t to, Bytes bytes, double ready) const;
    Message book(std::size_t from, std::size_t to, Bytes bytes, double ready);

    [[nodiscard]] double out_free(std::size_t rank) const { return out_[rank].earliest(); }
    [[nodiscard]] double in_free(std::size_t rank) const { return in_[rank].earliest(); }

private:
    const simulate::Fabric& fabric_;
    std::vector<simulate::Slots> out_;
    std::vector<simulate::Slots> in_;
    std::vector<double> shared_;
};

}  // namespace espalier::plan::composed
