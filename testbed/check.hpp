#pragma once

#include "core/json.hpp"
#include "testbed/expect.hpp"
#include "testbed/state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace espalier::testbed {

/// How far a testbed may be from what was asked before `check` fails it. A round trip also has
/// `own_delay`, for the four times that a datagram goes through the systems of its two hosts.
struct Tolerance {
    double round_trip = 0.02;
    Seconds own_delay{150e-6};
    double goodput = 0.05;
};

/// What was asked for and what was got, of a testbed that is up.
struct Findings {
    struct RoundTrip {
        std::string from;
        std::string to;
        Seconds asked;
        std::optional<Seconds> got;  ///< none: no answer
        bool good = false;
    };
    /// What all flows of a contention get together.
    struct Goodput {
        std::string queue;  ///< that they contend for; empty where there is one flow
        std::vector<std::pair<std::string, std::string>> flows;
        BytesPerSecond asked;
        BytesPerSecond got;
        bool good = false;
    };
    std::vector<RoundTrip> round_trips;
    std::vector<Goodput> goodputs;

    [[nodiscard]] bool good() const;
};

/// Measures, with sockets of the hosts, a flow or a datagram at a time but where they are to share.
/// Throws an Error where that can't be done. `program`: see take_sockets().
/// `window` is how long the data of a flow are counted, or longer if it is slow.
[[nodiscard]] Findings check(const Topology& topology, const State& state,
                             const std::string& program, Seconds window,
                             const Tolerance& tolerance = {});

[[nodiscard]] std::string to_text(const Findings& findings);
/// Format `espalier-testbed-check`.
[[nodiscard]] Json to_json(const Findings& findings);

}  // namespace espalier::testbed
