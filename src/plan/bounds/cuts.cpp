#include "plan/bounds/cuts.hpp"

#include "plan/bounds/crossing.hpp"
#include "plan/bounds/routing.hpp"
#include "plan/bounds/sets.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <set>

namespace espalier::plan::bounds {

namespace {

/// Of more groups, what several have is not looked at group by group.
constexpr std::size_t most_alone = 12;
/// Of what has to cross one edge, so many pairs of sources and targets are looked at.
constexpr std::size_t most_tasks = 16;
/// Partitions into so many parts are tried with any of them joined.
constexpr std::size_t most_parts_joined = 6;
/// So many partitions are looked at.
constexpr std::size_t most_partitions = 8;

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

    [[nodiscard]] double run() {
        for (const GroupSet& set : sets()) cut(set);
        // Those that promise most go first: then most others are seen to be easier at once.
        std::ranges::sort(tasks_, std::greater<>(), &Task::estimate);
        double bound = routing_bound(groups_, demand_);
        for (const Task& task : tasks_)
            bound = std::max(bound, task.crossing->time(task.windows, task.bytes, bound));
        return bound;
    }

private:
    [[nodiscard]] std::vector<GroupSet> sets() const {
        std::set<GroupSet> found;
        const std::size_t wholes = apart_.wholes.size();
        if (wholes <= few_groups)
            for (std::size_t set = 1; set + 1 < std::size_t{1} << wholes; ++set) {
                GroupSet groups(groups_.size(), 0);
                for (std::size_t whole = 0; whole < wholes; ++whole)
                    for (const std::size_t group : apart_.wholes[whole])
                        groups[group] = (set >> whole & 1U) != 0 ? 1 : 0;
                found.insert(std::move(groups));
            }
        for (GroupSet& set : narrow_sets(groups_)) found.insert(std::move(set));
        return {found.begin(), found.end()};
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
            for (std::size_t group = 0; group < set.size(); ++group)
                if (set[group] == side && (apart_.is_one[group] != 0 || demand_.is_ordered()))
                    found.push_back({group});
            for (std::size_t group = 0; found.empty() && group < set.size(); ++group)
                if (set[group] == side) found.push_back({group});
            return found;
        }
        if (apart_.wholes.size() <= most_alone)
            for (const Members& whole : apart_.wholes) {
                Members own;
                for (const std::size_t group : whole)
                    if (set[group] == side) own.push_back(group);
                if (!own.empty() && own.size() < all.size()) found.push_back(std::move(own));
            }
        found.push_back(std::move(all));
        return found;
    }

    /// Something to bring across the edge of a set.
    struct Task {
        const Crossing* crossing = nullptr;
        std::vector<Window> windows;
        double bytes = 0;
        double estimate = 0;  ///< of the bound that it gives
    };

    void add(const Crossing& crossing, std::vector<Window> windows, double bytes,
             std::vector<Task>& tasks) const {
        double soonest = never;
        for (const Window& window : windows) soonest = std::min(soonest, window.open + window.shut);
        if (soonest < never && bytes > 0 && crossing.rate() > 0)
            tasks.push_back(
                {&crossing, std::move(windows), bytes, soonest + bytes / crossing.rate()});
    }

    void cut(const GroupSet& set) {
        if (demand_.has_root() && set[root_] == 0) return;
        std::vector<Crossing::Pair> across;
        for (std::size_t from = 0; from < set.size(); ++from)
            for (std::size_t to = 0; to < set.size(); ++to)
                if (set[from] != 0 && set[to] == 0 && groups_.link(from, to).exists())
                    across.emplace_back(from, to);
        if (across.empty()) return;
        const Crossing& crossing = crossings_.emplace_back(groups_, std::move(across));
        const auto sources = demand_.has_root() ? std::vector<Members>{{root_}}
                                                : choices(set, 1, demand_.joins_sources());
        const auto targets = choices(set, 0, demand_.joins_targets());
        std::vector<Task> own;
        for (const Members& from : sources)
            for (const Members& to : targets) {
                const double bytes = needed_.bytes(from, to);
                if (bytes > 0) add(crossing, windows(crossing, from, to), bytes, own);
            }
        std::ranges::sort(own, std::greater<>(), &Task::estimate);
        if (own.size() > most_tasks) own.resize(most_tasks);
        std::ranges::move(own, std::back_inserter(tasks_));
        if (set.front() != 0) both_ways(set);
    }

