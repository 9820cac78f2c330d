#include "runtime/logic/library_time.hpp"

#include "core/infinity.hpp"
#include "plan/overhead.hpp"
#include "plan/performance.hpp"
#include "schedule/rounds.hpp"
#include "simulate/simulate.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace espalier::runtime {

namespace {

using schedule::Kind;
using schedule::Message;
using schedule::reversed;
using schedule::Round;
using schedule::Rounds;

/// Rings and chains have a message for each rank in each of as many rounds.
constexpr std::size_t most_ranks_in_turn = 128;
/// The segments into which a library's chain cuts a message.
constexpr Bytes chain_segment{64 << 10};

class Library {
public:
    Library(const simulate::Fabric& fabric, const Signature& signature, const BlockSizes& sizes)
        : fabric_(fabric),
          signature_(signature),
          ranks_(fabric.nodes()),
          root_(static_cast<std::size_t>(signature.root)),
          sizes_(sizes),
          vector_(has_parts() ? total() : signature.bytes) {}

    [[nodiscard]] schedule::Plan plan() {
        is_kept_ = true;
        (void)time();
        kept_.collective.kind = signature_.kind;
        for (schedule::Chunk& chunk : kept_.chunks) chunk.control = false;
        schedule::Plan plan;
        plan.timeline = simulate::simulate(kept_, fabric_);
        plan.schedule = std::move(kept_);
        return plan;
    }
    [[nodiscard]] Seconds time() {
        const bool in_order = signature_.ordered;
        switch (signature_.kind) {
            case Kind::reduce:
                enter(binomial());
                if (in_order) break;
                enter(halving() + reversed(distributed()));
                enter_chain();
                break;
            case Kind::allreduce:
                enter(binomial() + reversed(binomial()));
                enter(folded(doubling()));
                if (in_order) break;
                enter(folded(halving_rounds() + reversed(halving_rounds())));
                if (!many()) enter(ring() + ring());
                break;
            case Kind::reduce_scatter:
                enter(binomial() + distributed());
                enter(pairwise());
                if (!in_order) enter(halving());
                break;
            case Kind::scan:
            case Kind::exscan:
                enter(scan_chain());
                enter(scan_doubling());
                break;
            case Kind::broadcast:
                enter(reversed(binomial()));
                enter(distributed() + (many() ? joining() : ring()));
                enter_chain();
                break;
            case Kind::scatter:
                enter(distributed());
                enter({from_root()});
                break;
            case Kind::gather:
                enter(reversed(distributed()));
                enter(reversed({from_root()}));
                break;
            case Kind::allgather:
                enter(joining());
                if (!many()) enter(ring());
                break;
            case Kind::alltoall:
                if (signature_.among_neighbours) {
                    enter_at_once(between_neighbours());
                    break;
                }
                enter(forwarded());
                enter(pairwise());
                break;
            case Kind::barrier:
                enter(joining());
                enter(binomial() + reversed(binomial()));
                break;
        }
        return best_;
    }

private:
    [[nodiscard]] bool has_parts() const {
        return schedule::has_blocks(signature_.kind) || signature_.kind == Kind::alltoall;
    }
    /// Of the blocks of all ranks, or, in a total exchange, of those that one has for others.
    [[nodiscard]] Bytes total() const {
        if (sizes_.of_ranks)
            return std::accumulate(sizes_.of_ranks->begin(), sizes_.of_ranks->end(), Bytes(0));
        return signature_.bytes * ranks_;
    }
    /// Rings and chains of so many are not looked at.
    [[nodiscard]] bool many() const { return ranks_ > most_ranks_in_turn; }
    [[nodiscard]] Bytes block(std::size_t rank) const {
        return sizes_.of_ranks ? (*sizes_.of_ranks)[rank] : signature_.bytes;
    }
    /// What `from` has for `to`.
    [[nodiscard]] Bytes block(std::size_t from, std::size_t to) const {
        return sizes_.of_pairs ? (*sizes_.of_pairs)(from, to) : share(1);
    }
    [[nodiscard]] Bytes share(std::size_t parts) const {
        return Bytes((vector_.value * parts + ranks_ - 1) / ranks_);
    }
    /// The rank at a place counted from the root, as trees are.
    [[nodiscard]] std::size_t rank(std::size_t place) const { return (place + root_) % ranks_; }

