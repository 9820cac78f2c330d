#pragma once

#include "core/infinity.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace espalier::simulate {

/// Physical links and what flows over them, shared max-min fairly: progressive filling, done anew
/// only for what hangs together, by links in common, with a flow that has begun or ended.
class FairLinks {
public:
    struct Link {
        double bandwidth = 0;
        bool shared = true;  ///< else a backbone, which holds back each flow by itself
    };

    explicit FairLinks(std::vector<Link> links);

    /// Forgets all flows; from now on they are numbered below `flows`.
    void reset(std::size_t flows);
    /// A flow that crosses `links`, which must outlive it. It moves once share() has been called.
    /// Of what a link has for its flows, each gets a part in proportion to its weight > 0.
    void begin(std::size_t flow, std::span<const std::uint32_t> links, double amount, double now,
               double weight = 1);
    /// A flow that nothing else holds back.
    void begin_apart(std::size_t flow, double rate, double amount, double now);
    /// Divides the links among what flows at `now`, if that has changed.
    void share(double now);
    /// When the next flow ends unless the sharing changes; `never` if none ends.
    [[nodiscard]] double next_end() const;
    /// Takes out one that has ended by `now`: its number, or `none`.
    [[nodiscard]] std::size_t take_ended(double now);
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

private:
    struct Flow {
        std::span<const std::uint32_t> links;
        double cap = never;  ///< of its backbones
        double weight = 1;
        double remaining = 0;  ///< at `since`
        double since = 0;
        double rate = 0;
        bool settled = false;
        std::uint64_t seen = 0;

        [[nodiscard]] double end() const { return rate > 0 ? since + remaining / rate : never; }
    };

    void collect_component();
    void fill_component();
    void settle(std::size_t flow, double rate);

    std::vector<Link> links_;
    std::vector<Flow> flows_;
    std::vector<std::size_t> flowing_;
    std::vector<std::vector<std::size_t>> crossing_;  ///< who crosses each shared link
    std::vector<double> left_;
    std::vector<std::size_t> users_;
    std::vector<double> weights_;  ///< the sum of theirs
    std::vector<std::uint64_t> link_seen_;
    std::uint64_t round_ = 0;
    std::vector<std::uint32_t> touched_;    ///< links whose flows have changed
    std::vector<std::uint32_t> component_;  ///< links that the change concerns
    std::vector<std::size_t> concerned_;    ///< flows likewise
};

/// A message over physical links.
struct LinkMessage {
    double delay = 0;  ///< before its first byte flows
    std::vector<std::uint32_t> links;
    double amount = 0;
    double weight = 1;
};

/// The seconds until the last of these messages, all sent at once, has arrived.
[[nodiscard]] double time_of_messages(std::span<const FairLinks::Link> links,
                                      std::span<const LinkMessage> messages);

}  // namespace espalier::simulate
