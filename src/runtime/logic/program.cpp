#include "runtime/logic/program.hpp"

#include <algorithm>
#include <set>

namespace espalier::runtime {

namespace {

using schedule::Schedule;
using schedule::Transfer;

/// Enough to keep a link busy, and few enough that the order of the plan is the order on the wire.
constexpr std::size_t sends_per_receiver = 4;

std::size_t receivers_of(const std::vector<Program::Send>& sends) {
    // All segments of the first round go out before any second one does.
    std::set<int> receivers;
    for (const Program::Send& send : sends)
        if (!receivers.insert(send.destination).second) break;
    return receivers.size();
}

class Compiler {
public:
    Compiler(const RankPlan& plan, std::size_t rank, Bytes bytes)
        : plan_(plan), schedule_(fit(plan.schedule, bytes)), rank_(rank) {
        std::uint64_t offset = 0;
        for (const schedule::Chunk& chunk : schedule_.chunks) {
            offsets_.push_back(offset);
            if (!chunk.control) offset += chunk.bytes.value;
        }
        program_.spaced = schedule_.spaced;
    }

    Program compile() {
        for (const Message& message : messages_of(&Transfer::to)) add_receive(message);
        for (const Message& message : messages_of(&Transfer::from)) add_send(message);
        program_.window = sends_per_receiver * receivers_of(program_.sends);
        return std::move(program_);
    }

private:
    struct Message {
        std::size_t segment = 0;
        std::size_t transfer = 0;
    };
    /// A transfer to this rank, and its receives, segment by segment.
    struct Incoming {
        std::size_t transfer = 0;
        std::vector<std::size_t> receives;
    };

    /// Those that this rank sends or receives, in the order in which it does.
    [[nodiscard]] std::vector<Message> messages_of(std::size_t Transfer::*end) const {
        std::vector<Message> messages;
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
            const Transfer& transfer = schedule_.transfers[t];
            if (transfer.*end != rank_) continue;
            const std::size_t segments = schedule_.segments_of(transfer);
            for (std::size_t s = 0; s < segments; ++s) messages.push_back({s, t});
        }
        std::stable_sort(messages.begin(), messages.end(),
                         [](const Message& a, const Message& b) { return a.segment < b.segment; });
        return messages;
    }

    [[nodiscard]] Program::Part part_of(const Message& message) {
        const Transfer& transfer = schedule_.transfers[message.transfer];
        const Bytes bytes = schedule_.bytes_of(transfer);
        const std::size_t segments = schedule_.segments_of(transfer);
        Program::Part part;
        part.bytes = schedule::segment_bytes(bytes, segments, message.segment).value;
        if (schedule_.chunks[transfer.chunk].control) {
            part.buffer = Program::Buffer::scratch;
            program_.scratch_bytes = std::max(program_.scratch_bytes, part.bytes);
        } else {
            part.offset = offsets_[transfer.chunk] +
                          schedule::segment_offset(bytes, segments, message.segment);
        }
        return part;
    }

    void add_receive(const Message& message) {
        const Transfer& transfer = schedule_.transfers[message.transfer];
        if (message.segment == 0) incoming_.push_back({message.transfer, {}});
        for (Incoming& incoming : incoming_)
            if (incoming.transfer == message.transfer)
                incoming.receives.push_back(program_.receives.size());
        program_.receives.push_back(
            {part_of(message), static_cast<int>(transfer.from), transfer.op});
    }

    void add_send(const Message& message) {
        const Transfer& transfer = schedule_.transfers[message.transfer];
        const std::size_t segments = schedule_.segments_of(transfer);
        Program::Send send;
        send.part = part_of(message);
        send.destination = static_cast<int>(transfer.to);
        send.whole = segments == 1;
        const RankPlan::Cost& cost = plan_.costs[message.transfer];
        send.cost = message.segment + 1 == segments ? cost.last : cost.first;
        send.first_need = program_.needs.size();
        add_needs(message.transfer, send.part);
        send.last_need = program_.needs.size();
        program_.sends.push_back(send);
    }

    /// What a message carries has to be there: all that arrives of it by transfers listed earlier.
    void add_needs(std::size_t transfer, const Program::Part& part) {
        const auto& after = schedule_.transfers[transfer].after;
        for (const Incoming& incoming : incoming_) {
            const auto& receives = incoming.receives;
            auto& needs = program_.needs;
            if (after && incoming.transfer == *after)
                needs.insert(needs.end(), receives.begin(), receives.end());
            else if (incoming.transfer < transfer && part.buffer != Program::Buffer::scratch)
                add_overlapping(receives, part);
        }
    }

    /// `receives` are the segments of one transfer, which follow each other in the message.
    void add_overlapping(const std::vector<std::size_t>& receives, const Program::Part& part) {
        const auto ends_before = [&](std::size_t receive, std::uint64_t offset) {
            const Program::Part& other = program_.receives[receive].part;
            return other.offset + other.bytes <= offset;
        };
        if (program_.receives[receives.front()].part.buffer != part.buffer) return;
        auto receive = std::lower_bound(receives.begin(), receives.end(), part.offset, ends_before);
        for (; receive != receives.end(); ++receive) {
            const Program::Part& other = program_.receives[*receive].part;
            if (other.offset >= part.offset + part.bytes) break;
            if (other.bytes > 0) program_.needs.push_back(*receive);
        }
    }

    const RankPlan& plan_;
    const Schedule schedule_;
    std::size_t rank_;
    std::vector<std::uint64_t> offsets_;
    std::vector<Incoming> incoming_;
    Program program_;
};

}  // namespace

Program compile(const RankPlan& plan, std::size_t rank, Bytes bytes) {
    return Compiler(plan, rank, bytes).compile();
}

}  // namespace espalier::runtime
