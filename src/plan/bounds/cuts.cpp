#include "plan/bounds/cuts.hpp"

#include "plan/bounds/crossing.hpp"
#include "plan/bounds/routing.hpp"
#include "plan/bounds/sets.hpp"
#include "simulate/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <set>

namespace espalier::plan::bounds {

namespace {

using Members = std::vector<std::size_t>;

/// Groups of like nodes, of each of which one node stands apart: what is true of one node alone
/// needs a set that holds nothing else.
struct Apart {
    Grouping members;
    std::vector<Members> wholes;  ///< which groups make up each group of like nodes
    std::vector<char> is_one;     ///< the node that stands apart, or the only one
};

Apart stand_apart(const Grouping& like, const Demand& demand) {
    Apart apart;
    const auto add = [&](Members members, bool is_one) {
        apart.wholes.back().push_back(apart.members.size());
        apart.members.push_back(std::move(members));
        apart.is_one.push_back(is_one ? 1 : 0);
    };
    for (Members members : like) {
        if (demand.has_root() && members.size() > 1 && std::erase(members, demand.root()) > 0) {
            apart.wholes.emplace_back();
            add({demand.root()}, true);
        }
        apart.wholes.emplace_back();
        const auto busiest = std::ranges::max_element(
            members, {}, [&](std::size_t node) { return demand.out_of(node) + demand.into(node); });
        std::swap(*busiest, members.front());
        add({members.front()}, true);
        if (members.size() > 1) add({members.begin() + 1, members.end()}, false);
    }
    return apart;
}

class Cuts {
public:
    Cuts(const simulate::Fabric& fabric, const Matrix<Link>& links, const Grouping& like,
         const Demand& demand, std::size_t ports, const std::vector<double>& after)
        : demand_(demand),
          apart_(stand_apart(like, demand)),
          groups_(fabric, links, apart_.members, ports),
          needed_(demand, groups_),
          after_(groups_.size(), never) {
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            if (demand.has_root() && groups_.members(group).front() == demand.root()) root_ = group;
            for (const std::size_t node : groups_.members(group))
                after_[group] = std::min(after_[group], after.empty() ? 0 : after[node]);
        }
    }

    /// The greatest of what the tasks say within the meter.
    [[nodiscard]] double time(Meter& meter) {
        // Those that promise most go first: then most others are seen to be easier at once.
        std::ranges::sort(tasks_, std::greater<>(), &Task::estimate);
        double bound = 0;
        for (const Task& task : tasks_) {
            if (meter.over()) break;
            meter.spend(task.crossing->links().size() * (1 + task.from.size() + task.to.size()));
            bound = std::max(bound, task.crossing->time(windows(task), task.bytes, bound, meter));
        }
        return bound;
    }

    /// Finds what has to be brought across which edges, until the meter is over; but one task for
    /// each at least. Half of it is for prices. All unions of up to `united` groups are looked at.
    void find(Meter& meter, std::size_t united) {
        Meter pricing(meter.share(1.0 / 2));
        Meter choosing(meter.share(1.0 / 2));
        for (const GroupSet& set : sets(united)) cut(set, pricing, choosing);
        meter.spend(pricing.spent() + choosing.spent());
    }
    [[nodiscard]] double routing(Meter& meter) const {
        return routing_bound(groups_, demand_, meter);
    }

private:
    /// Narrow ones first.
    [[nodiscard]] std::vector<GroupSet> sets(std::size_t united) const {
        std::vector<GroupSet> found = narrow_sets(groups_);
        const std::set<GroupSet> narrow(found.begin(), found.end());
        const std::size_t wholes = apart_.wholes.size();
        if (wholes > united) return found;
        for (std::size_t set = 1; set + 1 < std::size_t{1} << wholes; ++set) {
            GroupSet groups(groups_.size(), 0);
            for (std::size_t whole = 0; whole < wholes; ++whole)
                for (const std::size_t group : apart_.wholes[whole])
                    groups[group] = (set >> whole & 1U) != 0 ? 1 : 0;
            if (!narrow.contains(groups)) found.push_back(std::move(groups));
        }
        return found;
    }

    /// Sources or targets inside (`side` 1) or beside (0) a set. Where what several have joins into
    /// one, a single node says most, but of a scan also all of them; else all of them, or those of
    /// each group of like nodes.
    [[nodiscard]] std::vector<Members> choices(const GroupSet& set, char side, bool joins) const {
        std::vector<Members> found;
        Members all;
        for (std::size_t group = 0; group < set.size(); ++group)
            if (set[group] == side) all.push_back(group);
        if (joins) {
            if (demand_.is_ordered()) found.push_back(all);
            for (const std::size_t group : all)
                if (apart_.is_one[group] != 0 || demand_.is_ordered()) found.push_back({group});
            if (found.empty() && !all.empty()) found.push_back({all.front()});
            return found;
        }
        found.push_back(all);
        for (const Members& whole : apart_.wholes) {
            Members own;
            for (const std::size_t group : whole)
                if (set[group] == side) own.push_back(group);
            if (!own.empty() && own.size() < all.size()) found.push_back(std::move(own));
        }
        return found;
    }

