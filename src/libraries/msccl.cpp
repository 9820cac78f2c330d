#include "libraries/msccl.hpp"

#include "core/error.hpp"
#include "libraries/msccl_layout.hpp"
#include "schedule/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace espalier::libraries {

namespace {

using schedule::Kind;
using schedule::Schedule;

/// What MSCCL's executors have room for: blocks of threads on a rank, and steps of each.
constexpr std::size_t most_blocks = 108;
constexpr std::size_t most_steps = 256;

constexpr std::array<std::pair<Kind, std::string_view>, 6> collectives{
    {{Kind::broadcast, "broadcast"},
     {Kind::reduce, "reduce"},
     {Kind::allreduce, "allreduce"},
     {Kind::allgather, "allgather"},
     {Kind::reduce_scatter, "reduce_scatter"},
     {Kind::alltoall, "alltoall"}}};

/// A place in one of a rank's buffers: `i` input, `o` output, `s` scratch.
struct Spot {
    char buffer = 'i';
    std::size_t offset = 0;
    friend auto operator<=>(const Spot&, const Spot&) = default;
};

struct Step {
    std::string_view type;
    Spot from;
    Spot to;
    std::size_t parts = 1;
    /// Steps of other blocks that have to be over: block and step.
    std::vector<std::pair<std::size_t, std::size_t>> after;
};

/// Threads of a rank that send to, or receive from, one other; or that only copy.
struct Block {
    std::optional<std::size_t> send;
    std::optional<std::size_t> receive;
    std::vector<Step> steps;
};

/// One rank's program, as it is written down step by step.
class RankProgramWriter {
public:
    std::vector<Block> blocks;

    std::size_t sender(std::size_t to) {
        return block(sends_, to, {.send = to, .receive = {}, .steps = {}});
    }
    std::size_t receiver(std::size_t from) {
        return block(receives_, from, {.send = {}, .receive = from, .steps = {}});
    }
    std::size_t copier() { return block(copies_, 0, {.send = {}, .receive = {}, .steps = {}}); }

    /// Adds a step that reads one of the spots, or none, and writes one, or none; it waits for
    /// those that wrote what it reads, and for those that read or wrote what it writes.
    void add(std::size_t in, Step step, std::optional<Spot> read, std::optional<Spot> write) {
        const std::pair<std::size_t, std::size_t> own{in, blocks[in].steps.size()};
        const auto wait = [&](std::pair<std::size_t, std::size_t> other) {
            if (other.first != in) step.after.push_back(other);
        };
        if (read) {
            Uses& uses = uses_[*read];
            if (uses.written) wait(*uses.written);
            uses.read.push_back(own);
        }
        if (write) {
            Uses& uses = uses_[*write];
            if (uses.written) wait(*uses.written);
            for (const auto& reader : uses.read)
                if (reader != own) wait(reader);
            uses = {own, {}};
        }
        // Of several steps of a block the last is enough.
        std::map<std::size_t, std::size_t> last;
        for (const auto& [block, index] : step.after) {
            auto& found = last[block];
            found = std::max(found, index);
        }
        step.after.assign(last.begin(), last.end());
        blocks[in].steps.push_back(std::move(step));
    }

private:
    struct Uses {
        std::optional<std::pair<std::size_t, std::size_t>> written;
        std::vector<std::pair<std::size_t, std::size_t>> read;
    };

    std::size_t block(std::map<std::size_t, std::size_t>& known, std::size_t peer, Block made) {
        const auto [found, is_new] = known.emplace(peer, blocks.size());
        if (is_new) blocks.push_back(std::move(made));
        return found->second;
    }

    std::map<std::size_t, std::size_t> sends_;
    std::map<std::size_t, std::size_t> receives_;
    std::map<std::size_t, std::size_t> copies_;
    std::map<Spot, Uses> uses_;
};

class Program {
public:
    Program(const Schedule& schedule, const std::string& where)
        : schedule_(schedule),
          layout_(msccl_layout(schedule, where)),
          ranks_(schedule.nodes.size()),
          scratch_(schedule.nodes.size(), 0),
          at_(schedule.nodes.size(), std::vector<std::optional<Spot>>(schedule.chunks.size())) {
        begin();
        for (const schedule::Transfer& transfer : schedule.transfers)
            for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c)
                if (layout_.pieces[c].parts > 0) perform(transfer, c);
        end();
    }