    [[nodiscard]] Rounds binomial() const {
        Rounds rounds;
        for (std::size_t step = 1; step < ranks_; step *= 2) {
            Round& round = rounds.emplace_back();
            for (std::size_t place = step; place < ranks_; place += 2 * step)
                round.push_back({rank(place), rank(place - step), vector_});
        }
        return rounds;
    }

    /// Rounds down a binomial tree, in which each rank gets what is for the ranks below it.
    [[nodiscard]] Rounds distributed() const {
        Rounds rounds;
        for (std::size_t step = std::bit_ceil(ranks_) / 2; step > 0; step /= 2) {
            Round& round = rounds.emplace_back();
            for (std::size_t place = step; place < ranks_; place += 2 * step)
                round.push_back(
                    {rank(place - step), rank(place), share(std::min(step, ranks_ - place))});
        }
        return rounds;
    }

    /// The greatest power of two of ranks. Ranks past it first hand over what they have.
    [[nodiscard]] std::size_t paired() const { return std::bit_floor(ranks_); }
    [[nodiscard]] Round fold() const {
        Round round;
        for (std::size_t place = paired(); place < ranks_; ++place)
            round.push_back({place, place - paired(), vector_});
        return round;
    }
    [[nodiscard]] Rounds folded(const Rounds& inner) const {
        return Rounds{fold()} + inner + reversed({fold()});
    }
    [[nodiscard]] Round exchange(std::size_t distance, Bytes bytes) const {
        Round round;
        for (std::size_t place = 0; place < paired(); ++place)
            round.push_back({place, place ^ distance, bytes});
        return round;
    }
    [[nodiscard]] Rounds doubling() const {
        Rounds rounds;
        for (std::size_t step = 1; step < paired(); step *= 2)
            rounds.push_back(exchange(step, vector_));
        return rounds;
    }
    [[nodiscard]] Rounds halving_rounds() const {
        Rounds rounds;
        std::uint64_t bytes = vector_.value;
        for (std::size_t step = paired() / 2; step > 0; step /= 2) {
            bytes = (bytes + 1) / 2;
            rounds.push_back(exchange(step, Bytes(bytes)));
        }
        return rounds;
    }
    /// Recursive halving: each rank is left with its share.
    [[nodiscard]] Rounds halving() const {
        Round back;
        for (std::size_t place = paired(); place < ranks_; ++place)
            back.push_back({place - paired(), place, share(1)});
        return Rounds{fold()} + halving_rounds() + Rounds{back};
    }

    [[nodiscard]] Rounds ring() const {
        Rounds rounds(ranks_ - 1);
        for (Round& round : rounds)
            for (std::size_t place = 0; place < ranks_; ++place)
                round.push_back({place, (place + 1) % ranks_, share(1)});
        return rounds;
    }

    /// Rounds in which each rank sends so many bytes to the one that is 1, 2, 4, … places further.
    template <typename BytesOf>
    [[nodiscard]] Rounds ever_further(BytesOf bytes_of) const {
        Rounds rounds;
        for (std::size_t step = 1; step < ranks_; step *= 2) {
            Round& round = rounds.emplace_back();
            for (std::size_t place = 0; place < ranks_; ++place)
                round.push_back({place, (place + step) % ranks_, bytes_of(step)});
        }
        return rounds;
    }
    /// Ranks have twice as many blocks after each round, until they have all.
    [[nodiscard]] Rounds joining() const {
        return ever_further([&](std::size_t step) { return share(std::min(step, ranks_ - step)); });
    }
    /// The blocks of a total exchange, each as far in each round as the binary digits of its way
    /// say.
    [[nodiscard]] Rounds forwarded() const {
        return ever_further([&](std::size_t) { return share(ranks_ / 2); });
    }

