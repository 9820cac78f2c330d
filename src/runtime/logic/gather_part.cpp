#include "runtime/logic/gather_part.hpp"

#include "core/matrix.hpp"
#include "core/text.hpp"
#include "plan/algorithm.hpp"
#include "plan/gather/bound.hpp"
#include "plan/gather_plan.hpp"
#include "runtime/logic/words.hpp"
#include "simulate/rank_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <exception>
#include <stdexcept>

namespace espalier::runtime {

namespace {

/// A first call should not take seconds longer than the others.
constexpr plan::Limits limits{Seconds(0.3), 20'000'000};
/// More messages than that are not simulated: round 128 ranks, and to each from each.
constexpr std::size_t most_simulated = 16'256;
/// So that the window on both sides of a link is full, and its messages stay in order.
constexpr std::size_t sends_under_way = 4;

/// By the table: too many messages to choose by simulation.
plan::GatherPlan plan_unsimulated(const simulate::Fabric& fabric, Bytes block,
                                  const std::string& name) {
    const auto* algorithm =
        plan::find_algorithm(plan::Family::allgather, name == "auto" ? "ring" : name);
    if (algorithm == nullptr) throw std::invalid_argument("no algorithm '" + name + "'");
    const plan::gather::Problem problem = plan::gather::make_problem(fabric, block);
    plan::GatherPlan found;
    found.order = std::get<plan::gather::Planner>(algorithm->make)(problem, limits).order;
    found.plan.schedule.algorithm = std::string(algorithm->name);
    found.plan.lower_bound = Seconds(plan::gather::all_gather_bound(fabric, block, 1));
    return found;
}

using Places = std::vector<network::GridView::Place>;

GatherPart plan_part(const network::GridView& view, const Places& places, Bytes block,
                     const AlgorithmChoice& choice, bool only_if_faster) {
    const auto own_fabric = simulate::make_rank_fabric(view, places);
    const simulate::Fabric& fabric = *own_fabric;
    const std::size_t ranks = fabric.nodes();
    const bool simulated = ranks * (ranks - 1) <= most_simulated;
    const plan::GatherPlan found = simulated
                                       ? plan::plan_gather(fabric, std::vector<std::string>(ranks),
                                                           {block, choice.name, 1, limits})
                                       : plan_unsimulated(fabric, block, choice.name);
    GatherPart part;
    part.algorithm = found.plan.schedule.algorithm;
    if (simulated) part.predicted = found.plan.timeline.makespan;
    part.bound = found.plan.lower_bound;
    part.order = found.order;
    for (std::size_t place = 0; place < ranks; ++place)
        part.cost.push_back(
            ranks < 2 ? simulate::MessageCost{}
                      : fabric.cost(part.order[place], part.order[(place + 1) % ranks], block));
    if (!only_if_faster) return part;
    const Seconds doubling = predict_doubling(view, places, block);
    // What is not simulated takes at least a round of the slowest step for each block.
    const Seconds ring = part.predicted.value_or(Seconds(
        plan::gather::value_of(plan::gather::make_problem(fabric, block), part.order).slowest *
        static_cast<double>(ranks - 1)));
    if (ring < doubling) return part;
    GatherPart refused;
    refused.refusal = fmt::format("small blocks: a ring takes {}, doubling {}",
                                  format_seconds(ring), format_seconds(doubling));
    return refused;
}

}  // namespace

Seconds predict_doubling(const network::GridView& view, const Places& places, Bytes block) {
    const auto fabric = simulate::make_rank_fabric(view, places);
    const std::size_t ranks = places.size();
    const std::size_t leaves = view.leaves().size();
    Seconds total(0);
    for (std::size_t held = 1; held < ranks; held *= 2) {
        const Bytes size(block.value * std::min(held, ranks - held));
        Matrix<Seconds> in_turn(leaves, leaves, Seconds(0));
        Seconds longest(0);
        for (std::size_t from = 0; from < ranks; ++from) {
            const std::size_t to = (from + ranks - held) % ranks;
            const simulate::MessageCost cost = fabric->cost(from, to, size);
            Seconds gaps = cost.gap;
            if (places[from].leaf != places[to].leaf)
                gaps = in_turn(places[from].leaf, places[to].leaf) += cost.gap;
            longest = std::max(longest, gaps + cost.latency);
        }
        total += longest;
    }
    return total;
}

GatherPart plan_gather_part(const network::GridView& view,
                            const std::vector<network::GridView::Place>& places, Bytes block,
                            const AlgorithmChoice& choice, bool only_if_faster) {
    GatherPart refused;
    refused.refusal = "asked for by ESPALIER_ALGORITHM";
    if (choice.name == "native") return refused;
    try {
        return plan_part(view, places, block, choice, only_if_faster);
    } catch (const std::exception& error) {
        refused.refusal = error.what();
    }
    return refused;
}

std::vector<std::uint64_t> encode(const GatherPart& part) {
    WordWriter to;
    to.text(part.refusal);
    to.text(part.algorithm);
    to.number(part.predicted ? 1 : 0);
    if (part.predicted) to.real(part.predicted->value);
    to.real(part.bound.value);
    to.number(part.tries_native ? 1 : 0);
    to.number(part.order.size());
    for (std::size_t place = 0; place < part.order.size(); ++place) {
        to.number(part.order[place]);
        to.cost(part.cost[place]);
    }
    return to.take();
}

GatherPart decode_gather_part(std::span<const std::uint64_t> words) {
    WordReader from(words);
    GatherPart part;
    part.refusal = from.text();
    part.algorithm = from.text();
    if (from.number() == 1) part.predicted = Seconds(from.real());
    part.bound = Seconds(from.real());
    part.tries_native = from.number() == 1;
    for (std::uint64_t left = from.number(); left > 0; --left) {
        part.order.push_back(from.number());
        part.cost.push_back(from.cost());
    }
    assert(from.at_end());
    return part;
}

Program compile(const GatherPart& part, std::size_t rank) {
    using Buffer = Program::Buffer;
    const auto block = [](Buffer buffer, std::size_t index) {
        return Program::Part{buffer, true, static_cast<std::uint32_t>(index), 0, 0};
    };
    const std::size_t ranks = part.order.size();
    const auto place =
        static_cast<std::size_t>(std::ranges::find(part.order, rank) - part.order.begin());
    assert(place < ranks);
    // That of `steps` places before this one.
    const auto before = [&](std::size_t steps) {
        return part.order[(place + ranks - steps) % ranks];
    };
    Program program;
    program.window = sends_under_way;
    program.copies.push_back({block(Buffer::input, 0), block(Buffer::output, rank)});
    for (std::size_t step = 0; step + 1 < ranks; ++step) {
        program.receives.push_back(
            {block(Buffer::output, before(step + 1)), static_cast<int>(before(1))});
        Program::Send send;
        send.part = step == 0 ? block(Buffer::input, 0) : block(Buffer::output, before(step));
        send.destination = static_cast<int>(part.order[(place + 1) % ranks]);
        if (step > 0) {
            send.first_need = program.needs.size();
            program.needs.push_back(step - 1);
        }
        send.last_need = program.needs.size();
        if (step == 0) send.first_need = send.last_need;
        send.cost = part.cost[place];
        send.whole = true;
        program.sends.push_back(send);
    }
    return program;
}

}  // namespace espalier::runtime
