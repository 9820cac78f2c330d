#include "support/random_jobs.hpp"

#include <algorithm>

namespace espalier::test {

plan::Job random_job(Random& random, const network::GridView& view) {
    plan::Job job{&view, {}};
    while (job.places.empty())
        for (std::size_t node = 0; node < view.nodes(); ++node)
            if (random.below(4) > 0)
                for (std::size_t rank = 0; rank < 1 + random.below(3) / 2; ++rank)
                    job.places.insert(job.places.begin() + static_cast<std::ptrdiff_t>(
                                                               random.below(job.places.size() + 1)),
                                      view.place_of(node));
    return job;
}

plan::Job in_order(plan::Job job) {
    std::ranges::sort(job.places);
    return job;
}

}  // namespace espalier::test