    /// Something to bring across the edge of a set, from some groups to others; or, where none are
    /// named, both ways at any time.
    struct Task {
        const Crossing* crossing = nullptr;
        Members from;
        Members to;
        double bytes = 0;
        double estimate = 0;  ///< of the bound that it gives
    };

    void add(Task task) {
        double soonest = never;
        for (const Window& window : windows(task))
            soonest = std::min(soonest, window.open + window.shut);
        if (!(soonest < never && task.bytes > 0 && task.crossing->rate() > 0)) return;
        task.estimate = soonest + task.bytes / task.crossing->rate();
        tasks_.push_back(std::move(task));
    }

    void cut(const GroupSet& set, Meter& pricing, Meter& choosing) {
        if (demand_.has_root() && set[root_] == 0) return;
        std::vector<Crossing::Pair> across;
        for (std::size_t from = 0; from < set.size(); ++from)
            for (std::size_t to = 0; to < set.size(); ++to)
                if (set[from] != 0 && set[to] == 0 && groups_.link(from, to).exists())
                    across.emplace_back(from, to);
        if (across.empty()) return;
        const std::size_t links = across.size();
        const Crossing& crossing = crossings_.emplace_back(groups_, std::move(across), pricing);
        const auto sources = demand_.has_root() ? std::vector<Members>{{root_}}
                                                : choices(set, 1, demand_.joins_sources());
        const auto targets = choices(set, 0, demand_.joins_targets());
        std::vector<Task> own;
        for (const Members& from : sources)
            for (const Members& to : targets) {
                choosing.spend(from.size() * to.size());
                const double bytes = needed_.bytes(from, to);
                if (!(bytes > 0)) continue;
                own.push_back({&crossing, from, to, bytes, nearest(from, to)});
                if (crossing.rate() > 0) own.back().estimate += bytes / crossing.rate();
            }
        std::ranges::stable_sort(own, std::greater<>(), &Task::estimate);
        for (std::size_t t = 0; t < own.size() && (t == 0 || !choosing.over()); ++t) {
            choosing.spend(links);
            add(std::move(own[t]));
        }
        if (set.front() != 0) both_directions(set, pricing);
    }

    /// How soon something of any of the sources can be over at any of the targets.
    [[nodiscard]] double nearest(const Members& from, const Members& to) const {
        double least = never;
        for (const std::size_t source : from)
            for (const std::size_t target : to)
                least = std::min(least, groups_.soonest(source, target) + after_[target]);
        return least;
    }

    [[nodiscard]] std::vector<Window> windows(const Task& task) const {
        std::vector<Window> windows;
        for (const auto& [s, r] : task.crossing->links()) {
            const double latency = groups_.link(s, r).latency;
            Window window{task.from.empty() ? 0 : never, task.to.empty() ? 0 : never};
            for (const std::size_t source : task.from)
                window.open = std::min(window.open, groups_.soonest(source, s));
            for (const std::size_t target : task.to)
                window.shut = std::min(window.shut, groups_.soonest(r, target) + after_[target]);
            window.shut += latency;
            windows.push_back(window);
        }
        return windows;
    }

    /// Where one capacity serves what leaves the set and what enters it, both count together.
    void both_directions(const GroupSet& set, Meter& pricing) {
        Members inside;
        Members beside;
        for (std::size_t group = 0; group < set.size(); ++group)
            (set[group] != 0 ? inside : beside).push_back(group);
        const double bytes = needed_.bytes(inside, beside) + needed_.bytes(beside, inside);
        std::set<std::uint32_t> out;
        std::set<std::uint32_t> in;
        std::vector<Crossing::Pair> across;
        for (std::size_t from = 0; from < set.size(); ++from)
            for (std::size_t to = 0; to < set.size(); ++to) {
                if (set[from] == set[to] || !groups_.link(from, to).exists()) continue;
                const auto& draws = groups_.draws(from, to);
                (set[from] != 0 ? out : in).insert(draws.begin(), draws.end());
                across.emplace_back(from, to);
            }
        if (std::ranges::none_of(out, [&](std::uint32_t c) { return in.contains(c); })) return;
        add({&crossings_.emplace_back(groups_, std::move(across), pricing), {}, {}, bytes});
    }

