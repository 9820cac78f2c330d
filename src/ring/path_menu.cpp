#include "ring/path_menu.hpp"

#include "core/error.hpp"
#include "ring/simple_paths.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::ring {
namespace {

bool is_as_good(const PathOutline& one, const PathOutline& other) {
    return one.delay <= other.delay && one.width >= other.width &&
           std::ranges::includes(other.shared, one.shared);
}

/// Leaves out each that another one is as good as.
std::vector<PathMenu::Item> best_of(std::vector<PathMenu::Item> items) {
    std::vector<PathMenu::Item> best;
    for (auto& item : items) {
        const auto beats = [&](const PathMenu::Item& other) {
            return is_as_good(other.outline, item.outline);
        };
        if (std::ranges::any_of(best, beats)) continue;
        std::erase_if(best, [&](const PathMenu::Item& other) {
            return is_as_good(item.outline, other.outline);
        });
        best.push_back(std::move(item));
    }
    return best;
}

}  // namespace

double count_rings(std::size_t hosts) {
    double sum = 0;
    double choices = 1;  // ways to choose `size` of the hosts
    double orders = 1;   // (size - 1)!
    for (std::size_t size = 1; size <= hosts; ++size) {
        choices *= static_cast<double>(hosts - size + 1) / static_cast<double>(size);
        if (size > 2) orders *= static_cast<double>(size - 1);
        sum += choices * (size > 2 ? orders / 2 : 1);
    }
    return sum;
}

PathMenu::PathMenu(const Problem& problem, PathChoice choice, std::size_t most)
    : items_(problem.platform.hosts(), problem.platform.hosts()),
      any_(problem.platform.hosts(), problem.platform.hosts()),
      least_times_(problem.platform.hosts(), problem.platform.hosts(), 0) {
    const std::size_t hosts = problem.platform.hosts();
    std::size_t left = most;
    const auto paths = [&](Host from, Host to) {
        if (choice != PathChoice::all) return std::vector<Path>{problem.routes(from, to)};
        auto found = simple_paths(problem.platform, from, to, left);
        if (!found)
            throw InputError(
                "links", "",
                fmt::format("{} hosts make {:.4g} rings, and more than {} simple paths "
                            "lead between them: too many to try them all",
                            hosts, count_rings(hosts), most));
        left -= found->size();
        return std::move(*found);
    };
    for (Host from = 0; from < hosts; ++from) {
        for (Host to = 0; to < hosts; ++to) {
            if (from == to) continue;
            std::vector<Item> items;
            for (Path& path : paths(from, to)) {
                PathOutline known = outline(problem, from, to, path);
                items.push_back({std::move(path), std::move(known)});
            }
            items = best_of(std::move(items));
            std::ranges::stable_sort(items, {}, [&](const Item& item) {
                return item.outline.least_time(problem.exchange);
            });
            any_(from, to) = items.front().outline;
            for (const Item& item : items) any_(from, to) = either(any_(from, to), item.outline);
            least_times_(from, to) = items.front().outline.least_time(problem.exchange);
            items_(from, to) = std::move(items);
        }
    }
}

}  // namespace espalier::ring
