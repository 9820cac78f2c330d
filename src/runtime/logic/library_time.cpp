#include "runtime/logic/library_time.hpp"

#include "core/infinity.hpp"
#include "libraries/call.hpp"
#include "plan/overhead.hpp"
#include "plan/performance.hpp"
#include "schedule/rounds.hpp"
#include "simulate/simulate.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace espalier::runtime {

namespace {

using libraries::Pattern;
using schedule::Kind;
using schedule::Round;

/// Rings and chains have a message for each rank in each of as many rounds.
constexpr std::size_t most_ranks_in_turn = 128;
/// The segments into which a library's chain cuts a message.
constexpr Bytes chain_segment{64 << 10};

/// What libraries do in such a call. `in_order`: operands keep their order. `few`: also what takes
/// rounds for each rank.
std::vector<Pattern> patterns_of(Kind kind, bool in_order, bool few) {
    using namespace libraries;
    std::vector<Pattern> patterns;
    const auto add = [&](bool holds, Pattern pattern) {
        if (holds) patterns.push_back(pattern);
    };
    switch (kind) {
        case Kind::broadcast:
            add(true, binomial_tree);
            add(true, scatter_doubling);
            add(few, scatter_ring);
            add(few, chain);
            break;
        case Kind::reduce:
            add(true, binomial_tree);
            add(!in_order, halving_gather);
            add(!in_order && few, chain);
            break;
        case Kind::allreduce:
            add(true, binomial_and_back);
            add(true, recursive_doubling);
            add(!in_order, halving_doubling);
            add(!in_order && few, ring);
            break;
        case Kind::reduce_scatter:
            add(true, reduce_and_scatter);
            add(!in_order, far_halving);
            add(few, at_once);
            break;
        case Kind::scan:
        case Kind::exscan:
            add(true, scan_chain);
            add(true, scan_doubling);
            break;
        case Kind::scatter:
        case Kind::gather:
            add(true, binomial_blocks);
            add(true, straight_at_once);
            break;
        case Kind::allgather:
            add(true, bruck);
            add(few, ring);
            break;
        case Kind::alltoall:
            add(true, bruck);
            add(few, at_once);
            break;
        case Kind::barrier:
            add(true, bruck);
            add(true, binomial_and_back);
            break;
    }
    return patterns;
}

class Library {
public:
    Library(const simulate::Fabric& fabric, const Signature& signature, const BlockSizes& sizes)
        : fabric_(fabric), signature_(signature), sizes_(sizes) {
        call_.kind = signature.kind;
        call_.ranks = fabric.nodes();
        call_.bytes = sizes.of_ranks ? mean(*sizes.of_ranks) : signature.bytes;
    }

    /// The least time, and the schedule of it.
    [[nodiscard]] std::pair<Seconds, schedule::Schedule> best() {
        const bool few = call_.ranks <= most_ranks_in_turn;
        if (signature_.among_neighbours) {
            schedule::Schedule schedule = blocks_at_once();
            best_ = {plan::Performance::at_once(schedule).time(fabric_), std::move(schedule)};
            return std::move(best_);
        }
        for (const Pattern pattern : patterns_of(call_.kind, signature_.ordered, few))
            if (has_blocks_of_their_own() && is_straight(pattern))
                enter(blocks_at_once());
            else
                enter(pattern(call_, pattern == libraries::chain ? chain_segment : Bytes(0)));
        return std::move(best_);
    }

private:
    [[nodiscard]] static Bytes mean(const std::vector<Bytes>& blocks) {
        const Bytes all = std::accumulate(blocks.begin(), blocks.end(), Bytes(0));
        return Bytes((all.value + blocks.size() - 1) / blocks.size());
    }
    /// Whether each block goes from whom it is of to whom it is for.
    [[nodiscard]] static bool is_straight(Pattern pattern) {
        return pattern == libraries::at_once || pattern == libraries::straight_at_once;
    }
    [[nodiscard]] bool has_blocks_of_their_own() const {
        return call_.kind == Kind::alltoall ? sizes_.of_pairs != nullptr
                                            : sizes_.of_ranks && schedule::has_root(call_.kind);
    }
    /// The rank at a place counted from the root, as patterns do.
    [[nodiscard]] std::size_t rank(std::size_t place) const {
        return (place + static_cast<std::size_t>(signature_.root)) % call_.ranks;
    }

    /// Straight to whom they are for, by places.
    [[nodiscard]] schedule::Schedule blocks_at_once() const {
        Round round;
        if (call_.kind == Kind::alltoall) {
            for (std::size_t step = 1; step < call_.ranks; ++step)
                for (std::size_t from = 0; from < call_.ranks; ++from) {
                    const std::size_t to = (from + step) % call_.ranks;
                    const Bytes block =
                        sizes_.of_pairs ? (*sizes_.of_pairs)(from, to) : call_.bytes;
                    if (!signature_.among_neighbours || block.value > 0)
                        round.push_back({from, to, block});
                }
        } else {
            for (std::size_t place = 1; place < call_.ranks; ++place)
                round.push_back({0, place, (*sizes_.of_ranks)[rank(place)]});
        }
        schedule::Schedule schedule;
        schedule.collective.kind = call_.kind;
        schedule.collective.nodes = call_.ranks;
        schedule.nodes.resize(call_.ranks);
        schedule.ports = fabric_.ports();
        schedule::Rounds rounds{round};
        schedule::add(schedule, call_.kind == Kind::gather ? reversed(rounds) : rounds);
        return schedule;
    }

    void enter(schedule::Schedule schedule) {
        schedule.ports = fabric_.ports();
        schedule.collective.root = rank(0);
        for (schedule::Transfer& transfer : schedule.transfers) {
            transfer.from = rank(transfer.from);
            transfer.to = rank(transfer.to);
        }
        const Seconds time = simulate::simulate(schedule, fabric_).makespan +
                             plan::processor_time(schedule, fabric_.message_time());
        if (time < best_.first) best_ = {time, std::move(schedule)};
    }

    const simulate::Fabric& fabric_;
    const Signature& signature_;
    const BlockSizes& sizes_;
    libraries::Call call_;
    std::pair<Seconds, schedule::Schedule> best_{Seconds(infinity), {}};
};

}  // namespace

Seconds library_time(const simulate::Fabric& fabric, const Signature& signature,
                     const BlockSizes& sizes) {
    return Library(fabric, signature, sizes).best().first;
}

schedule::Plan library_plan(const simulate::Fabric& fabric, const Signature& signature,
                            const BlockSizes& sizes) {
    schedule::Plan plan;
    plan.schedule = Library(fabric, signature, sizes).best().second;
    for (schedule::Chunk& chunk : plan.schedule.chunks) chunk.control = false;
    plan.timeline = simulate::simulate(plan.schedule, fabric);
    return plan;
}

}  // namespace espalier::runtime
