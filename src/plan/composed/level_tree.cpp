#include "plan/composed/level_tree.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace espalier::plan::composed {

namespace {

/// How much what a receiver needs inside speaks for it, and what a sender needs inside against it.
constexpr double receiver_weight = 0.1;
constexpr double sender_weight = 0.15;

/// The tree of one member: who speaks for it, its edges in order, and how long it takes.
struct Part {
    std::size_t speaker = 0;
    double time = 0;
    std::vector<std::pair<std::size_t, std::size_t>> edges;
};

class Builder {
public:
    Builder(const Problem& problem, std::size_t root, Bytes bytes, Way way)
        : fabric_(*problem.fabric), root_(root), bytes_(bytes), way_(way) {}

    [[nodiscard]] Part make(const Site& site) const {
        Part whole;
        if (site.members.empty()) {
            whole.speaker = site.rank;
            return whole;
        }
        std::vector<Part> parts;
        for (const Site& member : site.members) parts.push_back(make(member));
        const std::size_t first = site.speaker(root_);
        whole.speaker = parts[first].speaker;
        if (parts[first].speaker != root_) whole.speaker = parts[0].speaker;
        join(site, parts, first, whole);
        for (const Part& part : parts)
            whole.edges.insert(whole.edges.end(), part.edges.begin(), part.edges.end());
        return whole;
    }

private:
    [[nodiscard]] simulate::MessageCost cost(std::size_t from, std::size_t to) const {
        return way_ == Way::down ? fabric_.cost(from, to, bytes_) : fabric_.cost(to, from, bytes_);
    }

    /// Receivers in the order in which a sender prefers them; one that all share where members are
    /// alike.
    struct Preference {
        std::vector<std::pair<double, std::size_t>> receivers;
        std::size_t next = 0;
    };

    [[nodiscard]] Preference preference(const std::vector<Part>& parts, std::size_t sender) const {
        Preference found;
        for (std::size_t to = 0; to < parts.size(); ++to) {
            if (to == sender) continue;
            const auto message = cost(parts[sender].speaker, parts[to].speaker);
            found.receivers.emplace_back((message.gap + message.latency).value -
                                             receiver_weight * parts[to].time +
                                             sender_weight * parts[sender].time,
                                         to);
        }
        std::ranges::sort(found.receivers);
        return found;
    }

    void join(const Site& site, const std::vector<Part>& parts, std::size_t first,
              Part& whole) const {
        const bool alike = site.link != nullptr;
        std::vector<Preference> preferences(alike ? 1 : parts.size());
        std::vector<char> served(parts.size(), 0);
        std::vector<double> ready(parts.size(), 0);
        using Key = std::pair<double, std::size_t>;
        std::priority_queue<Key, std::vector<Key>, std::greater<>> senders;
        const auto preference_of = [&](std::size_t sender) -> Preference& {
            return preferences[alike ? 0 : sender];
        };
        const auto offer = [&](std::size_t sender) {
            Preference& own = preference_of(sender);
            while (own.next < own.receivers.size() && served[own.receivers[own.next].second] != 0)
                ++own.next;
            if (own.next < own.receivers.size())
                senders.emplace(ready[sender] + own.receivers[own.next].first, sender);
        };
        const auto admit = [&](std::size_t member) {
            served[member] = 1;
            if (!alike || member == first) preference_of(member) = preference(parts, member);
            offer(member);
        };
        admit(first);
        for (std::size_t left = parts.size() - 1; left > 0;) {
            const auto [key, from] = senders.top();
            senders.pop();
            const Preference& own = preference_of(from);
            const auto [cost_of_next, to] = own.receivers[own.next];
            if (served[to] != 0 || ready[from] + cost_of_next > key) {
                offer(from);
                continue;
            }
            const auto message = cost(parts[from].speaker, parts[to].speaker);
            whole.edges.emplace_back(parts[from].speaker, parts[to].speaker);
            ready[to] = ready[from] + (message.gap + message.latency).value;
            ready[from] += message.gap.value;
            --left;
            admit(to);
            offer(from);
        }
        for (std::size_t member = 0; member < parts.size(); ++member)
            whole.time = std::max(whole.time, ready[member] + parts[member].time);
    }

    const simulate::Fabric& fabric_;
    std::size_t root_;
    Bytes bytes_;
    Way way_;
};

}  // namespace

Tree level_tree(const Problem& problem, std::size_t root, Bytes bytes, Way way) {
    Tree tree(problem.job->places.size(), root);
    for (const auto& [from, to] : Builder(problem, root, bytes, way).make(*problem.site).edges)
        tree.add(from, to);
    return tree;
}

}  // namespace espalier::plan::composed
