#include "runtime/logic/chunk_shares.hpp"
#include "runtime/logic/order_receives.hpp"
#include "runtime/logic/parts.hpp"
#include "runtime/logic/rank_program.hpp"
#include "runtime/logic/sides.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>

namespace espalier::runtime {

namespace {

using schedule::Schedule;
using schedule::Transfer;

/// The sends in flight to one receiver that keep a near link busy.
constexpr std::size_t sends_per_receiver = 4;

/// The number of sends in flight: `sends_per_receiver` for each receiver and, of those that wait
/// for their receivers (rendezvous), as many as leave while an answer is on its way. If they are
/// long, more of them would share the path and all end late, whatever their order.
class Window {
public:
    void add(int receiver, const simulate::MessageCost& cost, bool answered) {
        if (!answered) {
            receivers_.insert(receiver);
            return;
        }
        const double gap = cost.gap.value;
        const double covering = (busy + 2 * cost.latency.value) / std::max(gap, busy / most);
        answered_ = std::max({answered_, least_answered, std::min(1 + covering, most)});
    }
    [[nodiscard]] std::size_t sum() const {
        return sends_per_receiver * receivers_.size() + static_cast<std::size_t>(answered_);
    }

private:
    static constexpr double most = RankProgram::receive_window;
    /// While one message leaves, the handshake of the next one is made.
    static constexpr double least_answered = 2;
    /// The seconds that a busy host may take to answer.
    static constexpr double busy = 10e-3;
    std::set<int> receivers_;  ///< of eager messages
    double answered_ = 0;
};

/// Whether every message goes from the node where its data begins to the one where it ends.
bool is_direct_exchange(const Schedule& schedule) {
    return schedule.collective.kind == schedule::Kind::alltoall &&
           std::ranges::all_of(schedule.transfers, [&](const Transfer& transfer) {
               const schedule::Chunk& chunk = schedule.chunks[transfer.chunk];
               return transfer.chunks == 1 && chunk.source == transfer.from &&
                      chunk.target == transfer.to;
           });
}

/// What is the same for all ranks.
struct Common {
    Common(const Schedule& of, const simulate::Fabric& on, Bytes eager_bytes,
           const schedule::Timeline& its_timeline)
        : schedule(of),
          fabric(on),
          timeline(its_timeline),
          eager(eager_bytes),
          shares(shares_of(of)),
          from_left(combined_from_left(of)) {
        direct_exchange = is_direct_exchange(of);
        steps.reserve(of.transfers.size());
        std::vector<char> runs;
        auto barrier = of.barriers.begin();
        for (std::size_t t = 0; t < of.transfers.size(); ++t) {
            while (barrier != of.barriers.end() && *barrier <= t) ++barrier;
            steps.push_back(static_cast<std::size_t>(barrier - of.barriers.begin()));
            runs.push_back(is_run(of.transfers[t]) ? 1 : 0);
            if (runs.back() == 0 && of.segments_of(of.transfers[t]) > 1)
                throw std::invalid_argument("a message of blocks that are apart is cut");
        }
        parts = parts_of(of, on, runs, eager);
    }

    /// Whether the transfer's chunks are shares of one item that follow each other.
    [[nodiscard]] bool is_run(const Transfer& transfer) const {
        for (std::size_t c = transfer.chunk + 1; c < transfer.chunk + transfer.chunks; ++c)
            if (!shares[c].follows(shares[c - 1])) return false;
        return true;
    }

    /// The part of `chunk` that the messages `with` it of a transfer carry.
    struct Carried {
        std::size_t first = 0;  ///< of those messages
        ShareRun run;           ///< a segment for each of them
    };
    [[nodiscard]] Carried carried(std::size_t transfer, std::size_t chunk) const {
        const auto [first, last] = parts[transfer].with(chunk);
        if (last - first == 1) return {first, {shares[chunk].begin, shares[chunk].end, 1}};
        const Parts::Part part = parts[transfer][first];
        return {first,
                {shares[part.chunk].begin, shares[part.chunk + part.chunks - 1].end, last - first}};
    }

    const Schedule& schedule;
    const simulate::Fabric& fabric;
    const schedule::Timeline& timeline;
    Bytes eager;
    std::vector<ChunkShare> shares;  ///< of each chunk
    std::vector<char> from_left;     ///< of each transfer
    std::vector<std::size_t> steps;  ///< of each transfer: barriers before it
    std::vector<Parts> parts;        ///< of each transfer
    bool direct_exchange = false;
};

/// The program of one rank. Messages are numbered as the rank sends, or receives, them.
class RankCompiler {
public:
    /// `transfers` are those that the rank takes part in; `places` has room for each chunk.
    RankCompiler(const Common& common, std::size_t rank, const std::vector<std::size_t>& transfers,
                 std::vector<std::size_t>& places)
        : common_(common),
          schedule_(common.schedule),
          rank_(rank),
          transfers_(transfers),
          places_(places) {}

