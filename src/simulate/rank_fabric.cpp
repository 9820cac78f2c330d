#include "simulate/rank_fabric.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

namespace espalier::simulate {

namespace {

class RankFabric final : public Fabric {
public:
    RankFabric(const network::GridView& view, std::vector<network::GridView::Place> places)
        : view_(view), places_(std::move(places)) {
        const std::size_t leaves = view.leaves().size();
        links_ = Matrix<const network::PLogP*>(leaves, leaves, nullptr);
        for (std::size_t i = 0; i < leaves; ++i)
            for (std::size_t j = 0; j < leaves; ++j) links_(i, j) = view.link(i, j);
        if (view.shared().empty()) return;
        draws_ = Matrix<std::vector<std::uint32_t>>(leaves, leaves);
        for (const auto& shared : view.shared()) {
            for (std::size_t i = 0; i < leaves; ++i)
                for (std::size_t j = 0; j < leaves; ++j)
                    if (shared.pairs(i, j) != 0)
                        draws_(i, j).push_back(static_cast<std::uint32_t>(capacities_.size()));
            capacities_.push_back({shared.name, shared.capacity.value, Capacity::Admission::share});
        }
    }

    [[nodiscard]] std::size_t nodes() const override { return places_.size(); }

    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        const network::PLogP& found = link(from, to);
        return {found.gap(size), found.latency(size)};
    }

    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        return floor_of(link(from, to), size);
    }

    [[nodiscard]] std::span<const Capacity> capacities() const override { return capacities_; }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        if (capacities_.empty()) return {};
        return draws_(places_[from].leaf, places_[to].leaf);
    }

private:
    [[nodiscard]] const network::PLogP& link(std::size_t from, std::size_t to) const {
        const auto a = places_[from];
        const auto b = places_[to];
        const auto& within = view_.leaves()[a.leaf].cluster->within_node;
        if (a == b && within) return *within;
        if (const network::PLogP* between = links_(a.leaf, b.leaf)) return *between;
        throw InputError(fmt::format("the cost from '{}' to '{}' is not known", view_.name_of(a),
                                     view_.name_of(b)));
    }

    const network::GridView& view_;
    std::vector<network::GridView::Place> places_;
    Matrix<const network::PLogP*> links_;
    std::vector<Capacity> capacities_;
    Matrix<std::vector<std::uint32_t>> draws_;
};

}  // namespace

std::unique_ptr<const Fabric> make_rank_fabric(const network::GridView& view,
                                               std::vector<network::GridView::Place> places) {
    return std::make_unique<RankFabric>(view, std::move(places));
}

}  // namespace espalier::simulate
