#include "runtime/logic/exchange_part.hpp"

#include "plan/exchange/bound.hpp"
#include "plan/exchange_plan.hpp"
#include "runtime/logic/words.hpp"
#include "simulate/host_caps.hpp"
#include "simulate/rank_fabric.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <stdexcept>

namespace espalier::runtime {

namespace {

using Places = std::vector<network::GridView::Place>;

/// A first call should not take seconds longer than the others.
constexpr plan::Limits limits{Seconds(0.5), 40'000'000};
/// More messages at once than that are not simulated: 256 ranks, each with one for every other.
constexpr std::size_t most_simulated = 65'280;
/// Nor when their number times that of their sizes is more than this: whenever a message is over,
/// all others have to share anew, and those of one size are mostly over together.
constexpr std::size_t most_simulated_sizes = 2'000'000;
/// Sending all at once is good enough when it takes no longer than this times its bound.
constexpr double near_bound = 1.05;

std::vector<std::size_t> hosts_of(const Places& places) {
    std::map<network::GridView::Place, std::size_t> known;
    std::vector<std::size_t> hosts;
    for (const auto& place : places)
        hosts.push_back(known.try_emplace(place, known.size()).first->second);
    return hosts;
}

class Planning {
public:
    Planning(const network::GridView& view, const Places& places, const Matrix<Bytes>& sizes)
        : ranks_(places.size()),
          fabric_(simulate::make_rank_fabric(view, places)),
          capped_(simulate::with_host_caps(*fabric_, hosts_of(places), sizes)) {
        request_.sizes = std::make_shared<const Matrix<Bytes>>(sizes);
        request_.limits = limits;
    }

    std::vector<ExchangePart> plan(const AlgorithmChoice& choice) {
        if (choice.name != "auto" || choice.ports) {
            // All at once, any order is as good as another; that of the caterpillar spreads them.
            const std::size_t ports = std::min(choice.ports.value_or(1), all_at_once());
            const bool any = choice.name == "auto" && ports == all_at_once() && ports > 1;
            return parts_of(plan(any ? "caterpillar" : choice.name, ports));
        }
        if (messages() > most_simulated || messages() * count_sizes() > most_simulated_sizes)
            return unsimulated();
        schedule::Plan at_once = plan("caterpillar", all_at_once());
        if (at_once.timeline.makespan <= at_once.lower_bound * near_bound) return parts_of(at_once);
        schedule::Plan in_turn = plan("auto", 1);
        return parts_of(in_turn.timeline.makespan < at_once.timeline.makespan ? in_turn : at_once);
    }

private:
    [[nodiscard]] std::size_t all_at_once() const { return std::max<std::size_t>(ranks_, 2) - 1; }
    [[nodiscard]] std::size_t messages() const { return ranks_ * (ranks_ - 1); }
    [[nodiscard]] std::size_t count_sizes() const {
        std::set<std::uint64_t> different;
        for (std::size_t from = 0; from < ranks_; ++from)
            for (std::size_t to = 0; to < ranks_; ++to)
                if (from != to) different.insert((*request_.sizes)(from, to).value);
        return different.size();
    }
    [[nodiscard]] const simulate::Fabric& fabric(std::size_t ports) const {
        return ports == 1 ? *fabric_ : *capped_;
    }

    [[nodiscard]] schedule::Plan plan(const std::string& algorithm, std::size_t ports) {
        request_.algorithm = algorithm;
        request_.ports = ports;
        return plan::plan_exchange(fabric(ports), std::vector<std::string>(ranks_), request_);
    }

    [[nodiscard]] std::vector<ExchangePart> unsimulated() {
        ExchangePart promise;
        promise.algorithm = "caterpillar";
        promise.ports = request_.ports = all_at_once();
        const auto problem = plan::make_exchange_problem(*capped_, request_);
        promise.bound = Seconds(plan::exchange::exchange_bound(problem));
        std::vector<ExchangePart> parts(ranks_, promise);
        complete(parts);
        return parts;
    }

