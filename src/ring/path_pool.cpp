#include "ring/path_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace espalier::ring {

PathPool::PathPool(const Problem& problem, bool fixed)
    : problem_(problem),
      fixed_(fixed || problem.platform.has_routes()),
      between_(problem.platform.hosts(), problem.platform.hosts()) {
    if (!fixed_) search_.emplace(problem.platform, nullptr);
}

const std::vector<PathId>& PathPool::between(Host from, Host to) {
    std::vector<PathId>& paths = between_(from, to);
    if (paths.empty()) paths.push_back(store(from, to, problem_.routes(from, to)));
    return paths;
}

PathId PathPool::add(Host from, Host to, const Path& path) {
    (void)between(from, to);
    std::vector<PathId>& paths = between_(from, to);
    const auto known = std::ranges::find_if(paths, [&](PathId id) { return paths_[id] == path; });
    if (known != paths.end()) {
        const PathId id = *known;
        if (known != paths.begin()) std::rotate(known, known + 1, paths.end());
        return id;
    }
    const PathId id = store(from, to, path);
    if (fixed_) return id;
    if (paths.size() == most) paths.erase(paths.begin() + 1);
    paths.push_back(id);
    return id;
}

PathId PathPool::store(Host from, Host to, const Path& path) {
    std::vector<LinkId> shared;
    for (const LinkId link : path)
        if (problem_.platform.link(link).shared) shared.push_back(link);
    std::ranges::sort(shared);
    paths_.push_back(path);
    return store(shared, problem_.delay(from, to, path), problem_.width(path));
}

PathId PathPool::store(std::span<const LinkId> shared, double delay, double width) {
    const auto first = static_cast<std::uint32_t>(shared_.size());
    shared_.insert(shared_.end(), shared.begin(), shared.end());
    entries_.push_back({first, static_cast<std::uint32_t>(shared_.size()), delay, width});
    return static_cast<PathId>(entries_.size() - 1);
}

PathId PathPool::stand_in(std::span<const PathId> paths) {
    if (paths.size() == 1) return paths.front();
    const auto of_first = shared_links(paths.front());
    std::vector<LinkId> shared(of_first.begin(), of_first.end());
    Entry all = entry(paths.front());
    for (const PathId path : paths) {
        std::vector<LinkId> common;
        std::ranges::set_intersection(shared, shared_links(path), std::back_inserter(common));
        shared = std::move(common);
        all.delay = std::min(all.delay, entry(path).delay);
        all.width = std::max(all.width, entry(path).width);
    }
    paths_.emplace_back();
    return store(shared, all.delay, all.width);
}

void PathPool::offer_cheapest(Host from, std::span<const Host> targets,
                              std::span<const double> weights) {
    if (fixed_) return;
    search_->find_shortest(weights, from, tree_);
    steps_ += problem_.platform.vertices() * 10;
    for (const Host target : targets) {
        if (target == from) continue;
        const Path path = *search_->follow(tree_, target, 0);
        add(from, target, path);
        steps_ += path.size() * 4;
    }
}

}  // namespace espalier::ring
