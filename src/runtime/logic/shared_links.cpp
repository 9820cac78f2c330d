#include "runtime/logic/shared_links.hpp"

#include <algorithm>
#include <utility>

namespace espalier::runtime {

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