    [[nodiscard]] std::string text(const std::string& where) const;

private:
    [[nodiscard]] Kind kind() const { return schedule_.collective.kind; }
    [[nodiscard]] bool ends_with(std::size_t rank, std::size_t chunk) const {
        const auto& target = schedule_.chunks[chunk].target;
        if (kind() == Kind::reduce) return rank == schedule_.collective.root;
        return !target || *target == rank;
    }
    [[nodiscard]] bool begins_with(std::size_t rank, std::size_t chunk) const {
        const auto& source = schedule_.chunks[chunk].source;
        if (kind() == Kind::broadcast) return rank == schedule_.collective.root;
        return !source || *source == rank;
    }

    void begin() {
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            for (std::size_t c = 0; c < schedule_.chunks.size(); ++c)
                if (layout_.pieces[c].parts > 0 && begins_with(rank, c))
                    at_[rank][c] = Spot{'i', layout_.pieces[c].input};
    }

    /// Where a rank keeps a chunk that it does not have from the beginning, or adds to.
    Spot kept(std::size_t rank, std::size_t chunk) {
        if (at_[rank][chunk] && at_[rank][chunk]->buffer != 'i') return *at_[rank][chunk];
        const MscclLayout::Piece& piece = layout_.pieces[chunk];
        if (ends_with(rank, chunk)) return {'o', piece.output};
        const Spot spot{'s', scratch_[rank]};
        scratch_[rank] += piece.parts;
        return spot;
    }

    void perform(const schedule::Transfer& transfer, std::size_t chunk) {
        const std::size_t parts = layout_.pieces[chunk].parts;
        const Spot source = *at_[transfer.from][chunk];
        auto& own = at_[transfer.to][chunk];
        const Spot target = kept(transfer.to, chunk);
        RankProgramWriter& sender = ranks_[transfer.from];
        sender.add(sender.sender(transfer.to), {"s", source, target, parts, {}}, source, {});
        RankProgramWriter& receiver = ranks_[transfer.to];
        const std::size_t block = receiver.receiver(transfer.from);
        if (transfer.op == schedule::Op::combine && own)
            receiver.add(block, {"rrc", *own, target, parts, {}}, own, target);
        else
            receiver.add(block, {"r", source, target, parts, {}}, {}, target);
        own = target;
    }

    /// Copies what never left the input into the output.
    void end() {
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            for (std::size_t c = 0; c < schedule_.chunks.size(); ++c) {
                const auto& spot = at_[rank][c];
                if (!spot || spot->buffer != 'i' || !ends_with(rank, c)) continue;
                const Spot output{'o', layout_.pieces[c].output};
                ranks_[rank].add(ranks_[rank].copier(),
                                 {"cpy", *spot, output, layout_.pieces[c].parts, {}}, *spot,
                                 output);
            }
        if (kind() != Kind::alltoall) return;
        // A total exchange has no chunk of what stays where it is.
        const std::size_t parts = layout_.inputs / ranks_.size();
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            ranks_[rank].add(ranks_[rank].copier(),
                             {"cpy", {'i', rank * parts}, {'o', rank * parts}, parts, {}}, {}, {});
    }

    const Schedule& schedule_;
    MscclLayout layout_;
    std::vector<RankProgramWriter> ranks_;
    std::vector<std::size_t> scratch_;
    /// Where each rank has each chunk.
    std::vector<std::vector<std::optional<Spot>>> at_;
};

/// Steps by their numbers in the text: a step that waits for several is preceded by steps that do
/// nothing else.
std::vector<std::vector<std::size_t>> numbers_of(const std::vector<Block>& blocks) {
    std::vector<std::vector<std::size_t>> numbers;
    for (const Block& block : blocks) {
        std::vector<std::size_t>& own = numbers.emplace_back();
        std::size_t next = 0;
        for (const Step& step : block.steps) {
            next += step.after.empty() ? 0 : step.after.size() - 1;
            own.push_back(next++);
        }
    }
    return numbers;
}