    RankProgram compile() {
        list_chunks();
        list_messages();
        find_dependences();
        put_receives_in_order();
        add_messages();
        program_.ports = schedule_.ports.count;
        // From one port, the next message begins to leave while the one before is on its way.
        program_.window = program_.ports > 1 || common_.direct_exchange
                              ? program_.ports * most_pieces()
                              : std::max(window_.sum(), 2 * most_pieces());
        return std::move(program_);
    }

private:
    struct Message {
        std::size_t step = 0;
        std::size_t segment = 0;   ///< of the schedule
        std::size_t part = 0;      ///< of the transfer
        std::size_t transfer = 0;  ///< index in transfers_
    };
    /// For a chunk: the last receive that brought it, and the sends of it since.
    struct Held {
        std::optional<std::size_t> arrived;
        std::vector<std::size_t> left;
    };

    [[nodiscard]] const Transfer& transfer(std::size_t index) const {
        return schedule_.transfers[transfers_[index]];
    }
    [[nodiscard]] bool sends(std::size_t index) const { return transfer(index).from == rank_; }
    [[nodiscard]] const Parts& parts(std::size_t index) const {
        return common_.parts[transfers_[index]];
    }
    [[nodiscard]] std::size_t number(std::size_t index, std::size_t part) const {
        return numbers_[first_number_[index] + part];
    }

    /// The most pieces into which one message of the schedule is cut.
    [[nodiscard]] std::size_t most_pieces() const {
        std::size_t most = 1;
        for (std::size_t i = 0; i < transfers_.size(); ++i)
            if (sends(i))
                most = std::max(most, parts(i).count() / schedule_.segments_of(transfer(i)));
        return most;
    }

    void list_chunks() {
        std::vector<std::size_t> touched;
        for (std::size_t i = 0; i < transfers_.size(); ++i)
            for (std::size_t c = 0; c < transfer(i).chunks; ++c)
                touched.push_back(transfer(i).chunk + c);
        std::ranges::sort(touched);
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (const std::size_t chunk : touched) {
            places_[chunk] = program_.chunks.size();
            program_.chunks.push_back(common_.shares[chunk].chunk());
        }
    }

    void list_messages() {
        for (std::size_t i = 0; i < transfers_.size(); ++i) {
            first_number_.push_back(numbers_.size());
            const Parts& its = parts(i);
            numbers_.resize(numbers_.size() + its.count());
            auto& messages = sends(i) ? sent_ : received_;
            for (std::size_t p = 0; p < its.count(); ++p)
                messages.push_back({common_.steps[transfers_[i]], its.segment_of(p), p, i});
        }
        for (auto* messages : {&sent_, &received_}) {
            std::ranges::stable_sort(*messages, {}, [](const Message& message) {
                return std::pair(message.step, message.segment);
            });
            for (std::size_t m = 0; m < messages->size(); ++m)
                numbers_[first_number_[(*messages)[m].transfer] + (*messages)[m].part] = m;
        }
    }

    void find_dependences() {
        graph_.needs_of_send.resize(sent_.size());
        graph_.needs_of_receive.resize(received_.size());
        graph_.earlier.resize(received_.size());
        std::vector<Held> held(program_.chunks.size());
        for (std::size_t i = 0; i < transfers_.size(); ++i) {
            const Transfer& next = transfer(i);
            if (sends(i) && next.after) add_handshake(i, *next.after);
            for (std::size_t c = next.chunk; c < next.chunk + next.chunks; ++c) {
                if (schedule_.chunks[c].control) continue;
                Held& chunk = held[places_[c]];
                if (sends(i)) {
                    if (chunk.arrived) add_overlaps(i, *chunk.arrived, c, graph_.needs_of_send);
                    chunk.left.push_back(i);
                    continue;
                }
                if (chunk.arrived) add_overlaps(i, *chunk.arrived, c, graph_.earlier);
                for (const std::size_t before : chunk.left)
                    add_overlaps(i, before, c, graph_.needs_of_receive);
                chunk = {i, {}};
            }
        }
        for (auto* lists : {&graph_.needs_of_send, &graph_.needs_of_receive, &graph_.earlier})
            for (std::vector<std::size_t>& list : *lists) {
                std::ranges::sort(list);
                list.erase(std::unique(list.begin(), list.end()), list.end());
            }
    }

    void add_handshake(std::size_t index, std::size_t after) {
        const auto place = std::ranges::lower_bound(transfers_, after);
        const auto before = static_cast<std::size_t>(place - transfers_.begin());
        for (std::size_t p = 0; p < parts(index).count(); ++p)
            for (std::size_t b = 0; b < parts(before).count(); ++b)
                graph_.needs_of_send[number(index, p)].push_back(number(before, b));
    }

    /// Makes each message of transfer `index` depend on those of `before` that share some of
    /// `chunk`.
    void add_overlaps(std::size_t index, std::size_t before, std::size_t chunk,
                      std::vector<std::vector<std::size_t>>& lists) {
        const auto mine = common_.carried(transfers_[index], chunk);
        const auto other = common_.carried(transfers_[before], chunk);
        for (std::size_t s = 0; s < mine.run.segments; ++s) {
            const auto [first, last] = mine.run.overlapping(s, other.run);
            for (std::size_t b = first; b < last; ++b)
                lists[number(index, mine.first + s)].push_back(number(before, other.first + b));
        }
    }

