#include "plan/ring/path_pool.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

namespace espalier::plan::ring {

PathPool::PathPool(const Problem& problem, bool fixed)
    : problem_(problem),
      fixed_(fixed || problem.platform.has_routes()),
      between_(problem.platform.hosts(), problem.platform.hosts()) {}

const std::vector<PathId>& PathPool::between(Host from, Host to) {
    std::vector<PathId>& tried = between_(from, to).tried;
    if (tried.empty()) {
        tried.push_back(store(from, to, problem_.routes(from, to)));
        between_(from, to).known.push_back(tried.front());
    }
    return tried;
}

PathId PathPool::add(Host from, Host to, const Path& path) {
    (void)between(from, to);
    auto& [known, tried] = between_(from, to);
    const auto found = std::ranges::find_if(known, [&](PathId id) { return paths_[id] == path; });
    const PathId id = found == known.end() ? store(from, to, path) : *found;
    if (found == known.end()) known.push_back(id);
    if (fixed_) return id;
    const auto place = std::ranges::find(tried, id);
    if (place != tried.end()) {
        if (place != tried.begin()) std::rotate(place, place + 1, tried.end());
    } else {
        if (tried.size() == most) tried.erase(tried.begin() + 1);
        tried.push_back(id);
    }
    return id;
}

PathId PathPool::store(Host from, Host to, const Path& path) {
    const auto id = static_cast<PathId>(entries_.size());
    const auto first = static_cast<std::uint32_t>(shared_.size());
    for (const LinkId link : path)
        if (problem_.platform.link(link).shared) shared_.push_back(link);
    entries_.push_back({first, static_cast<std::uint32_t>(shared_.size()),
                        problem_.delay(from, to, path), problem_.width(path)});
    paths_.push_back(path);
    return id;
}

void PathPool::offer_cheapest(Host from, std::span<const Host> targets,
                              std::span<const double> weights) {
    if (fixed_) return;
    const Platform& platform = problem_.platform;
    constexpr double unreached = std::numeric_limits<double>::infinity();
    struct Reached {
        double distance = unreached;
        Vertex before = 0;
        LinkId link = 0;
    };
    std::vector<Reached> reached(platform.vertices());
    using Open = std::pair<double, Vertex>;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
    const Vertex source = platform.vertex_of(from);
    reached[source].distance = 0;
    open.emplace(0, source);
    while (!open.empty()) {
        const auto [distance, vertex] = open.top();
        open.pop();
        if (distance > reached[vertex].distance) continue;
        for (const Platform::Arc& arc : platform.leaving(vertex)) {
            const double longer = distance + weights[arc.link];
            if (longer >= reached[arc.to].distance) continue;
            reached[arc.to] = {longer, vertex, arc.link};
            open.emplace(longer, arc.to);
        }
    }
    steps_ += platform.vertices() * 10;
    Path path;
    for (const Host target : targets) {
        if (target == from) continue;
        path.clear();
        for (Vertex v = platform.vertex_of(target); v != source; v = reached[v].before)
            path.push_back(reached[v].link);
        std::ranges::reverse(path);
        add(from, target, path);
        steps_ += path.size() * 4;
    }
}

}  // namespace espalier::plan::ring