std::string step_text(std::size_t number, const Step& step,
                      std::optional<std::pair<std::size_t, std::size_t>> after, bool awaited) {
    const std::string waits =
        after ? fmt::format("depid=\"{}\" deps=\"{}\"", after->first, after->second)
              : "depid=\"-1\" deps=\"-1\"";
    return fmt::format(
        "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" "
        "dstoff=\"{}\" cnt=\"{}\" {} hasdep=\"{}\"/>\n",
        number, step.type, step.from.buffer, step.from.offset, step.to.buffer, step.to.offset,
        step.parts, waits, awaited ? 1 : 0);
}

std::string blocks_text(const std::vector<Block>& blocks) {
    const auto numbers = numbers_of(blocks);
    std::vector<std::vector<bool>> awaited;
    for (const Block& block : blocks) awaited.emplace_back(block.steps.size(), false);
    for (const Block& block : blocks)
        for (const Step& step : block.steps)
            for (const auto& [other, index] : step.after) awaited[other][index] = true;
    const auto peer = [](const std::optional<std::size_t>& rank) {
        return rank ? static_cast<std::ptrdiff_t>(*rank) : -1;
    };
    std::string text;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        text += fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n", b,
                            peer(blocks[b].send), peer(blocks[b].receive));
        for (std::size_t s = 0; s < blocks[b].steps.size(); ++s) {
            const Step& step = blocks[b].steps[s];
            const auto after = [&](std::size_t a) {
                return std::pair(step.after[a].first,
                                 numbers[step.after[a].first][step.after[a].second]);
            };
            for (std::size_t a = 0; a + 1 < step.after.size(); ++a) {
                const Step nothing{"nop", step.from, step.to, 0, {}};
                text += step_text(numbers[b][s] - (step.after.size() - 1) + a, nothing, after(a),
                                  false);
            }
            text += step_text(
                numbers[b][s], step,
                step.after.empty() ? std::nullopt : std::optional(after(step.after.size() - 1)),
                awaited[b][s]);
        }
        text += "    </tb>\n";
    }
    return text;
}

std::string Program::text(const std::string& where) const {
    const auto* const collective =
        std::ranges::find(collectives, kind(), &std::pair<Kind, std::string_view>::first);
    std::string text = fmt::format(
        "<algo name=\"espalier-{}\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{}\" "
        "ngpus=\"{}\" coll=\"{}\" inplace=\"0\" outofplace=\"1\" minBytes=\"0\" "
        "maxBytes=\"1099511627776\">\n",
        schedule_.algorithm.empty() ? "plan" : schedule_.algorithm, layout_.all, ranks_.size(),
        collective->second);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        const std::vector<Block>& blocks = ranks_[rank].blocks;
        if (blocks.size() > most_blocks)
            throw InputError(where, "transfers",
                             fmt::format("rank {} needs {} blocks of threads, and MSCCL has {}",
                                         rank, blocks.size(), most_blocks));
        for (const std::vector<std::size_t>& numbers : numbers_of(blocks))
            if (!numbers.empty() && numbers.back() >= most_steps)
                throw InputError(where, "transfers",
                                 fmt::format("rank {} needs {} steps between two ranks, and MSCCL "
                                             "has {}",
                                             rank, numbers.back() + 1, most_steps));
        text += fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n",
                            rank, layout_.inputs, layout_.outputs, scratch_[rank]);
        text += blocks_text(blocks) + "  </gpu>\n";
    }
    return text + "</algo>\n";
}

}  // namespace

std::string msccl_program(const Schedule& schedule, const std::string& where) {
    const Kind kind = schedule.collective.kind;
    if (std::ranges::find(collectives, kind, &std::pair<Kind, std::string_view>::first) ==
        collectives.end())
        throw InputError(where, "collective", fmt::format("MSCCL has no {}", name_of(kind)));
    if (!schedule.local.empty())
        throw InputError(where, "local",
                         "its nodes are clusters; espalier plan --ranks plans between ranks");
    if (const auto violation = schedule::find_violation(schedule))
        throw InvalidError(fmt::format("{}: {}", where, violation->what));
    return Program(schedule, where).text(where);
}

}  // namespace espalier::libraries
