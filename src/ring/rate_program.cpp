#include "ring/rate_program.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace espalier::ring {
namespace {
constexpr auto none = std::numeric_limits<std::uint32_t>::max();

}  // namespace

RateProgram::RateProgram(const Platform& platform, std::span<const double> bandwidths,
                         std::span<const Message> messages, std::vector<double> slacks, double base)
    : messages_(messages.size()), slacks_(std::move(slacks)), base_(base) {
    std::vector<std::uint32_t> row_of(platform.links(), none);
    const auto cross = [&](std::vector<Use>& uses, std::uint32_t row) {
        const auto at = std::ranges::find(uses, row, &Use::at);
        Use& use = at == uses.end() ? uses.emplace_back(Use{row, 0}) : *at;
        use.use += 1 / rows_[row].bandwidth;
    };
    const auto add_row = [&](LinkId link) {
        rows_.push_back({link, bandwidths[link]});
        return static_cast<std::uint32_t>(rows_.size() - 1);
    };
    for (std::size_t message = 0; message < messages.size(); ++message) {
        const auto& [path, host, weight, time] = messages[message];
        if (path->empty()) continue;
        flows_.push_back({message, host, weight, time});
        auto& uses = by_flow_.emplace_back();
        const LinkId* backbone = nullptr;
        for (const LinkId& link : *path) {
            if (platform.link(link).shared) {
                if (row_of[link] == none) row_of[link] = add_row(link);
                cross(uses, row_of[link]);
            } else if (backbone == nullptr || bandwidths[link] < bandwidths[*backbone]) {
                backbone = &link;
            }
        }
        if (backbone != nullptr) cross(uses, add_row(*backbone));
    }
    units_.assign(flows_.size(), 1);
    by_row_.resize(rows_.size());
    for (std::uint32_t flow = 0; flow < by_flow_.size(); ++flow)
        for (const auto& [row, use] : by_flow_[flow]) by_row_[row].push_back({flow, use});
    drop_implied_rows();
}

RateProgram RateProgram::of_ring(const Problem& problem, const Embedding& embedding) {
    const Platform& platform = problem.platform;
    // With rates that are infinite, communication takes the delays alone.
    const std::vector<double> unlimited(embedding.size(), infinity);
    std::vector<double> slacks = communication_times(problem, embedding, {unlimited, unlimited});
    double speed = 0;
    double work = problem.work;
    for (std::size_t place = 0; place < embedding.size(); ++place) {
        const double own = 1 / platform.cycle_time(embedding.order[place]);
        speed += own;
        work += slacks[place] * own;
    }
    const double base = work / speed;
    for (double& slack : slacks) slack = base - slack;
    std::vector<Message> messages;
    for (std::size_t place = 0; place < embedding.to_successor.size(); ++place)
        for (const auto* paths : {&embedding.to_successor, &embedding.to_predecessor})
            messages.push_back(
                {&(*paths)[place], place,
                 problem.exchange / platform.cycle_time(embedding.order[place]) / speed,
                 problem.exchange});
    return {platform, platform.bandwidths(), messages, std::move(slacks), base};
}

void RateProgram::drop_implied_rows() {
    std::vector<char> dropped(rows_.size(), 0);
    // Where another row is used at least as much by each flow.
    const auto is_implied_by = [&](std::size_t row, std::size_t other) {
        return other != row && dropped[other] == 0 &&
               by_row_[other].size() >= by_row_[row].size() &&
               std::ranges::all_of(by_row_[row], [&](const Use& one) {
                   const auto& uses = by_flow_[one.at];
                   const auto at = std::ranges::find(uses, other, &Use::at);
                   return at != uses.end() && at->use >= one.use;
               });
    };
    for (std::size_t row = 0; row < rows_.size(); ++row)
        dropped[row] = std::ranges::any_of(by_flow_[by_row_[row].front().at], [&](const Use& use) {
            return is_implied_by(row, use.at);
        });

    // Those that few flows cross come first: sparse elimination fills in less.
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < rows_.size(); ++row)
        if (dropped[row] == 0) kept.push_back(row);
    std::ranges::stable_sort(kept, {}, [&](std::size_t row) { return by_row_[row].size(); });
    std::vector<std::uint32_t> number(rows_.size(), none);
    std::vector<Row> rows;
    std::vector<std::vector<Use>> by_row;
    for (const std::size_t row : kept) {
        number[row] = static_cast<std::uint32_t>(rows.size());
        rows.push_back(rows_[row]);
        by_row.push_back(std::move(by_row_[row]));
    }
    rows_ = std::move(rows);
    by_row_ = std::move(by_row);
    for (auto& uses : by_flow_) {
        std::erase_if(uses, [&](const Use& use) { return number[use.at] == none; });
        for (Use& use : uses) use.at = number[use.at];
    }
}

