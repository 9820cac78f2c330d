#include "sender/price_flow.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::sender {

namespace {

constexpr double least_share = 8;  // in softnesses below the best: e^-8 is not worth looking at

}  // namespace

PriceFlow::PriceFlow(const TickProblem& problem, std::size_t longest)
    : problem_(problem),
      broadcast_(problem.is_broadcast()),
      opened_(static_cast<double>(problem.ports + (broadcast_ ? 0 : 1))),
      stride_(longest + 1),
      slot_(stride_),
      waiting_(stride_) {
    if (broadcast_) {
        sender_.resize(problem.classes() * stride_);
        streams_.resize(problem.classes() * stride_);
    }
}

void PriceFlow::evaluate(std::span<const double> price, std::size_t longest) {
    const std::size_t classes = problem_.classes();
    for (std::size_t left = 0; left <= longest; ++left) {
        double best = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            const auto time = static_cast<std::size_t>(problem_.time[c]);
            double opened = 0;
            if (time <= left) {
                opened = opened_ * slot_[left - time];
                if (broadcast_) opened += sender(c, left - time);
            } else if (!broadcast_) {
                break;  // nor any slower class
            }
            if (broadcast_) sender(c, left) = opened;
            best = std::max(best, 1 - price[c] + opened);
        }
        slot_[left] = best;
    }
}

double PriceFlow::start(std::size_t deadline) const {
    if (!problem_.root) return slot_[deadline];
    const auto ports = static_cast<double>(problem_.ports);
    if (!broadcast_) return ports * slot_[deadline];
    return sender_[*problem_.root * stride_ + deadline];
}

double PriceFlow::worth_if(std::size_t c, std::size_t left, double price) const {
    if (broadcast_) return 1 - price + sender_[c * stride_ + left];
    return 1 - price + opened_ * slot_[left - static_cast<std::size_t>(problem_.time[c])];
}

std::vector<double> PriceFlow::flow(std::span<const double> price, std::size_t deadline,
                                    double softness, std::vector<Share>* shares) {
    const std::size_t classes = problem_.classes();
    std::vector<double> used(classes, 0);
    std::ranges::fill(waiting_, 0.0);
    std::ranges::fill(streams_, 0.0);
    const auto time = [&](std::size_t c) { return static_cast<std::size_t>(problem_.time[c]); };
    if (!problem_.root) {
        waiting_[deadline] = 1;
    } else if (!broadcast_) {
        waiting_[deadline] = static_cast<double>(problem_.ports);
    } else if (time(*problem_.root) <= deadline) {
        const std::size_t root = *problem_.root;
        streams_[root * stride_ + deadline - time(root)] = static_cast<double>(problem_.ports);
    }
    for (std::size_t left = deadline + 1; left-- > 0;) {
        double slots = waiting_[left];
        if (broadcast_)
            for (std::size_t c = 0; c < classes; ++c) {
                double* const stream = streams_.data() + c * stride_ + left;
                if (*stream == 0) continue;
                slots += *stream;
                if (time(c) <= left) *(stream - time(c)) += *stream;
            }
        if (slots == 0 || slot_[left] <= 0) continue;
        sharing_.clear();
        double sum = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            if (!broadcast_ && time(c) > left) break;
            const double below = (slot_[left] - worth_if(c, left, price[c])) / softness;
            if (below > least_share) continue;
            sharing_.emplace_back(c, std::exp(-below));
            sum += sharing_.back().second;
        }
        for (const auto& [c, weight] : sharing_) {
            const double count = slots * weight / sum;
            used[c] += count;
            if (shares && count > 1e-9)
                shares->push_back({static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(c),
                                   static_cast<float>(count)});
            if (time(c) > left) continue;
            if (broadcast_)
                streams_[c * stride_ + left - time(c)] += opened_ * count;
            else
                waiting_[left - time(c)] += opened_ * count;
        }
    }
    return used;
}

}  // namespace espalier::sender