    [[nodiscard]] std::vector<Window> windows(const Crossing& crossing, const Members& from,
                                              const Members& to) const {
        std::vector<Window> windows;
        for (const auto& [s, r] : crossing.links()) {
            Window window{never, never};
            for (const std::size_t source : from)
                window.open = std::min(window.open, groups_.soonest(source, s));
            for (const std::size_t target : to)
                window.shut = std::min(window.shut, groups_.soonest(r, target) + after_[target]);
            window.shut += groups_.link(s, r).latency;
            windows.push_back(window);
        }
        return windows;
    }

    /// Where one capacity serves what leaves the set and what enters it, both count together.
    void both_ways(const GroupSet& set) {
        Members inside;
        Members beside;
        for (std::size_t group = 0; group < set.size(); ++group)
            (set[group] != 0 ? inside : beside).push_back(group);
        const double bytes = needed_.bytes(inside, beside) + needed_.bytes(beside, inside);
        std::set<std::uint32_t> out;
        std::set<std::uint32_t> in;
        std::vector<Crossing::Pair> across;
        std::vector<Window> windows;
        for (std::size_t from = 0; from < set.size(); ++from)
            for (std::size_t to = 0; to < set.size(); ++to) {
                if (set[from] == set[to] || !groups_.link(from, to).exists()) continue;
                const auto& draws = groups_.draws(from, to);
                (set[from] != 0 ? out : in).insert(draws.begin(), draws.end());
                across.emplace_back(from, to);
                windows.push_back({0, groups_.link(from, to).latency});
            }
        if (std::ranges::none_of(out, [&](std::uint32_t c) { return in.contains(c); })) return;
        add(crossings_.emplace_back(groups_, std::move(across)), std::move(windows), bytes, tasks_);
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

/// Calls `use(part_of)` for all ways to put `size` things into parts: part_of[i] says where i is.
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
    Parts(const Groups& groups, double bytes) : groups_(groups), bytes_(bytes) {}

    [[nodiscard]] double run() {
        each_node_by_itself();
        for (const auto& parts : parts_by_rate(groups_, most_partitions)) {
            if (parts.size() > most_parts_joined) {
                std::vector<std::size_t> own(parts.size());
                for (std::size_t part = 0; part < own.size(); ++part) own[part] = part;
                look(parts, own, own.size());
                continue;
            }
            all_partitions(parts.size(),
                           [&](const std::vector<std::size_t>& part_of, std::size_t count) {
                               if (count > 1) look(parts, part_of, count);
                           });
        }
        return bound_;
    }

private:
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
        if (links.empty() || parts < 2) return;
        std::vector<Window> windows;
        for (const auto& [from, to] : links) windows.push_back({0, groups_.link(from, to).latency});
        const Crossing crossing(groups_, std::move(links));
        const double bytes = 2 * static_cast<double>(parts - 1) * bytes_;
        bound_ = std::max(bound_, crossing.time(windows, bytes, bound_));
    }

    const Groups& groups_;
    double bytes_;
    double bound_ = 0;
};

}  // namespace

double cut_bound(const simulate::Fabric& fabric, const Matrix<Link>& links, const Grouping& like,
                 const Demand& demand, std::size_t ports, const std::vector<double>& after) {
    return Cuts(fabric, links, like, demand, ports, after).run();
}

double parts_bound(const simulate::Fabric& fabric, const Matrix<Link>& links, const Grouping& like,
                   double bytes, std::size_t ports) {
    if (!(bytes > 0)) return 0;
    return Parts(Groups(fabric, links, like, ports), bytes).run();
}

}  // namespace espalier::plan::bounds
