#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/exchange/bound.hpp"
#include "plan/exchange/caterpillar.hpp"
#include "plan/exchange_plan.hpp"
#include "plan/overhead.hpp"
#include "runtime/logic/found_plan.hpp"
#include "runtime/logic/shared_links.hpp"
#include "simulate/host_caps.hpp"
#include "simulate/rank_fabric.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace espalier::runtime {

namespace {

/// More messages at once than that are not simulated: 256 ranks, each with one for every other.
constexpr std::size_t most_simulated = 65'280;
/// Nor when their number times that of their sizes is more than this: whenever a message is over,
/// all others have to share anew, and those of one size are mostly over together.
constexpr std::size_t most_simulated_sizes = 2'000'000;
/// Sending all at once is good enough, where nothing else is to be tried, when it takes no longer
/// than this times its bound.
constexpr double near_bound = 1.05;
using Places = std::vector<network::GridView::Place>;

std::vector<std::size_t> hosts_of(const Places& places) {
    std::map<network::GridView::Place, std::size_t> known;
    std::vector<std::size_t> hosts;
    for (const auto& place : places)
        hosts.push_back(known.try_emplace(place, known.size()).first->second);
    return hosts;
}

class Exchange {
public:
    explicit Exchange(const PlanQuestion& question)
        : question_(question),
          ranks_(question.job.places.size()),
          sizes_(question.sizes.of_pairs
                     ? question.sizes.of_pairs
                     : plan::ExchangeRequest::uniform(ranks_, question.signature.bytes)),
          fabric_(simulate::make_rank_fabric(*question.job.view, question.job.places)),
          capped_(simulate::with_host_caps(*fabric_, hosts_of(question.job.places), *sizes_)) {}

    std::vector<FoundPlan> find() {
        const AlgorithmChoice& choice = question_.policy.choice;
        std::vector<FoundPlan> found;
        if (choice.name != "auto" || choice.ports) {
            found.push_back(named(choice));
            return found;
        }
        if (messages() > most_simulated || messages() * count_sizes() > most_simulated_sizes) {
            found.push_back(unsimulated());
            return found;
        }
        const schedule::Plan at_once = direct("caterpillar", all_at_once());
        found.push_back(completed(at_once));
        if (question_.shortlist.most > 1 ||
            at_once.timeline.makespan > at_once.any_bound * near_bound)
            add_in_turn(found);
        if (!fabric_->capacities().empty()) heed_shared_links(found);
        return found;
    }

private:
    [[nodiscard]] std::size_t all_at_once() const { return std::max<std::size_t>(ranks_, 2) - 1; }
    [[nodiscard]] std::size_t messages() const { return ranks_ * (ranks_ - 1); }
    [[nodiscard]] std::size_t count_sizes() const {
        std::set<std::uint64_t> different;
        for (std::size_t from = 0; from < ranks_; ++from)
            for (std::size_t to = 0; to < ranks_; ++to)
                if (from != to) different.insert((*sizes_)(from, to).value);
        return different.size();
    }

    /// What is found by each algorithm beside all at once; of one algorithm, whichever is better.
    void add_in_turn(std::vector<FoundPlan>& found) const {
        for (schedule::Plan& plan :
             plan::plan_collectives(question_.job, request(), question_.shortlist))
            found.push_back(completed(std::move(plan)));
        std::ranges::stable_sort(found, {}, &FoundPlan::predicted);
        const Seconds most = *found.front().predicted * question_.shortlist.within;
        std::set<std::string> names;
        std::erase_if(found, [&](const FoundPlan& plan) {
            return *plan.predicted > most || !names.insert(plan.schedule.algorithm).second;
        });
        if (found.size() > question_.shortlist.most) found.resize(question_.shortlist.most);
    }

    /// Far messages first, where they queue; of long ones that go straight, one order is as good as
    /// another.
    void heed_shared_links(std::vector<FoundPlan>& found) const {
        if (question_.signature.bytes.value <= most_queued) {
            heed_links(found, completed(direct(std::string(for_queues), all_at_once())),
                       question_.shortlist, std::numeric_limits<double>::infinity(), ranks_);
        } else if (auto together = in_few_messages()) {
            heed_links(found, *std::move(together), question_.shortlist, question_.shortlist.within,
                       1);
        }
    }

