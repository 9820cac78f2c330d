#include "plan/job.hpp"

#include <fmt/format.h>

#include <map>

namespace espalier::plan {

Job Job::everywhere(const network::GridView& view) {
    Job job{&view, {}};
    for (std::size_t node = 0; node < view.nodes(); ++node)
        job.places.push_back(view.place_of(node));
    return job;
}

std::vector<std::string> rank_names(const Job& job) {
    std::map<network::GridView::Place, std::size_t> ranks_of;
    for (const auto place : job.places) ++ranks_of[place];
    std::map<network::GridView::Place, std::size_t> named;
    std::vector<std::string> names;
    for (const auto place : job.places) {
        names.push_back(job.view->name_of(place));
        if (ranks_of[place] > 1) names.back() += fmt::format(":{}", named[place]++);
    }
    return names;
}

}  // namespace espalier::plan
