#include "ring/oracle.hpp"

#include "core/infinity.hpp"
#include "ring/allocation.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::test {
namespace {

using ring::Embedding;
using ring::Host;
using ring::Path;
using ring::Platform;
using ring::Problem;
using ring::Vertex;

void extend(const Platform& platform, Vertex at, Vertex to, std::vector<char>& visited, Path& path,
            std::vector<Path>& found) {
    if (at == to) {
        found.push_back(path);
        return;
    }
    visited[at] = 1;
    for (const auto& arc : platform.leaving(at)) {
        if (visited[arc.to] != 0) continue;
        path.push_back(arc.link);
        extend(platform, arc.to, to, visited, path, found);
        path.pop_back();
    }
    visited[at] = 0;
}

/// A ring's paths, each with all that it may be: those to successors, then to predecessors.
class PathChoices {
public:
    PathChoices(const Problem& problem, const std::vector<Host>& order) : problem_(problem) {
        embedding_.order = order;
        embedding_.to_successor.resize(order.size());
        embedding_.to_predecessor.resize(order.size());
        for (std::size_t place = 0; place < order.size(); ++place)
            options_.push_back(
                simple_paths(problem.platform, order[place], order[embedding_.after(place)]));
        for (std::size_t place = 0; place < order.size(); ++place)
            options_.push_back(
                simple_paths(problem.platform, order[place], order[embedding_.before(place)]));
    }

    double best(std::size_t most_choices) {
        std::size_t choices = 1;
        for (const auto& options : options_)
            choices = std::min(choices * options.size(), most_choices + 1);
        std::vector<std::size_t> chosen(options_.size(), 0);
        return choices <= most_choices ? try_all(chosen, 0) : descend(chosen);
    }

private:
    double step_time(const std::vector<std::size_t>& chosen) {
        const std::size_t hosts = embedding_.size();
        for (std::size_t place = 0; place < hosts; ++place) {
            embedding_.to_successor[place] = options_[place][chosen[place]];
            embedding_.to_predecessor[place] = options_[hosts + place][chosen[hosts + place]];
        }
        return ring::optimal_rates(problem_, embedding_).division.step_time;
    }
    double try_all(std::vector<std::size_t>& chosen, std::size_t path) {
        if (path == chosen.size()) return step_time(chosen);
        double best = infinity;
        for (chosen[path] = 0; chosen[path] < options_[path].size(); ++chosen[path])
            best = std::min(best, try_all(chosen, path + 1));
        return best;
    }
    double descend(std::vector<std::size_t> chosen) {
        double best = step_time(chosen);
        for (bool better = true; better;) {
            better = false;
            for (std::size_t path = 0; path < chosen.size(); ++path)
                for (std::size_t option = 0; option < options_[path].size(); ++option) {
                    auto other = chosen;
                    other[path] = option;
                    const double time = step_time(other);
                    if (!(time < best * (1 - 1e-6))) continue;
                    best = time;
                    chosen = std::move(other);
                    better = true;
                }
        }
        return best;
    }

    const Problem& problem_;
    Embedding embedding_;
    std::vector<std::vector<Path>> options_;
};

}  // namespace

std::vector<Path> simple_paths(const Platform& platform, Host from, Host to) {
    if (platform.has_routes()) return {platform.routes()(from, to)};
    std::vector<Path> found;
    std::vector<char> visited(platform.vertices(), 0);
    Path path;
    extend(platform, platform.vertex_of(from), platform.vertex_of(to), visited, path, found);
    return found;
}

void for_each_ring(std::size_t hosts, const std::function<void(const std::vector<Host>&)>& visit) {
    for (std::size_t chosen = 0; chosen < std::size_t{1} << hosts; ++chosen) {
        std::vector<Host> order;
        for (Host host = 0; host < hosts; ++host)
            if ((chosen >> host & 1) != 0) order.push_back(host);
        if (order.size() < 2) continue;
        do {
            if (order.size() < 3 || order[1] < order.back()) visit(order);
        } while (std::next_permutation(order.begin() + 1, order.end()));
    }
}

double least_step_time(const Problem& problem, std::size_t most_choices) {
    double best = infinity;
    for (Host host = 0; host < problem.platform.hosts(); ++host)
        best = std::min(best, problem.work * problem.platform.cycle_time(host));
    for_each_ring(problem.platform.hosts(), [&](const std::vector<Host>& order) {
        best = std::min(best, PathChoices(problem, order).best(most_choices));
    });
    return best;
}

}  // namespace espalier::test
