#include "ring/capacities.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace espalier::ring {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Capacities::Capacities(const Platform& platform, const Embedding& embedding) {
    std::vector<std::uint32_t> row_of(platform.links(), none);
    const auto add_flow = [&](std::size_t place, bool to_successor, const Path& path) {
        if (path.empty()) return;
        const auto flow = static_cast<std::uint32_t>(flows_.size());
        flows_.push_back({place, to_successor});
        const std::size_t first = by_flow_.size();
        Row backbone{0, std::numeric_limits<double>::infinity()};
        for (const LinkId id : path) {
            const auto& link = platform.link(id);
            if (!link.shared) {
                if (link.bandwidth < backbone.bandwidth) backbone = {id, link.bandwidth};
                continue;
            }
            if (row_of[id] == none) {
                row_of[id] = static_cast<std::uint32_t>(rows_.size());
                rows_.push_back({id, link.bandwidth});
            }
            std::size_t at = first;
            while (at < by_flow_.size() && by_flow_[at].row != row_of[id]) ++at;
            if (at == by_flow_.size())
                by_flow_.push_back({flow, row_of[id], 1});
            else
                by_flow_[at].times += 1;
        }
        if (backbone.bandwidth < std::numeric_limits<double>::infinity()) {
            by_flow_.push_back({flow, static_cast<std::uint32_t>(rows_.size()), 1});
            rows_.push_back(backbone);
        }
    };
    for (std::size_t place = 0; place < embedding.to_successor.size(); ++place) {
        add_flow(place, true, embedding.to_successor[place]);
        add_flow(place, false, embedding.to_predecessor[place]);
    }
    index();
    drop_implied_rows();
}

/// Fills the rest from rows_ and by_flow_, which is sorted by flow.
void Capacities::index() {
    first_of_flow_.assign(flows_.size() + 1, 0);
    first_of_row_.assign(rows_.size() + 1, 0);
    for (const auto& crossing : by_flow_) {
        ++first_of_flow_[crossing.flow + 1];
        ++first_of_row_[crossing.row + 1];
    }
    std::partial_sum(first_of_flow_.begin(), first_of_flow_.end(), first_of_flow_.begin());
    std::partial_sum(first_of_row_.begin(), first_of_row_.end(), first_of_row_.begin());
    by_row_.resize(by_flow_.size());
    std::vector<std::size_t> next(first_of_row_.begin(), first_of_row_.end() - 1);
    for (const auto& crossing : by_flow_) by_row_[next[crossing.row]++] = crossing;
}

/// Whether another row is no wider and crossed at least as often by each flow.
bool Capacities::is_implied(std::size_t row, const std::vector<char>& dropped) const {
    const auto crossings = of_row(row);
    for (const auto& [unused, other, times] : of_flow(crossings.front().flow)) {
        if (other == row || dropped[other] != 0 || rows_[other].bandwidth > rows_[row].bandwidth)
            continue;
        const auto others = of_row(other);
        if (others.size() < crossings.size()) continue;
        auto at = others.begin();
        const bool covers = std::ranges::all_of(crossings, [&](const Crossing& crossing) {
            while (at != others.end() && at->flow < crossing.flow) ++at;
            return at != others.end() && at->flow == crossing.flow && at->times >= crossing.times;
        });
        if (covers) return true;
    }
    return false;
}

void Capacities::drop_implied_rows() {
    std::vector<char> dropped(rows_.size(), 0);
    for (std::size_t row = 0; row < rows_.size(); ++row)
        dropped[row] = is_implied(row, dropped) ? 1 : 0;

    // Those that few flows cross come first: sparse elimination fills in less.
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < rows_.size(); ++row)
        if (dropped[row] == 0) kept.push_back(row);
    std::ranges::stable_sort(kept, {}, [&](std::size_t row) { return of_row(row).size(); });
    std::vector<std::uint32_t> number(rows_.size(), none);
    std::vector<Row> rows;
    for (const std::size_t row : kept) {
        number[row] = static_cast<std::uint32_t>(rows.size());
        rows.push_back(rows_[row]);
    }
    rows_ = std::move(rows);
    std::erase_if(by_flow_, [&](const Crossing& crossing) { return number[crossing.row] == none; });
    for (auto& crossing : by_flow_) crossing.row = number[crossing.row];
    index();
}

Rates Capacities::rates(std::size_t hosts, const std::vector<double>& of_flows) const {
    if (hosts < 2) return {};
    const std::vector<double> unlimited(hosts, std::numeric_limits<double>::infinity());
    Rates rates{unlimited, unlimited};
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
        auto& list = flows_[flow].to_successor ? rates.to_successor : rates.to_predecessor;
        list[flows_[flow].place] = of_flows[flow];
    }
    return rates;
}

std::vector<double> Capacities::of_flows(const Rates& rates) const {
    std::vector<double> result;
    for (const auto& flow : flows_)
        result.push_back(
            (flow.to_successor ? rates.to_successor : rates.to_predecessor)[flow.place]);
    return result;
}

void Capacities::fit(std::vector<double>& of_flows) const {
    std::vector<double> scale(flows_.size(), std::numeric_limits<double>::infinity());
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        double used = 0;
        for (const auto& crossing : of_row(row)) used += crossing.times * of_flows[crossing.flow];
        const double room = rows_[row].bandwidth / used;
        for (const auto& crossing : of_row(row))
            scale[crossing.flow] = std::min(scale[crossing.flow], room);
    }
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) of_flows[flow] *= scale[flow];
}

}  // namespace espalier::ring
