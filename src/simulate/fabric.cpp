#include "simulate/fabric.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"
#include "network/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace espalier::simulate {

namespace {

Bytes least_message(Bytes size) { return std::min(size, Bytes(1)); }

class SenderFabric final : public Fabric {
public:
    explicit SenderFabric(const network::SenderNetwork& network) : network_(network) {
        for (const auto& group : network.classes)
            ends_.push_back((ends_.empty() ? 0 : ends_.back()) + group.count);
    }
    [[nodiscard]] std::size_t nodes() const override { return ends_.back(); }
    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t, Bytes) const override {
        const auto group = std::upper_bound(ends_.begin(), ends_.end(), from) - ends_.begin();
        return {Seconds(network_.classes[static_cast<std::size_t>(group)].transmission_time),
                Seconds(0)};
    }
    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        return {Seconds(0), 0, cost(from, to, size).gap};  // a unit message can't be cut
    }
    [[nodiscard]] schedule::Ports ports() const override {
        return {schedule::Ports::Duplex::half, 1};
    }

private:
    const network::SenderNetwork& network_;
    std::vector<std::size_t> ends_;
};

class PairwiseFabric final : public Fabric {
public:
    explicit PairwiseFabric(const network::PairwiseNetwork& network) : network_(network) {
        const std::size_t size = network.size();
        add_caps(network.egress, "egress");
        add_caps(network.ingress, "ingress");
        if (capacities_.empty()) return;
        draws_ = Matrix<std::vector<std::uint32_t>>(size, size);
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < size; ++j) {
                if (!network.egress.empty()) draws_(i, j).push_back(static_cast<std::uint32_t>(i));
                if (!network.ingress.empty())
                    draws_(i, j).push_back(static_cast<std::uint32_t>(network.egress.size() + j));
            }
    }
    [[nodiscard]] std::size_t nodes() const override { return network_.size(); }
    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        const auto& startup = network_.startup(from, to);
        const auto rate = network_.usable_bandwidth(from, to);
        if (!startup || !rate)
            throw InputError(fmt::format("the cost from '{}' to '{}' is not known",
                                         network_.nodes[from], network_.nodes[to]));
        return {*startup + size / *rate, Seconds(0)};
    }
    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        const Seconds startup = cost(from, to, Bytes(0)).gap;
        const auto most = static_cast<double>(std::max<std::uint64_t>(size.value, 1));
        // At least one start-up has passed before anything arrives, and one is spent on each
        // message.
        return {Seconds(0), 1 / network_.usable_bandwidth(from, to)->value + startup.value / most,
                cost(from, to, least_message(size)).gap, startup};
    }
    [[nodiscard]] std::span<const Capacity> capacities() const override { return capacities_; }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        if (capacities_.empty()) return {};
        return draws_(from, to);
    }

private:
    void add_caps(const std::vector<BytesPerSecond>& caps, std::string_view what) {
        for (std::size_t i = 0; i < caps.size(); ++i)
            capacities_.push_back(
                {fmt::format("{} of {}", what, network_.nodes[i]), caps[i].value});
    }

    const network::PairwiseNetwork& network_;
    std::vector<Capacity> capacities_;
    Matrix<std::vector<std::uint32_t>> draws_;
};

/// The top level of a grid: clusters, each spoken for by its coordinator.
class GridFabric final : public Fabric {
public:
    explicit GridFabric(const network::GridNetwork& grid) : grid_(grid) {
        if (grid.shared.empty()) return;
        draws_ = Matrix<std::vector<std::uint32_t>>(grid.size(), grid.size());
        for (const auto& shared : grid.shared) {
            for (const auto& [from, to] : shared.pairs)
                draws_(from, to).push_back(static_cast<std::uint32_t>(capacities_.size()));
            capacities_.push_back({shared.name, shared.capacity.value,
                                   incast_threshold(grid.transport, shared.capacity)});
        }
    }
    [[nodiscard]] std::size_t nodes() const override { return grid_.size(); }
    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        const auto& link = grid_.links(from, to);
        if (!link)
            throw InputError(fmt::format("the cost from '{}' to '{}' is not known",
                                         grid_.clusters[from].name, grid_.clusters[to].name));
        return {link->gap(size), link->latency(size)};
    }
    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        (void)cost(from, to, size);
        return floor_of(*grid_.links(from, to), size);
    }
    [[nodiscard]] std::span<const Capacity> capacities() const override { return capacities_; }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        if (capacities_.empty()) return {};
        return draws_(from, to);
    }

    [[nodiscard]] Sharing sharing(std::size_t from, std::size_t to) const override {
        const auto& there = *grid_.links(from, to);
        const auto& back = grid_.links(to, from);
        return sharing_of(grid_.transport, there.latency(Bytes(1)),
                          (back ? *back : there).latency(Bytes(1)));
    }
    [[nodiscard]] Window window(std::size_t from, std::size_t to) const override {
        if (!grid_.transport.restart) return {};
        const auto& there = *grid_.links(from, to);
        const auto& back = grid_.links(to, from);
        return window_of(grid_.transport, there.latency(Bytes(1)),
                         (back ? *back : there).latency(Bytes(1)));
    }
    [[nodiscard]] Seconds least_restart() const override {
        return grid_.transport.restart.value_or(Seconds(infinity));
    }

private:
    const network::GridNetwork& grid_;
    std::vector<Capacity> capacities_;
    Matrix<std::vector<std::uint32_t>> draws_;
};

