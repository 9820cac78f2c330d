#include "libraries/order.hpp"

#include "network/eager.hpp"
#include "plan/placing.hpp"

#include <cmath>
#include <utility>

namespace espalier::libraries {

double Order::gain() const {
    double sum = 0;
    std::size_t counted = 0;
    for (const Timed& call : calls) {
        if (!(call.ordered > Seconds(0))) continue;
        sum += std::log(call.given / call.ordered);
        ++counted;
    }
    return counted > 0 ? std::exp(sum / static_cast<double>(counted)) : 1;
}

Order find_order(const OrderProblem& problem, const Limits& limits) {
    plan::PlacingProblem placing{problem.view,
                                 problem.hosts,
                                 problem.slots,
                                 {},
                                 Bytes(network::usual_eager_bytes(problem.library->name))};
    for (const Call& call : problem.calls)
        placing.performances.emplace_back(problem.library->usual(call).pattern(call, Bytes(0)));
    plan::Placing placed = plan::place(placing, limits);
    Order order{std::move(placed.hosts), {}, placed.tried};
    for (std::size_t c = 0; c < problem.calls.size(); ++c)
        order.calls.push_back({problem.calls[c], &problem.library->usual(problem.calls[c]),
                               placed.given[c], placed.placed[c]});
    return order;
}

}  // namespace espalier::libraries
