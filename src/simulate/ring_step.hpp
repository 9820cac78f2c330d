#pragma once

#include "network/network.hpp"
#include "schedule/ring.hpp"
#include "simulate/fair_links.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace espalier::simulate {

/// An iterative computation on a ring, as its simulation needs it. All that is per host is in the
/// order of the ring.
struct RingTraffic {
    struct Message {
        double delay = 0;  ///< before its first byte flows: start-ups of both ends and latencies
        std::vector<std::uint32_t> links;  ///< indices into the links, in the order of crossing
        double reserved = 0;               ///< its own bandwidth, where bandwidth is reserved
        double weight = 1;  ///< what it gets of a link, in proportion, where sharing is fair
    };
    double exchange = 0;                ///< the size of each message
    std::vector<Message> to_successor;  ///< both empty where a host is alone
    std::vector<Message> to_predecessor;
    std::vector<double> begins;  ///< when each host begins; empty: all at once

    [[nodiscard]] const Message& message(std::size_t place, bool forward) const {
        return forward ? to_successor[place] : to_predecessor[place];
    }
};

/// The number of steps that are simulated: `settling` ones, until the hosts have reached their
/// steady state, then `measured` ones.
struct RingHorizon {
    std::size_t settling = 0;
    std::size_t measured = 1;

    /// One step that all hosts begin at once.
    [[nodiscard]] static RingHorizon one_step() { return {0, 1}; }
    /// Long enough for what happens at one host to come around the whole ring.
    [[nodiscard]] static RingHorizon steady(std::size_t hosts) { return {hosts, hosts + 8}; }
};

/// Averages over the measured steps. Per host, in the order of the ring.
struct RingSteps {
    double step_time = 0;
    /// The time from the end of each host's computing until its next step begins.
    std::vector<double> communication;
    /// The seconds for which a host's own messages keep it: the longer of the two, or both if they
    /// follow one another. Waiting for a receiver that is not ready is not counted. A step takes at
    /// least what a host computes and sends; in the steady state the busiest host sets the pace.
    std::vector<double> sending;
    /// The bandwidths that its messages got while they flowed; infinite on a path that crosses
    /// nothing.
    std::vector<double> to_successor;
    std::vector<double> to_predecessor;
};

/// Simulates the steps of an iterative computation on a ring of hosts, for one set of links.
///
/// What is simulated is a program that, in each step, posts its two receives, computes, starts its
/// two sends and waits for all four; its next step begins when they are complete. A message sets
/// out once it is sent and its receive is posted, takes its delay, and then flows. Under fair
/// sharing, messages that flow at once divide each link max-min fairly; a backbone holds back each
/// message by itself. Under reserved sharing a message flows at its own bandwidth whatever else is
/// on the way, and sets out for the predecessor when that for the successor has arrived.
///
/// Not safe for use by several threads at once: it keeps its working space.
class RingSimulator {
public:
    explicit RingSimulator(std::vector<FairLinks::Link> links) : links_(std::move(links)) {}

    /// `computing`: the seconds that each host computes in a step, in the order of the ring.
    [[nodiscard]] RingSteps run(const RingTraffic& traffic, std::span<const double> computing,
                                schedule::RingSharing sharing, const RingHorizon& horizon);

private:
    struct Flight {
        bool posted = false;  ///< sent; its receive is not there yet
        std::size_t sender = 0;
        std::size_t receiver = 0;
        const RingTraffic::Message* message = nullptr;
        double began = 0;  ///< its delay
        double began_to_flow = 0;
        double flowed = 0;  ///< seconds, summed over the measured steps
    };
    struct Host {
        std::size_t step = 0;
        std::size_t outstanding = 0;  ///< of its two sends and two receives
        double computed = 0;          ///< when it was done computing
        double sends = 0;             ///< in this step
        double communication = 0;     ///< summed over the measured steps
        double sending = 0;
    };
    /// Hosts that are done computing (below `hosts`) and messages whose delay is over.
    struct Event {
        double time = 0;
        std::size_t what = 0;
    };

    void prepare(const RingTraffic& traffic, schedule::RingSharing sharing);
    void begin_step(std::size_t host, double now);
    void end_computing(std::size_t host, double now);
    void post(std::size_t flight, double now);
    void set_out(std::size_t flight, double now);
    void begin_to_flow(std::size_t flight, double now);
    void arrive(std::size_t flight, double now);
    void complete_one(std::size_t host, double now);
    void push(double time, std::size_t what);
    void handle(double now);
    [[nodiscard]] bool is_measured(std::size_t step) const;

    FairLinks links_;
    std::span<const double> computing_;
    double exchange_ = 0;
    RingHorizon horizon_;
    schedule::RingSharing sharing_ = schedule::RingSharing::fair;
    std::vector<Host> hosts_;
    std::vector<Flight> flights_;    ///< 2i to the successor, 2i + 1 to the predecessor of host i
    std::vector<Event> events_;      ///< a heap
    std::vector<double> step_ends_;  ///< by step: when the last host had done it
    std::vector<std::size_t> finished_;
};

/// The links of a network, as the simulator takes them.
[[nodiscard]] std::vector<FairLinks::Link> ring_links(const network::LinksNetwork& network);
/// A ring's messages; delays are from the network.
[[nodiscard]] RingTraffic ring_traffic(const network::LinksNetwork& network,
                                       const schedule::Ring& ring);
/// The step of a ring on its network, under its own kind of sharing. Its paths must be valid.
[[nodiscard]] RingSteps simulate_ring(const network::LinksNetwork& network,
                                      const schedule::Ring& ring);

}  // namespace espalier::simulate
