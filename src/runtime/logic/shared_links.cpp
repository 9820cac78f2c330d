#include "runtime/logic/shared_links.hpp"

#include <algorithm>
#include <utility>

namespace espalier::runtime {

bool near_ones_hold_up_far_ones(const plan::Job& job, const plan::CollectiveRequest& scatter,
                                Seconds predicted) {
    constexpr double good_part = 0.1;
    const network::GridView& view = *job.view;
    const auto root = job.places[scatter.root];
    Seconds near;
    for (std::size_t rank = 0; rank < job.places.size(); ++rank) {
        const auto place = job.places[rank];
        if (place == root) continue;  // by memory
        const network::PLogP* link = view.link(root.leaf, place.leaf);
        const bool far = std::ranges::any_of(view.shared(), [&](const auto& shared) {
            return shared.pairs(root.leaf, place.leaf) != 0;
        });
        if (far || link == nullptr) continue;
        near += link->gap(scatter.blocks ? (*scatter.blocks)[rank] : scatter.bytes);
    }
    return near > predicted * good_part;
}

void heed_links(std::vector<FoundPlan>& found, FoundPlan suited, const plan::Shortlist& shortlist,
                double within, std::size_t most_others) {
    /// What links do is worth so much of what is predicted without it.
    constexpr double worth = 1.1;
    const double times = *suited.predicted / *found.front().predicted;
    const bool first = times <= worth;
    if (!first && (shortlist.most == 1 || times > within)) return;
    std::erase_if(found, [&](const FoundPlan& plan) {
        return plan.schedule.algorithm == suited.schedule.algorithm;
    });
    const std::size_t others = std::min(shortlist.most - 1, most_others);
    found.resize(std::min(found.size(), others));
    found.insert(first ? found.begin() : found.end(), std::move(suited));
}

}  // namespace espalier::runtime