void RateProgram::set_units(const std::vector<double>& x) {
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
        units_[flow] *= x[flow];
        flows_[flow].weight /= x[flow];
        flows_[flow].time /= x[flow];
        for (Use& use : by_flow_[flow]) use.use *= x[flow];
    }
    for (auto& uses : by_row_)
        for (Use& use : uses) use.use *= x[use.at];
    const double unit = excess(std::vector<double>(flows_.size(), 1));
    for (Flow& flow : flows_) {
        flow.weight /= unit;
        flow.time /= unit;
    }
    for (double& slack : slacks_) slack /= unit;
    base_ /= unit;
    time_unit_ *= unit;
}

double RateProgram::needed(const std::vector<double>& x) const {
    double sum = 0;
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) sum += flows_[flow].weight / x[flow];
    return sum;
}

std::vector<double> RateProgram::needed_by_host(const std::vector<double>& x) const {
    std::vector<double> needed;
    for (const double slack : slacks_) needed.push_back(-slack);
    for (std::size_t flow = 0; flow < flows_.size(); ++flow)
        needed[flows_[flow].host] += flows_[flow].time / x[flow];
    return needed;
}

double RateProgram::excess(const std::vector<double>& x) const {
    return std::max(needed(x), std::ranges::max(needed_by_host(x)));
}

std::vector<double> RateProgram::max_min() const {
    std::vector<double> left(rows_.size(), 1);  // for flows that still grow
    std::vector<double> used(rows_.size(), 0);  // by these, for each unit of bandwidth
    std::vector<std::size_t> growing;           // how many they are
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        growing.push_back(by_row_[row].size());
        for (const Use& use : by_row_[row]) used[row] += use.use;
    }
    std::vector<double> x(flows_.size(), 0);
    double level = 0;
    for (std::size_t settled = 0; settled < flows_.size();) {
        std::size_t fullest = 0;
        double lowest = infinity;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            if (growing[row] == 0 || left[row] / used[row] >= lowest) continue;
            lowest = left[row] / used[row];
            fullest = row;
        }
        level = std::max(level, lowest);  // rounding must not let it sink
        for (const Use& use : by_row_[fullest]) {
            if (x[use.at] > 0) continue;
            x[use.at] = level;
            ++settled;
            for (const auto& [row, part] : by_flow_[use.at]) {
                left[row] -= part * level;
                used[row] -= part;
                --growing[row];
            }
        }
    }
    return x;
}

void RateProgram::fit(std::vector<double>& x) const {
    std::vector<double> scale(x.size(), infinity);
    for (const auto& uses : by_row_) {
        double used = 0;
        for (const auto& [flow, use] : uses) used += use * x[flow];
        for (const auto& [flow, use] : uses) scale[flow] = std::min(scale[flow], 1 / used);
    }
    for (std::size_t flow = 0; flow < x.size(); ++flow) x[flow] *= scale[flow];
}

/// The bound is the minimum of the Lagrangian. With multipliers m of the work and n_i of the hosts,
/// which sum to 1, and prices p of the rows, it is the sum over flows of 2 sqrt(a P) - sum of p -
/// sum of n_i slack_i, where a = m weight + n_i time and P is the price of all that the flow uses.
/// It is greatest with p scaled so that the first sum is twice the second one.
double RateProgram::bound(const RateDuals& duals) const {
    double total = duals.sum;
    for (const double dual : duals.hosts) total += dual;
    double slack = 0;
    for (std::size_t host = 0; host < hosts(); ++host) slack += duals.hosts[host] * slacks_[host];
    double roots = 0;
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
        double price = 0;
        for (const auto& [row, use] : by_flow_[flow]) price += use * duals.rows[row];
        roots += std::sqrt(price * (duals.sum * flows_[flow].weight +
                                    duals.hosts[flows_[flow].host] * flows_[flow].time));
    }
    double prices = 0;
    for (const double price : duals.rows) prices += price;
    return (roots * roots / prices - slack) / total;
}

std::vector<double> RateProgram::bandwidths(const std::vector<double>& x) const {
    std::vector<double> all(messages_, infinity);
    for (std::size_t flow = 0; flow < flows_.size(); ++flow)
        all[flows_[flow].message] = x[flow] * units_[flow];
    return all;
}

Rates RateProgram::rates(const std::vector<double>& x) const {
    const std::vector<double> all = bandwidths(x);
    Rates rates;
    for (std::size_t message = 0; message < all.size(); message += 2) {
        rates.to_successor.push_back(all[message]);
        rates.to_predecessor.push_back(all[message + 1]);
    }
    return rates;
}

std::vector<double> RateProgram::of_flows(const Rates& rates) const {
    std::vector<double> x;
    for (const Flow& flow : flows_)
        x.push_back(
            (flow.message % 2 == 0 ? rates.to_successor : rates.to_predecessor)[flow.message / 2]);
    return x;
}

}  // namespace espalier::ring