    void put_receives_in_order() {
        for (const Message& message : received_) {
            graph_.senders.push_back(transfer(message.transfer).from);
            graph_.steps.push_back(message.step);
        }
        const auto order = order_receives(graph_);
        if (order.empty()) return;
        std::vector<Message> received;
        for (const std::size_t old : order) received.push_back(received_[old]);
        received_ = std::move(received);
    }

    void add_messages() {
        for (std::size_t m = 0; m < received_.size(); ++m) {
            const Transfer& from = transfer(received_[m].transfer);
            RankProgram::Receive receive;
            receive.message = message_of(received_[m], from.from);
            receive.op = from.op;
            receive.from_left = common_.from_left[transfers_[received_[m].transfer]] != 0;
            append(program_.needs, graph_.needs_of_receive[m], receive.first_need,
                   receive.last_need);
            append(program_.earlier, graph_.earlier[m], receive.first_earlier,
                   receive.last_earlier);
            program_.receives.push_back(receive);
        }
        for (std::size_t m = 0; m < sent_.size(); ++m) {
            const Transfer& to = transfer(sent_[m].transfer);
            RankProgram::Send send;
            send.message = message_of(sent_[m], to.to);
            append(program_.needs, graph_.needs_of_send[m], send.first_need, send.last_need);
            const Parts::Part part = parts(sent_[m].transfer)[sent_[m].part];
            const simulate::MessageCost cost = cost_of(to, part);
            window_.add(send.message.peer, cost, bytes_of(schedule_, part) > common_.eager);
            send.gap = cost.gap;
            if (const auto* times = planned_times(sent_[m])) {
                send.start = times->start;
                send.gap = std::max(cost.gap, times->sent - times->start);
            }
            program_.sends.push_back(send);
        }
        const auto before = [](const std::vector<Message>& messages, std::size_t step) {
            const auto end = std::ranges::upper_bound(messages, step, {}, &Message::step);
            return static_cast<std::size_t>(end - messages.begin());
        };
        for (std::size_t step = 0; step < schedule_.barriers.size(); ++step)
            program_.barriers.push_back({before(sent_, step), before(received_, step)});
    }

    static void append(std::vector<std::size_t>& to, const std::vector<std::size_t>& list,
                       std::size_t& first, std::size_t& last) {
        first = to.size();
        to.insert(to.end(), list.begin(), list.end());
        last = to.size();
    }

    [[nodiscard]] RankProgram::Message message_of(const Message& message, std::size_t peer) const {
        const Parts::Part its = parts(message.transfer)[message.part];
        return {static_cast<int>(peer), static_cast<std::uint32_t>(places_[its.chunk]),
                static_cast<std::uint32_t>(its.chunks), static_cast<std::uint32_t>(its.segment),
                static_cast<std::uint32_t>(its.segments)};
    }

    /// The cost of a part. Blocks that were not known to be sent cost nothing, if they are sent one
    /// day.
    [[nodiscard]] simulate::MessageCost cost_of(const Transfer& its,
                                                const Parts::Part& part) const {
        if (schedule_.bytes_of(its).value == 0 && !program_.chunks[places_[its.chunk]].empty)
            return {};
        return common_.fabric.cost(its.from, its.to, bytes_of(schedule_, part));
    }

    /// The planned times of a message that is all of its transfer, if the timeline has any: it
    /// knows nothing of messages that were added to the plan. Else null.
    [[nodiscard]] const schedule::Timeline::Times* planned_times(const Message& message) const {
        const std::size_t index = transfers_[message.transfer];
        const auto& planned = common_.timeline.transfers;
        return index < planned.size() && common_.parts[index].count() == 1 ? &planned[index]
                                                                           : nullptr;
    }

    const Common& common_;
    const Schedule& schedule_;
    const std::size_t rank_;
    const std::vector<std::size_t>& transfers_;
    std::vector<std::size_t>& places_;  ///< of chunks in program_.chunks, of those that are there
    std::vector<Message> sent_;
    std::vector<Message> received_;
    std::vector<std::size_t> numbers_;  ///< of messages; those of a transfer from first_number_ on
    std::vector<std::size_t> first_number_;
    RankGraph graph_;
    Window window_;
    RankProgram program_;
};

}  // namespace

std::vector<RankProgram> compile_ranks(const Schedule& schedule, const simulate::Fabric& fabric,
                                       Bytes eager, const schedule::Timeline& timeline) {
    const Common common(schedule, fabric, eager, timeline);
    const std::size_t ranks = schedule.collective.nodes;
    std::vector<std::vector<std::size_t>> transfers(ranks);
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        transfers[schedule.transfers[t].from].push_back(t);
        transfers[schedule.transfers[t].to].push_back(t);
    }
    std::vector<std::size_t> places(schedule.chunks.size());
    std::vector<RankProgram> programs;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        programs.push_back(RankCompiler(common, rank, transfers[rank], places).compile());
    return programs;
}

}  // namespace espalier::runtime
