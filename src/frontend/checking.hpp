#pragma once

#include "network/network.hpp"
#include "schedule/json.hpp"
#include "schedule/timeline.hpp"
#include "sender/certificate.hpp"
#include "simulate/check.hpp"

#include <string>

namespace espalier::frontend {

/// What a certificate without a flaw proves of a schedule.
struct Proven {
    Seconds lower_bound;
    bool optimal = false;
};

/// Verifies a certificate about the schedule of that makespan. Errors name the certificate and the
/// network by `certificate_file` and `network_file`. Throws InputError where the network has no
/// certificates, InvalidError where this one has a flaw or is about something else.
[[nodiscard]] Proven verify(const sender::Certificate& certificate,
                            const std::string& certificate_file, const network::Network& network,
                            const std::string& network_file, const schedule::Schedule& schedule,
                            Seconds makespan);

/// The stated plan with the simulator's times.
[[nodiscard]] schedule::Plan recomputed(const schedule::StatedPlan& stated,
                                        const simulate::Check& check);

/// What all messages between ranks take of processors that all nodes share; 0 where each has its
/// own.
[[nodiscard]] Seconds processor_time(const schedule::Schedule& schedule,
                                     const network::Network& network);

/// Completes the times that a file does not state: from when to when either end is busy. Where
/// nodes send and receive one message after the other, that is as long as its sender's next one and
/// its receiver's last one leave it, and as one like it between the same nodes; else from start to
/// end.
void complete_times(schedule::StatedPlan& stated);

}  // namespace espalier::frontend
