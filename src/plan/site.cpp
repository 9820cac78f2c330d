#include "plan/site.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace espalier::plan {

namespace {

using network::Cluster;
using network::GridNetwork;
using network::GridView;

class Builder {
public:
    explicit Builder(const Job& job) : view_(*job.view) {
        for (std::size_t rank = 0; rank < job.places.size(); ++rank)
            ranks_[job.places[rank]].push_back(rank);
    }

    /// nullopt where the job has no rank in it.
    [[nodiscard]] std::optional<Site> grid(const GridNetwork& network,
                                           std::vector<std::size_t>& path) const {
        Site site;
        site.grid = &network;
        for (std::size_t c = 0; c < network.size(); ++c) {
            const Cluster& cluster = network.clusters[c];
            path.push_back(c);
            auto member =
                cluster.grid() != nullptr ? grid(*cluster.grid(), path) : leaf(cluster, path);
            path.pop_back();
            if (!member) continue;
            if (member->grid != nullptr && member->members.size() == 1)
                member = Site(member->members.front());
            member->name = cluster.name;
            site.members.push_back(std::move(*member));
            site.index.push_back(c);
        }
        if (site.members.empty()) return std::nullopt;
        return site;
    }

private:
    /// The nodes of one cluster that have ranks; where it has one such node, that node's ranks.
    [[nodiscard]] std::optional<Site> leaf(const Cluster& cluster,
                                           const std::vector<std::size_t>& path) const {
        const auto found =
            std::find_if(view_.leaves().begin(), view_.leaves().end(),
                         [&](const auto& candidate) { return candidate.path == path; });
        const auto index = static_cast<std::size_t>(found - view_.leaves().begin());
        Site site;
        site.link = cluster.local();
        for (auto it = ranks_.lower_bound({index, 0});
             it != ranks_.end() && it->first.leaf == index; ++it)
            site.members.push_back(node(cluster, it->first, it->second));
        if (site.members.empty()) return std::nullopt;
        const auto* known = std::get_if<Cluster::KnownBroadcast>(&cluster.inside);
        if (known != nullptr && (site.members.size() > 1 || known->time.value > 0)) {
            site.known_broadcast = known->time;
            return site;
        }
        if (site.members.size() == 1) return Site(site.members.front());
        if (site.link == nullptr)
            throw InputError(
                fmt::format("the cost inside cluster '{}' is not known", cluster.name));
        return site;
    }

    [[nodiscard]] Site node(const Cluster& cluster, GridView::Place place,
                            const std::vector<std::size_t>& ranks) const {
        Site site;
        site.name = view_.name_of(place);
        if (ranks.size() == 1) {
            site.rank = ranks.front();
            return site;
        }
        site.link = cluster.within_node ? &*cluster.within_node : cluster.local();
        if (site.link == nullptr)
            throw InputError(
                fmt::format("the cost between ranks of node '{}' is not known", site.name));
        for (const std::size_t rank : ranks) {
            Site member;
            member.name = fmt::format("{}:{}", site.name, site.members.size());
            member.rank = rank;
            site.members.push_back(std::move(member));
        }
        return site;
    }

    const GridView& view_;
    std::map<GridView::Place, std::vector<std::size_t>> ranks_;
};

void collect(const Site& site, std::vector<std::size_t>& ranks) {
    if (site.members.empty()) ranks.push_back(site.rank);
    for (const Site& member : site.members) collect(member, ranks);
}

}  // namespace

std::vector<std::size_t> Site::ranks() const {
    std::vector<std::size_t> found;
    collect(*this, found);
    return found;
}

std::size_t Site::coordinating_member(std::size_t wanted) const {
    for (std::size_t m = 0; m < members.size(); ++m) {
        const auto below = members[m].ranks();
        if (std::find(below.begin(), below.end(), wanted) != below.end()) return m;
    }
    return 0;
}

schedule::Group Site::group() const {
    schedule::Group group{name, {}};
    for (const Site& member : members) group.members.push_back(member.group());
    return group;
}

bool Site::is_known() const {
    return !known_broadcast && std::all_of(members.begin(), members.end(),
                                           [](const Site& member) { return member.is_known(); });
}

std::vector<network::GridView::Place> coordinators(const Job& job, const Site& site) {
    std::vector<network::GridView::Place> places;
    for (const Site& member : site.members) places.push_back(job.places[member.ranks().front()]);
    return places;
}

Site site_of(const Job& job) {
    std::vector<std::size_t> path;
    auto site = Builder(job).grid(job.view->grid(), path);
    if (!site) throw InputError("the job has no rank");
    return std::move(*site);
}

}  // namespace espalier::plan