    const Demand& demand_;
    Apart apart_;
    Groups groups_;
    GroupDemand needed_;
    std::vector<double> after_;
    std::size_t root_ = 0;
    std::deque<Crossing> crossings_;
    std::vector<Task> tasks_;
};

/// Calls `use(part_of, parts)` for all ways to put `size` things into parts: part_of[i] says where
/// i is.
template <typename Use>
void all_partitions(std::size_t size, Use use) {
    std::vector<std::size_t> part_of(size, 0);
    const auto extend = [&](auto& self, std::size_t next, std::size_t parts) -> void {
        if (next == size) return use(part_of, parts);
        for (std::size_t part = 0; part <= parts; ++part) {
            part_of[next] = part;
            self(self, next + 1, std::max(parts, part + 1));
        }
    };
    extend(extend, 0, 0);
}

class Parts {
public:
    Parts(const Groups& groups, double bytes, Meter& meter)
        : groups_(groups), bytes_(bytes), meter_(meter) {}

    /// Each node by itself; what links of some rate join; and of few such parts any joined.
    [[nodiscard]] double run() {
        each_node_by_itself();
        const auto partitions = parts_by_rate(groups_);
        for (const auto& parts : partitions) {
            std::vector<std::size_t> own(parts.size());
            std::iota(own.begin(), own.end(), std::size_t{0});
            look(parts, own, own.size());
        }
        for (const auto& parts : partitions)
            if (affords_all(parts.size()))
                all_partitions(parts.size(),
                               [&](const std::vector<std::size_t>& part_of, std::size_t count) {
                                   if (count > 1 && count < parts.size())
                                       look(parts, part_of, count);
                               });
        return bound_;
    }

private:
    /// Whether the meter lasts for all ways to join parts, which are fewer than their orders;
    /// prices of a cut take about as many steps as there are triples of groups.
    [[nodiscard]] bool affords_all(std::size_t parts) const {
        double steps = std::pow(static_cast<double>(groups_.size()), 3);
        for (std::size_t part = 2; part <= parts; ++part) steps *= static_cast<double>(part);
        return steps <= static_cast<double>(meter_.work_left());
    }
    void each_node_by_itself() {
        std::vector<Crossing::Pair> links;
        std::size_t nodes = 0;
        for (std::size_t a = 0; a < groups_.size(); ++a) {
            nodes += groups_.members(a).size();
            for (std::size_t b = 0; b < groups_.size(); ++b)
                if (groups_.link(a, b).exists()) links.emplace_back(a, b);
        }
        look(std::move(links), nodes);
    }

    void look(const std::vector<GroupSet>& parts, const std::vector<std::size_t>& joined_in,
              std::size_t count) {
        std::vector<std::size_t> part_of(groups_.size(), 0);
        for (std::size_t p = 0; p < parts.size(); ++p)
            for (std::size_t group = 0; group < part_of.size(); ++group)
                if (parts[p][group] != 0) part_of[group] = joined_in[p];
        std::vector<Crossing::Pair> links;
        for (std::size_t a = 0; a < part_of.size(); ++a)
            for (std::size_t b = 0; b < part_of.size(); ++b)
                if (part_of[a] != part_of[b] && groups_.link(a, b).exists())
                    links.emplace_back(a, b);
        look(std::move(links), count);
    }

    void look(std::vector<Crossing::Pair> links, std::size_t parts) {
        meter_.spend(groups_.size() * groups_.size());
        if (links.empty() || parts < 2) return;
        std::vector<Window> windows;
        for (const auto& [from, to] : links) windows.push_back({0, groups_.link(from, to).latency});
        const Crossing crossing(groups_, std::move(links), meter_);
        const double bytes = 2 * static_cast<double>(parts - 1) * bytes_;
        bound_ = std::max(bound_, crossing.time(windows, bytes, bound_, meter_));
    }

    const Groups& groups_;
    double bytes_;
    Meter& meter_;
    double bound_ = 0;
};

}  // namespace

double cut_bound(const simulate::Fabric& fabric, const Matrix<Link>& links, const Grouping& like,
                 const Demand& demand, std::size_t ports, const std::vector<double>& after,
                 Meter& meter) {
    const std::uint64_t looks = simulate::steps_a_cost * fabric.nodes() * fabric.nodes();
    if (demand.all().value == 0 || looks > meter.work_left()) return 0;
    meter.spend(looks);
    Cuts cuts(fabric, links, like, demand, ports, after);
    Meter finding(meter.share(1.0 / 4));
    cuts.find(finding, most_united(meter));
    meter.spend(finding.spent());
    double bound = meter.lend(1.0 / 3, [&](Meter& own) { return cuts.time(own); });
    if (demand.joins_sources() && demand.joins_targets() && !demand.has_root() &&
        !demand.is_ordered()) {
        const Groups groups(fabric, links, like, ports);
        bound = std::max(bound, meter.lend(1.0 / 2, [&](Meter& own) {
            return Parts(groups, static_cast<double>(demand.all().value), own).run();
        }));
    }
    return std::max(bound, cuts.routing(meter));
}

}  // namespace espalier::plan::bounds