    /// None where blocks may not travel together, or have no levels to do so.
    [[nodiscard]] std::optional<FoundPlan> in_few_messages() const {
        plan::CollectiveRequest request = this->request();
        request.algorithm = for_crowds;
        try {
            return completed(plan::plan_collective(question_.job, request));
        } catch (const InputError&) {
            return std::nullopt;
        }
    }

    [[nodiscard]] plan::CollectiveRequest request() const {
        plan::CollectiveRequest request = question_.request();
        request.direct = question_.direct || question_.signature.uneven;
        return request;
    }

    [[nodiscard]] FoundPlan named(const AlgorithmChoice& choice) const {
        // All at once, any order is as good as another; that of the caterpillar spreads them.
        const std::size_t ports = std::min(choice.ports.value_or(1), all_at_once());
        const bool any = choice.name == "auto" && ports == all_at_once() && ports > 1;
        const std::string name = any ? "caterpillar" : choice.name;
        if (name == "auto" || plan::find_algorithm(plan::Family::exchange, name) != nullptr)
            return completed(direct(name, ports));
        plan::CollectiveRequest request = this->request();
        request.ports = ports;
        return completed(plan::plan_collective(question_.job, request));
    }

    [[nodiscard]] plan::ExchangeRequest direct_request(const std::string& algorithm,
                                                       std::size_t ports) const {
        plan::ExchangeRequest request;
        request.sizes = sizes_;
        request.algorithm = algorithm;
        request.ports = ports;
        request.limits = planning_limits;
        return request;
    }

    [[nodiscard]] schedule::Plan direct(const std::string& algorithm, std::size_t ports) const {
        return plan::plan_exchange(ports == 1 ? *fabric_ : *capped_,
                                   std::vector<std::string>(ranks_),
                                   direct_request(algorithm, ports));
    }

    [[nodiscard]] FoundPlan unsimulated() const {
        const auto request = direct_request("caterpillar", all_at_once());
        const auto problem = plan::make_exchange_problem(*capped_, request);
        const auto found = plan::exchange::caterpillar(problem, planning_limits);
        FoundPlan plan;
        plan.schedule =
            plan::make_exchange_schedule(problem, found, request, std::vector<std::string>(ranks_));
        plan.schedule.algorithm = request.algorithm;
        plan.bound = Seconds(plan::exchange::exchange_bound(problem));
        complete(plan.schedule);
        return plan;
    }

    [[nodiscard]] FoundPlan completed(schedule::Plan plan) const {
        const Seconds predicted =
            plan.timeline.makespan + plan::processor_time(plan.schedule, fabric_->message_time());
        FoundPlan found{std::move(plan.schedule), predicted, plan.lower_bound};
        complete(found.schedule);
        return found;
    }

    /// Those that have nothing for each other now may have something in another call.
    void complete(schedule::Schedule& schedule) const {
        Matrix<char> known(ranks_, ranks_, 0);
        for (const schedule::Chunk& chunk : schedule.chunks)
            if (chunk.source && chunk.target) known(*chunk.source, *chunk.target) = 1;
        for (std::size_t step = 1; step < ranks_; ++step)
            for (std::size_t from = 0; from < ranks_; ++from) {
                const std::size_t to = (from + step) % ranks_;
                if (known(from, to) != 0) continue;
                schedule.transfers.push_back({from, to, schedule.chunks.size()});
                schedule.chunks.push_back({Bytes(0), 1, from, to});
            }
    }

    const PlanQuestion& question_;
    std::size_t ranks_;
    std::shared_ptr<const Matrix<Bytes>> sizes_;
    std::unique_ptr<const simulate::Fabric> fabric_;
    std::unique_ptr<const simulate::Fabric> capped_;
};

}  // namespace

std::vector<FoundPlan> find_exchanges(const PlanQuestion& question) {
    return Exchange(question).find();
}

}  // namespace espalier::runtime
