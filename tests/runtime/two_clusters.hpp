#pragma once

#include "core/random.hpp"
#include "network/json.hpp"
#include "runtime/logic/planned_collective.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime::stated {

using Places = std::vector<network::GridView::Place>;
using Shares = std::vector<PlannedCollective>;

inline constexpr double latency = 1e-3;
inline constexpr double seconds_per_byte = 1e-6;
inline constexpr double link_capacity = 2e6;

/// Two clusters of `hosts` with one link between them, which carries two messages at full speed.
/// Inside, messages are as slow, or a hundred times faster. Between them, the shortest takes
/// `least_gap` seconds of its sender.
class TwoClusters {
public:
    explicit TwoClusters(std::size_t hosts, bool fast_inside = false, bool dealt = false,
                         const std::string& least_gap = "1e-6")
        : network_(network::parse_network(text(hosts, fast_inside, least_gap), "test")),
          view_(*network_.grid()) {
        for (std::size_t leaf = 0; leaf < 2; ++leaf)
            for (std::size_t node = 0; node < hosts; ++node) places_.push_back({leaf, node});
        Random random(1);
        for (std::size_t i = places_.size() - 1; dealt && i > 0; --i)
            std::swap(places_[i], places_[random.below(i + 1)]);
        policy_.planning = Settings::Planning::automatic;
    }
    [[nodiscard]] const network::GridView& view() const { return view_; }
    [[nodiscard]] const Places& places() const { return places_; }
    [[nodiscard]] Policy& policy() { return policy_; }
    [[nodiscard]] Shares plan(const Signature& signature, const BlockSizes& sizes = {}) const {
        return plan_ranks(view_, places_, signature, sizes, policy_).shares;
    }
    [[nodiscard]] Shares plan(schedule::Kind kind, std::uint64_t bytes,
                              const AlgorithmChoice& choice = {}) {
        policy_.choice = choice;
        return plan({.kind = kind, .bytes = Bytes(bytes)});
    }
    [[nodiscard]] Shares exchange(const Matrix<Bytes>& sizes, const AlgorithmChoice& choice = {}) {
        policy_.choice = choice;
        Bytes most;
        for (std::size_t from = 0; from < sizes.rows(); ++from)
            for (const Bytes bytes : sizes.row(from)) most = std::max(most, bytes);
        return plan({.kind = schedule::Kind::alltoall,
                     .bytes = size_class(most),
                     .direct = true,
                     .uneven = true},
                    {nullptr, std::make_shared<const Matrix<Bytes>>(sizes)});
    }

private:
    static std::string text(std::size_t hosts, bool fast_inside, const std::string& least_gap) {
        const std::string gap = R"({"1": )" + least_gap + R"(, "1000001": 1.000001})";
        const std::string inside = fast_inside ? R"({"1": 1e-8, "1000001": 0.01000001})" : gap;
        const std::string local = R"("local": {"latency_s": )" +
                                  std::string(fast_inside ? "1e-5" : "1e-3") + R"(, "gap_s": )" +
                                  inside + "}";
        const std::string size = R"("size": )" + std::to_string(hosts);
        return R"({"format": "espalier-network", "version": 1, "model": "grid", "clusters": [)"
               R"({"name": "a", )" +
               size + ", " + local + R"(}, {"name": "b", )" + size + ", " + local +
               R"(}], "latency_s": [[0, 1e-3], [1e-3, 0]], "gap_s": [[0, )" + gap + "], [" + gap +
               R"(, 0]], "shared": [{"name": "ab", "capacity_Bps": 2e6, )"
               R"("pairs": [["a", "b"], ["b", "a"]]}]})";
    }

    network::Network network_;
    network::GridView view_;
    Places places_;
    Policy policy_;
};

}  // namespace espalier::runtime::stated
