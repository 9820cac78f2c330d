#include "simulate/host_caps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace espalier::simulate {

namespace {

class CappedFabric final : public Fabric {
public:
    CappedFabric(const Fabric& fabric, std::vector<std::size_t> host, const Matrix<Bytes>& sizes)
        : fabric_(fabric), host_(std::move(host)), draws_(host_.size(), host_.size()) {
        const auto own = fabric.capacities();
        capacities_.assign(own.begin(), own.end());
        const std::size_t hosts =
            host_.empty() ? 0 : *std::max_element(host_.begin(), host_.end()) + 1;
        const std::size_t first = capacities_.size();
        constexpr double none = std::numeric_limits<double>::infinity();
        for (const char* what : {"sends", "receives"})
            for (std::size_t h = 0; h < hosts; ++h)
                capacities_.push_back(
                    {fmt::format("what host {} {}", h, what), 0, Capacity::Admission::share});
        for (std::size_t from = 0; from < host_.size(); ++from)
            for (std::size_t to = 0; to < host_.size(); ++to) {
                const auto before = fabric.draws(from, to);
                auto& draws = draws_(from, to);
                draws.assign(before.begin(), before.end());
                if (host_[from] == host_[to] || sizes(from, to).value == 0) continue;
                const Seconds gap = fabric.cost(from, to, sizes(from, to)).gap;
                const double rate = gap.value > 0 ? (sizes(from, to) / gap).value : none;
                for (const std::size_t c : {first + host_[from], first + hosts + host_[to]}) {
                    draws.push_back(static_cast<std::uint32_t>(c));
                    capacities_[c].limit = std::max(capacities_[c].limit, rate);
                }
            }
        // Of a host that has no messages.
        for (Capacity& capacity : capacities_)
            if (capacity.limit == 0) capacity.limit = none;
    }

    [[nodiscard]] std::size_t nodes() const override { return fabric_.nodes(); }
    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        return fabric_.cost(from, to, size);
    }
    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        return fabric_.floor(from, to, size);
    }
    [[nodiscard]] std::span<const Capacity> capacities() const override { return capacities_; }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        return draws_(from, to);
    }
    [[nodiscard]] Seconds message_time() const override { return fabric_.message_time(); }
    [[nodiscard]] schedule::Ports ports() const override { return fabric_.ports(); }

private:
    const Fabric& fabric_;
    std::vector<std::size_t> host_;
    std::vector<Capacity> capacities_;
    Matrix<std::vector<std::uint32_t>> draws_;
};

}  // namespace

std::unique_ptr<const Fabric> with_host_caps(const Fabric& fabric, std::vector<std::size_t> host,
                                             const Matrix<Bytes>& sizes) {
    return std::make_unique<CappedFabric>(fabric, std::move(host), sizes);
}

}  // namespace espalier::simulate
