#include "simulate/fair_links.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace espalier::simulate {

FairLinks::FairLinks(std::vector<Link> links)
    : links_(std::move(links)),
      crossing_(links_.size()),
      left_(links_.size()),
      users_(links_.size()),
      weights_(links_.size()),
      link_seen_(links_.size(), 0) {}

void FairLinks::reset(std::size_t flows) {
    flows_.assign(flows, {});
    flowing_.clear();
    touched_.clear();
    for (auto& crossing : crossing_) crossing.clear();
}

void FairLinks::begin(std::size_t flow, std::span<const std::uint32_t> links, double amount,
                      double now, double weight) {
    double cap = never;
    bool shares = false;
    for (const auto link : links) {
        if (links_[link].shared) {
            shares = true;
            crossing_[link].push_back(flow);
            touched_.push_back(link);
        } else {
            cap = std::min(cap, links_[link].bandwidth);
        }
    }
    begin_apart(flow, shares ? 0 : cap, amount, now);
    flows_[flow].links = links;
    flows_[flow].cap = cap;
    flows_[flow].weight = weight;
}

void FairLinks::begin_apart(std::size_t flow, double rate, double amount, double now) {
    flows_[flow] = {{}, never, 1, amount, now, rate, false, 0};
    flowing_.push_back(flow);
}

double FairLinks::next_end() const {
    double next = never;
    for (const std::size_t flow : flowing_) next = std::min(next, flows_[flow].end());
    return next;
}

std::size_t FairLinks::take_ended(double now) {
    for (std::size_t& entry : flowing_) {
        const std::size_t flow = entry;
        if (flows_[flow].end() > now) continue;
        entry = flowing_.back();
        flowing_.pop_back();
        for (const auto link : flows_[flow].links)
            if (links_[link].shared) {
                std::erase(crossing_[link], flow);
                touched_.push_back(link);
            }
        return flow;
    }
    return none;
}

void FairLinks::share(double now) {
    if (touched_.empty()) return;
    collect_component();
    touched_.clear();
    for (const std::size_t f : concerned_) {
        Flow& flow = flows_[f];
        flow.remaining = std::max(0.0, flow.remaining - flow.rate * (now - flow.since));
        flow.since = now;
        flow.settled = false;
    }
    fill_component();
}

void FairLinks::collect_component() {
    ++round_;
    component_.clear();
    concerned_.clear();
    const auto see = [&](std::uint32_t link) {
        if (!links_[link].shared || link_seen_[link] == round_) return;
        link_seen_[link] = round_;
        if (!crossing_[link].empty()) component_.push_back(link);
    };
    for (const auto link : touched_) see(link);
    for (std::size_t next = 0; next < component_.size(); ++next)
        for (const std::size_t flow : crossing_[component_[next]]) {
            if (flows_[flow].seen == round_) continue;
            flows_[flow].seen = round_;
            concerned_.push_back(flow);
            for (const auto link : flows_[flow].links) see(link);
        }
}

/// The tightest link, or the tightest backbone of a flow, settles what it holds back; the others
/// divide what is left.
void FairLinks::fill_component() {
    for (const auto link : component_) {
        left_[link] = links_[link].bandwidth;
        users_[link] = crossing_[link].size();
        weights_[link] = 0;
        for (const std::size_t flow : crossing_[link]) weights_[link] += flows_[flow].weight;
    }
    const bool capped = std::any_of(concerned_.begin(), concerned_.end(),
                                    [&](std::size_t flow) { return flows_[flow].cap < never; });
    std::size_t open = concerned_.size();
    while (open > 0) {
        double level = never;
        std::uint32_t tightest = 0;
        for (const auto link : component_) {
            if (users_[link] == 0) continue;
            const double fair = left_[link] / weights_[link];
            if (fair < level) {
                level = fair;
                tightest = link;
            }
        }
        const std::size_t open_before = open;
        if (capped) {
            for (const std::size_t flow : concerned_)
                if (!flows_[flow].settled && flows_[flow].cap <= level * flows_[flow].weight) {
                    settle(flow, flows_[flow].cap);
                    --open;
                }
            if (open < open_before) continue;
        }
        for (const std::size_t flow : crossing_[tightest])
            if (!flows_[flow].settled) {
                settle(flow, level * flows_[flow].weight);
                --open;
            }
    }
}

void FairLinks::settle(std::size_t f, double rate) {
    Flow& flow = flows_[f];
    flow.rate = rate;
    flow.settled = true;
    for (const auto link : flow.links) {
        if (!links_[link].shared) continue;
        left_[link] = std::max(0.0, left_[link] - rate);
        --users_[link];
        weights_[link] -= flow.weight;
    }
}

double time_of_messages(std::span<const FairLinks::Link> links,
                        std::span<const LinkMessage> messages) {
    FairLinks shares({links.begin(), links.end()});
    shares.reset(messages.size());
    std::vector<std::size_t> order(messages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return messages[a].delay < messages[b].delay;
    });
    double now = 0;
    for (auto next = order.begin();;) {
        const double begins = next == order.end() ? never : messages[*next].delay;
        const double event = std::min(begins, shares.next_end());
        if (event == never) return now;
        now = event;
        while (shares.take_ended(now) != FairLinks::none) {
        }
        for (; next != order.end() && messages[*next].delay <= now; ++next)
            shares.begin(*next, messages[*next].links, messages[*next].amount, now,
                         messages[*next].weight);
        shares.share(now);
    }
}

}  // namespace espalier::simulate