/// The hosts of a physical graph. A message takes its route's least bandwidth and its latency (with
/// the hosts' start-ups), and shares each link that is not a backbone with all that cross it.
class LinksFabric final : public Fabric {
public:
    explicit LinksFabric(const network::LinksNetwork& network)
        : pairwise_(network::to_pairwise(network)), draws_(pairwise_.size(), pairwise_.size()) {
        for (const auto& link : network.links)
            capacities_.push_back({link.name, link.kind == network::LinksNetwork::Kind::backbone
                                                  ? infinity
                                                  : link.bandwidth.value});
        const auto paths = network::routes(network, network.hosts());
        for (std::size_t i = 0; i < paths.size(); ++i)
            for (std::size_t j = 0; j < paths.size(); ++j)
                for (const std::size_t id : paths[i][j])
                    if (network.links[id].kind != network::LinksNetwork::Kind::backbone)
                        draws_(i, j).push_back(static_cast<std::uint32_t>(id));
    }
    [[nodiscard]] std::size_t nodes() const override { return pairwise_.size(); }
    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        return {size / *pairwise_.bandwidth(from, to), *pairwise_.startup(from, to)};
    }
    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        return {*pairwise_.startup(from, to), 1 / pairwise_.bandwidth(from, to)->value,
                cost(from, to, least_message(size)).gap};
    }
    [[nodiscard]] std::span<const Capacity> capacities() const override { return capacities_; }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        return draws_(from, to);
    }

private:
    network::PairwiseNetwork pairwise_;
    std::vector<Capacity> capacities_;
    Matrix<std::vector<std::uint32_t>> draws_;
};

/// The greatest start-up of which no message of at most `size` bytes takes less than
/// startup + b * (per_byte - startup / size). Between two entries the limit that sizes set it only
/// rises or only falls.
Seconds least_startup(const network::CostTable& gap, double per_byte, Bytes size) {
    Seconds least = gap(least_message(size));
    const auto look_at = [&](Bytes bytes) {
        const double share = static_cast<double>(bytes.value) / static_cast<double>(size.value);
        const Seconds beyond(gap(bytes).value - static_cast<double>(bytes.value) * per_byte);
        least = std::min(least, std::max(Seconds(0), beyond / (1 - share)));
    };
    if (Bytes(1) < size) look_at(Bytes(1));
    for (const auto& entry : gap.entries())
        if (entry.size.value > 0 && entry.size < size) look_at(entry.size);
    return least;
}

struct Maker {
    std::unique_ptr<const Fabric> operator()(const network::SenderNetwork& network) const {
        return std::make_unique<SenderFabric>(network);
    }
    std::unique_ptr<const Fabric> operator()(const network::PairwiseNetwork& network) const {
        return std::make_unique<PairwiseFabric>(network);
    }
    std::unique_ptr<const Fabric> operator()(const network::GridNetwork& network) const {
        return std::make_unique<GridFabric>(network);
    }
    std::unique_ptr<const Fabric> operator()(const network::LinksNetwork& network) const {
        return std::make_unique<LinksFabric>(network);
    }
};

}  // namespace

double Capacity::carries(int long_messages) const {
    if (long_messages <= incast_threshold) return limit;
    constexpr double exponent = 0.75;
    return limit * std::pow(incast_threshold / long_messages, exponent);
}

Sharing sharing_of(const network::Transport& transport, Seconds there, Seconds back) {
    if (transport.shares == network::Transport::Shares::evenly) return {1, transport.burst};
    // What is before each message in its host's own queue, near or far as it goes: Linux's TCP
    // keeps there what leaves within a millisecond at up to twice its pace ("small queues").
    constexpr Seconds in_own_queue{0.0015};
    return {1 / (there + back + in_own_queue).value, transport.burst};
}

Window window_of(const network::Transport& transport, Seconds there, Seconds back) {
    if (!transport.restart) return {};
    const Seconds round_trip = there + back;
    return {transport.burst, round_trip, transport.queue,
            *transport.restart + round_trip + transport.queue};
}

double incast_threshold(const network::Transport& transport, BytesPerSecond capacity) {
    if (transport.queue == Seconds(0)) return infinity;
    return capacity.value * transport.queue.value / static_cast<double>(transport.burst.value);
}

double link_use(const Fabric& fabric, const Capacity& presumed, std::size_t from, std::size_t to,
                Bytes size) {
    if (size == Bytes(0)) return 1;
    const Seconds of_link = fabric.cost(from, to, size).gap - fabric.cost(from, to, Bytes(1)).gap;
    return std::max(1.0, of_link.value * presumed.limit / static_cast<double>(size.value));
}

CostFloor floor_of(const network::PLogP& link, Bytes size) {
    Seconds latency = link.latency(size);
    for (const auto& entry : link.latency.entries())
        if (entry.size < size) latency = std::min(latency, entry.time);
    Seconds gap = std::min(link.gap(size), link.gap(least_message(size)));
    for (const auto& entry : link.gap.entries())
        if (entry.size < size) gap = std::min(gap, entry.time);
    const double per_byte = link.gap.least_per_byte(size);
    return {latency, per_byte, gap, least_startup(link.gap, per_byte, size)};
}

std::unique_ptr<const Fabric> make_fabric(const network::Network& network) {
    return std::visit(Maker{}, network.model());
}

}  // namespace espalier::simulate
