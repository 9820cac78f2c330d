#include "plan/composed/runs.hpp"

#include <algorithm>
#include <optional>

namespace espalier::plan::composed {

namespace {

/// nullopt where the site's ranks do not lie together.
std::optional<Run> run_of(const Site& site) {
    const auto ranks = site.ranks();
    const auto [first, last] = std::ranges::minmax(ranks);
    if (last - first + 1 != ranks.size()) return std::nullopt;
    Run run{first, last, {}, site.link != nullptr};
    for (const Site& member : site.members) {
        auto found = run_of(member);
        if (!found) {
            run.members.clear();
            break;
        }
        run.members.push_back(*std::move(found));
    }
    std::ranges::sort(run.members, {}, &Run::first);
    return run;
}

}  // namespace

Run runs_of(const Site& site) { return run_of(site).value(); }

}  // namespace espalier::plan::composed