    /// A round in which each rank's share comes to it from all others; nothing waits but for its
    /// turn.
    [[nodiscard]] Rounds pairwise() const {
        Rounds rounds(1);
        if (many()) return {};
        for (std::size_t step = 1; step < ranks_; ++step)
            for (std::size_t place = 0; place < ranks_; ++place) {
                const std::size_t to = (place + step) % ranks_;
                rounds.front().push_back({place, to, block(place, to)});
            }
        return rounds;
    }
    [[nodiscard]] Round between_neighbours() const {
        Round round;
        for (std::size_t from = 0; from < ranks_; ++from)
            for (std::size_t to = 0; to < ranks_; ++to)
                if (from != to && block(from, to).value > 0)
                    round.push_back({from, to, block(from, to)});
        return round;
    }
    [[nodiscard]] Round from_root() const {
        Round round;
        for (std::size_t place = 1; place < ranks_; ++place)
            round.push_back({root_, rank(place), block(rank(place))});
        return round;
    }

    [[nodiscard]] Rounds scan_chain() const {
        Rounds rounds;
        for (std::size_t place = 1; place < ranks_; ++place)
            rounds.push_back({{place - 1, place, vector_}});
        return rounds;
    }
    [[nodiscard]] Rounds scan_doubling() const {
        Rounds rounds;
        for (std::size_t step = 1; step < ranks_; step *= 2) {
            Round& round = rounds.emplace_back();
            for (std::size_t place = step; place < ranks_; ++place)
                round.push_back({place - step, place, vector_});
        }
        return rounds;
    }

    [[nodiscard]] schedule::Schedule empty_schedule() const {
        schedule::Schedule schedule;
        schedule.collective.nodes = ranks_;
        schedule.collective.root = root_;
        schedule.collective.bytes = vector_;
        schedule.nodes.resize(ranks_);
        schedule.ports = fabric_.ports();
        return schedule;
    }

    void enter(const Rounds& rounds) {
        if (rounds.empty()) return;
        schedule::Schedule schedule = empty_schedule();
        schedule::add(schedule, rounds);
        enter(schedule);
    }

    void enter_at_once(const Round& round) {
        schedule::Schedule schedule = empty_schedule();
        schedule::add(schedule, {round});
        best_ = std::min(best_, plan::Performance::at_once(std::move(schedule)).time(fabric_));
    }

    void enter_chain() {
        if (many()) return;
        schedule::Schedule schedule = empty_schedule();
        const std::uint64_t segments =
            (vector_.value + chain_segment.value - 1) / chain_segment.value;
        schedule.chunks.push_back({vector_, std::max<std::uint64_t>(segments, 1)});
        for (std::size_t place = 1; place < ranks_; ++place) {
            schedule::Transfer step{.from = rank(place - 1), .to = rank(place)};
            if (signature_.kind == Kind::reduce)
                step = {.from = rank(ranks_ - place),
                        .to = rank(ranks_ - place - 1),
                        .op = schedule::Op::combine};
            schedule.transfers.push_back(step);
        }
        enter(schedule);
    }

    void enter(const schedule::Schedule& schedule) {
        const Seconds time = simulate::simulate(schedule, fabric_).makespan +
                             plan::processor_time(schedule, fabric_.message_time());
        if (time >= best_) return;
        best_ = time;
        if (is_kept_) kept_ = schedule;
    }

    const simulate::Fabric& fabric_;
    const Signature& signature_;
    const std::size_t ranks_;
    const std::size_t root_;
    const BlockSizes& sizes_;
    const Bytes vector_;
    Seconds best_{infinity};
    bool is_kept_ = false;  ///< the schedule of that time
    schedule::Schedule kept_;
};

}  // namespace

Seconds library_time(const simulate::Fabric& fabric, const Signature& signature,
                     const BlockSizes& sizes) {
    return Library(fabric, signature, sizes).time();
}

schedule::Plan library_plan(const simulate::Fabric& fabric, const Signature& signature,
                            const BlockSizes& sizes) {
    return Library(fabric, signature, sizes).plan();
}

}  // namespace espalier::runtime