    [[nodiscard]] std::vector<ExchangePart> parts_of(const schedule::Plan& plan) const {
        ExchangePart promise;
        promise.algorithm = plan.schedule.algorithm;
        promise.predicted = plan.timeline.makespan;
        promise.bound = plan.lower_bound;
        promise.ports = plan.schedule.ports.count;
        std::vector<ExchangePart> parts(ranks_, promise);
        auto barrier = plan.schedule.barriers.begin();
        for (std::size_t t = 0; t < plan.schedule.transfers.size(); ++t) {
            if (barrier != plan.schedule.barriers.end() && *barrier == t) {
                for (ExchangePart& part : parts)
                    part.barriers.push_back({part.sends.size(), part.receives.size()});
                ++barrier;
            }
            const schedule::Transfer& transfer = plan.schedule.transfers[t];
            const schedule::Chunk& chunk = plan.schedule.chunks[transfer.chunk];
            if (chunk.source != transfer.from || chunk.target != transfer.to)
                throw std::invalid_argument("messages that others pass on are not executed");
            const auto cost = fabric_->cost(transfer.from, transfer.to,
                                            (*request_.sizes)(transfer.from, transfer.to));
            parts[transfer.from].sends.push_back({transfer.to, cost});
            parts[transfer.to].receives.push_back(transfer.from);
        }
        complete(parts);
        return parts;
    }

    /// Those that have nothing for each other now may have something in another call.
    void complete(std::vector<ExchangePart>& parts) const {
        Matrix<char> known(ranks_, ranks_, 0);
        for (std::size_t from = 0; from < ranks_; ++from)
            for (const ExchangePart::Send& send : parts[from].sends) known(from, send.to) = 1;
        for (std::size_t step = 1; step < ranks_; ++step)
            for (std::size_t from = 0; from < ranks_; ++from) {
                const std::size_t to = (from + step) % ranks_;
                if (known(from, to) != 0) continue;
                parts[from].sends.push_back({to, {}});
                parts[to].receives.push_back(from);
            }
    }

    std::size_t ranks_;
    std::unique_ptr<const simulate::Fabric> fabric_;
    std::unique_ptr<const simulate::Fabric> capped_;
    plan::ExchangeRequest request_;
};

}  // namespace

std::vector<ExchangePart> plan_exchange_parts(const network::GridView& view, const Places& places,
                                              const Matrix<Bytes>& sizes,
                                              const AlgorithmChoice& choice) {
    ExchangePart refused;
    refused.refusal = "asked for by ESPALIER_ALGORITHM";
    try {
        if (choice.name != "native") return Planning(view, places, sizes).plan(choice);
    } catch (const std::exception& error) {
        refused.refusal = error.what();
    }
    return std::vector<ExchangePart>(places.size(), refused);
}

std::vector<std::uint64_t> encode(const ExchangePart& part) {
    WordWriter to;
    to.text(part.refusal);
    to.text(part.algorithm);
    to.number(part.tries_native ? 1 : 0);
    to.number(part.predicted ? 1 : 0);
    if (part.predicted) to.real(part.predicted->value);
    to.real(part.bound.value);
    to.number(part.ports);
    to.number(part.sends.size());
    for (const ExchangePart::Send& send : part.sends) {
        to.number(send.to);
        to.cost(send.cost);
    }
    to.number(part.receives.size());
    for (const std::size_t from : part.receives) to.number(from);
    to.number(part.barriers.size());
    for (const Program::Barrier& barrier : part.barriers) {
        to.number(barrier.sends);
        to.number(barrier.receives);
    }
    return to.take();
}

ExchangePart decode_exchange_part(std::span<const std::uint64_t> words) {
    WordReader from(words);
    ExchangePart part;
    part.refusal = from.text();
    part.algorithm = from.text();
    part.tries_native = from.number() == 1;
    if (from.number() == 1) part.predicted = Seconds(from.real());
    part.bound = Seconds(from.real());
    part.ports = from.number();
    part.sends.resize(from.number());
    for (ExchangePart::Send& send : part.sends) {
        send.to = from.number();
        send.cost = from.cost();
    }
    part.receives.resize(from.number());
    for (std::size_t& sender : part.receives) sender = from.number();
    part.barriers.resize(from.number());
    for (Program::Barrier& barrier : part.barriers) {
        barrier.sends = from.number();
        barrier.receives = from.number();
    }
    assert(from.at_end());
    return part;
}

Program compile(const ExchangePart& part, std::size_t rank) {
    using Buffer = Program::Buffer;
    const auto block = [](Buffer buffer, std::size_t index) {
        return Program::Part{buffer, true, static_cast<std::uint32_t>(index), 0, 0};
    };
    Program program;
    program.ports = program.window = part.ports;
    program.barriers = part.barriers;
    program.copies.push_back({block(Buffer::input, rank), block(Buffer::output, rank)});
    for (const std::size_t from : part.receives)
        program.receives.push_back({block(Buffer::output, from), static_cast<int>(from)});
    for (const ExchangePart::Send& next : part.sends) {
        Program::Send send;
        send.part = block(Buffer::input, next.to);
        send.destination = static_cast<int>(next.to);
        send.cost = next.cost;
        send.whole = true;
        program.sends.push_back(send);
    }
    return program;
}

}  // namespace espalier::runtime
