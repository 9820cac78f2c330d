#include "ring/embedding.hpp"

#include <algorithm>
#include <utility>

namespace espalier::ring {

Embedding embed(const Problem& problem, std::vector<Host> order) {
    Embedding embedding{std::move(order), {}, {}};
    if (embedding.size() < 2) return embedding;
    for (std::size_t place = 0; place < embedding.size(); ++place) {
        const Host host = embedding.order[place];
        embedding.to_successor.push_back(
            problem.routes(host, embedding.order[embedding.after(place)]));
        embedding.to_predecessor.push_back(
            problem.routes(host, embedding.order[embedding.before(place)]));
    }
    return embedding;
}

std::vector<double> communication_times(const Problem& problem, const Embedding& embedding,
                                        const Rates& rates) {
    std::vector<double> times(embedding.size(), 0);
    if (embedding.size() < 2) return times;
    for (std::size_t place = 0; place < embedding.size(); ++place) {
        const Host host = embedding.order[place];
        times[place] = problem.delay(host, embedding.order[embedding.after(place)],
                                     embedding.to_successor[place]) +
                       problem.exchange / rates.to_successor[place] +
                       problem.delay(host, embedding.order[embedding.before(place)],
                                     embedding.to_predecessor[place]) +
                       problem.exchange / rates.to_predecessor[place];
    }
    return times;
}

Division divide_work(const Problem& problem, const std::vector<Host>& hosts,
                     const std::vector<double>& communication_times) {
    double speed = 0;
    double lost = 0;  // work that would be done in the time spent communicating
    double longest = 0;
    for (std::size_t place = 0; place < hosts.size(); ++place) {
        const double cycle_time = problem.platform.cycle_time(hosts[place]);
        speed += 1 / cycle_time;
        lost += communication_times[place] / cycle_time;
        longest = std::max(longest, communication_times[place]);
    }
    Division division{std::max((problem.work + lost) / speed, longest), {}};
    double sum = 0;
    for (std::size_t place = 0; place < hosts.size(); ++place) {
        const double left = division.step_time - communication_times[place];
        division.shares.push_back(left / problem.platform.cycle_time(hosts[place]));
        sum += division.shares.back();
    }
    // Where one host's communication is longer than the balanced step, the others have time left.
    for (double& share : division.shares) share = sum > 0 ? share / sum : 0;
    return division;
}

Division divide_work(const Problem& problem, const Embedding& embedding, const Rates& rates) {
    return divide_work(problem, embedding.order, communication_times(problem, embedding, rates));
}

}  // namespace espalier::ring
