#pragma once

#include "measure/channel.hpp"
#include "measure/method/probe.hpp"

#include <vector>

namespace espalier::measure {

/// The link from this rank to another, which has to be in `serve` meanwhile.
class RemoteLink : public ProbeLink {
public:
    /// `round_trip` in seconds, as far as known; 0 otherwise.
    RemoteLink(const Channel& channel, int peer, double round_trip);
    /// Lets the other side go.
    ~RemoteLink() override;

    [[nodiscard]] double now() override { return channel_.now(); }
    std::vector<Answer> fire(std::span<const Probe> volley) override;

private:
    [[nodiscard]] bool try_fire(std::span<const Probe> volley, std::vector<Answer>& answers);

    const Channel& channel_;
    int peer_;
    double round_trip_;
    bool wait_for_readiness_;
    std::vector<char> buffer_;
};

/// Asks to hear when `peer` begins to serve this rank; to be called long before, so that the news
/// is not delayed.
[[nodiscard]] MPI_Request expect_service(const Channel& channel, int peer);

/// Answers the probes of another rank's RemoteLink until it ends.
void serve(const Channel& channel, int peer);

}  // namespace espalier::measure
