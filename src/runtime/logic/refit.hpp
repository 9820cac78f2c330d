#pragma once

#include "network/grid_rates.hpp"
#include "network/grid_view.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace espalier::runtime {

/// When the first and the last message from one rank to another had come, in one call, by the
/// receiver's clock. Ranks' clocks need not agree, since only the time between counts.
struct Stream {
    std::size_t from = 0;
    std::size_t to = 0;
    Seconds first;
    Seconds last;
};

/// From when a short message was sent until its answer had come.
struct RoundTrip {
    std::size_t from = 0;
    std::size_t to = 0;
    Seconds time;
};

/// A call by a plan, as its ranks saw it.
struct SeenCall {
    std::shared_ptr<const schedule::Schedule> plan;  ///< between ranks
    Seconds predicted;                               ///< on the network as it was believed to be
    Seconds usual;                                   ///< that such calls took until now
    Seconds took;                                    ///< until the last rank was done
    std::vector<Stream> streams;
    std::vector<RoundTrip> round_trips;  ///< between clusters, measured then
};

/// What calls tell of their network.
struct Refit {
    network::GridNetwork grid;
    std::vector<network::GridChange> changes;  ///< that make it of the one that was believed
    bool explains_all = false;                 ///< but for what predictions may be off by
};

/// Two ranks for each two clusters between which the plan has messages, who are to measure a round
/// trip: the first that have one for each other.
[[nodiscard]] std::vector<RoundTrip> round_trips_of(
    const schedule::Schedule& plan, const std::vector<network::GridView::Place>& places);

/// How many messages of a plan need a rate.
[[nodiscard]] std::size_t messages_over(const network::GridRate& rate,
                                        const schedule::Schedule& plan,
                                        const network::GridView& view,
                                        const std::vector<network::GridView::Place>& places);

/// How many times as long as predicted calls took until now. Where ranks don't begin together,
/// calls may seem to take less than is possible; what predictions may be off by counts at most.
[[nodiscard]] double usual_part(const SeenCall& call, double uncertainty);

/// The networks on which calls would have taken what they took, which explain that about as well as
/// each other; at least one. The rates of `view` are changed, one after the other, each time the
/// one whose change explains most of how long streams and whole calls took, by simulation of the
/// calls' plans, as long as one explains a good part; or its latencies, to what round trips show,
/// where that explains as much, or all but what predictions may be off by. What calls took before,
/// relative to what was predicted, stays. Of rates that explain as much the first is the one that
/// fewest messages need: if it was not that one alone, a call by the next plan, which avoids it,
/// will tell them apart. It looks for no further change when it has used `steps`.
[[nodiscard]] std::vector<Refit> refit(const network::GridView& view,
                                       const std::vector<network::GridView::Place>& places,
                                       std::span<const SeenCall> calls, std::uint64_t steps);

}  // namespace espalier::runtime
