#pragma once

#include "schedule/schedule.hpp"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace espalier::plan::composed {

/// Which transfers must be listed before which others, so that each carries what it did, and which
/// of them also wait for their data.
class Precedence {
public:
    explicit Precedence(const schedule::Schedule& schedule) {
        const auto& collective = schedule.collective;
        keeps_receives_ = collective.ordered || collective.kind == schedule::Kind::scan ||
                          collective.kind == schedule::Kind::exscan;
        const std::size_t chunks = schedule.chunks.size();
        followers_.resize(schedule.transfers.size());
        waits_.resize(schedule.transfers.size(), 0);
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
            const auto& transfer = schedule.transfers[t];
            for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c) {
                send(t, states_[transfer.from * chunks + c]);
                receive(t, transfer.op, states_[transfer.to * chunks + c]);
            }
        }
    }

    struct Follower {
        std::size_t transfer = 0;
        bool needs_data = false;
    };
    [[nodiscard]] const std::vector<Follower>& followers(std::size_t transfer) const {
        return followers_[transfer];
    }
    /// How many transfers must come before it.
    [[nodiscard]] std::size_t waits(std::size_t transfer) const { return waits_[transfer]; }

private:
    /// Of one chunk at one node: what it received, and what it sent since the last receive.
    struct State {
        std::vector<std::size_t> received;
        schedule::Op last = schedule::Op::combine;  ///< how the last of them was received
        std::vector<std::size_t> sent;
        std::size_t sent_before = 0;  ///< receives that the sends in `sent` wait for
    };

    void follow(std::size_t before, std::size_t after, bool needs_data) {
        followers_[before].push_back({after, needs_data});
        ++waits_[after];
    }

    void send(std::size_t t, State& state) {
        if (state.sent_before != state.received.size()) state.sent.clear();
        state.sent_before = state.received.size();
        for (const std::size_t receive : state.received) follow(receive, t, true);
        state.sent.push_back(t);
    }

    /// What is combined with a copy comes after it.
    void receive(std::size_t t, schedule::Op op, State& state) {
        for (const std::size_t sent : state.sent) follow(sent, t, false);
        if ((keeps_receives_ || state.last == schedule::Op::copy) && !state.received.empty())
            follow(state.received.back(), t, false);
        state.received.push_back(t);
        state.last = op;
    }

    bool keeps_receives_ = false;
    std::unordered_map<std::size_t, State> states_;  ///< by node and chunk
    std::vector<std::vector<Follower>> followers_;
    std::vector<std::size_t> waits_;
};

}  // namespace espalier::plan::composed
