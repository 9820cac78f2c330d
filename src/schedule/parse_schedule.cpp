#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "schedule/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace espalier::schedule {

namespace {

/// Reads a schedule file; remembers names so that every later mention is checked.
class Reader {
public:
    explicit Reader(const JsonValue& document) : document_(document) {}

    StatedPlan read() {
        document_.allow_only({"format",
                              "version",
                              "collective",
                              "nodes",
                              "root",
                              "bytes",
                              "ordered",
                              "network",
                              "ports",
                              "algorithm",
                              "chunks",
                              "makespan",
                              "lower_bound",
                              "bound_scope",
                              "any_lower_bound",
                              "optimal",
                              "transfers",
                              "local",
                              "epoch",
                              "reception",
                              "barriers",
                              "sizes",
                              "blocks",
                              "critical",
                              "critical_done",
                              "critical_lower_bound",
                              "deadlines",
                              "missed",
                              "missed_lower_bound",
                              "robust"});
        read_head();
        for (const auto& chunk : document_.at("chunks").array()) read_chunk(chunk);
        std::size_t timed = 0;
        const auto transfers = document_.at("transfers").array();
        for (const auto& transfer : transfers) timed += read_transfer(transfer) ? 1U : 0U;
        if (timed != 0 && timed != transfers.size())
            document_.at("transfers").fail("some transfers have times and some have none");
        if (const auto barriers = document_.find("barriers")) read_barriers(*barriers);
        if (const auto local = document_.find("local"))
            for (const auto& part : local->array()) read_local(part);
        read_demands();
        if (const auto robust = document_.find("robust")) read_robust(*robust);
        stated_.has_times = timed > 0 || (transfers.empty() && stated_.has_makespan);
        return std::move(stated_);
    }

private:
    Schedule& schedule() { return stated_.plan.schedule; }

    void read_head() {
        const JsonValue collective = document_.at("collective");
        const auto kind = find_kind(collective.string());
        if (!kind) collective.fail(fmt::format("'{}' is not a collective", collective.string()));
        for (const auto& name : document_.at("nodes").array()) {
            if (!index_.emplace(name.string(), schedule().nodes.size()).second)
                name.fail(fmt::format("the name '{}' is used twice", name.string()));
            schedule().nodes.push_back(name.string());
        }
        if (schedule().nodes.empty()) document_.at("nodes").fail("no node");
        schedule().collective = {*kind, schedule().nodes.size(), 0,
                                 Bytes(document_.at("bytes").count()), false};
        if (has_root(*kind)) schedule().collective.root = node(document_.at("root"));
        if (const auto sizes = document_.find("sizes")) read_sizes(*sizes);
        if (const auto blocks = document_.find("blocks")) read_blocks(*blocks);
        if (*kind == Kind::barrier && schedule().collective.bytes.value != 0)
            document_.at("bytes").fail("a barrier carries no bytes");
        if (const auto ordered = document_.find("ordered"))
            schedule().collective.ordered = ordered->boolean();
        if (const auto network = document_.find("network")) schedule().network = network->string();
        if (const auto algorithm = document_.find("algorithm"))
            schedule().algorithm = algorithm->string();
        if (const auto epoch = document_.find("epoch")) schedule().epoch = epoch->count();
        const JsonValue ports = document_.at("ports");
        const auto parsed = parse_ports(ports.string());
        if (!parsed)
            ports.fail(
                fmt::format("'{}' is not half-duplex, full-duplex or K-port", ports.string()));
        schedule().ports = *parsed;
        if (const auto reception = document_.find("reception")) {
            const auto mode = parse_reception(reception->string());
            if (!mode)
                reception->fail(
                    fmt::format("'{}' is not serial, interleaved:ALPHA or "
                                "buffered:BYTES",
                                reception->string()));
            schedule().reception = *mode;
        }
        if (const auto makespan = document_.find("makespan")) {
            stated_.plan.timeline.makespan = Seconds(makespan->number());
            stated_.has_makespan = true;
        }
        if (const auto bound = document_.find("lower_bound"))
            stated_.plan.lower_bound = Seconds(bound->number());
        if (const auto scope = document_.find("bound_scope")) {
            if (scope->string() == name_of(BoundScope::any))
                stated_.plan.scope = BoundScope::any;
            else if (scope->string() != name_of(BoundScope::whole_message))
                scope->fail(fmt::format("'{}' is not whole-message or any", scope->string()));
        }
        if (const auto bound = document_.find("any_lower_bound"))
            stated_.plan.any_bound = Seconds(bound->number());
        if (const auto optimal = document_.find("optimal"))
            stated_.plan.optimal = optimal->boolean();
    }

    std::size_t node(const JsonValue& name) {
        const auto found = index_.find(name.string());
        if (found == index_.end()) name.fail(fmt::format("no node is named '{}'", name.string()));
        return found->second;
    }

    /// Reads the block sizes of a total exchange; the row sends to the column.
    void read_sizes(const JsonValue& rows) {
        const std::size_t nodes = schedule().nodes.size();
        if (schedule().collective.kind != Kind::alltoall)
            rows.fail("only a total exchange has sizes");
        Matrix<Bytes> sizes(nodes, nodes);
        const auto list = rows.array();
        if (list.size() != nodes) rows.fail(fmt::format("{} rows were expected", nodes));
        for (std::size_t i = 0; i < nodes; ++i) {
            const auto row = list[i].array();
            if (row.size() != nodes) list[i].fail(fmt::format("{} sizes were expected", nodes));
            for (std::size_t j = 0; j < nodes; ++j) sizes(i, j) = Bytes(row[j].count());
        }
        schedule().collective.sizes = std::make_shared<const Matrix<Bytes>>(std::move(sizes));
    }

    /// Reads the block sizes of a scatter, gather, all-gather or reduce-scatter, one for each node.
    void read_blocks(const JsonValue& list) {
        const std::size_t nodes = schedule().nodes.size();
        schedule::Collective& collective = schedule().collective;
        if (!has_blocks(collective.kind))
            list.fail("only a scatter, gather, allgather or reduce-scatter has blocks");
        std::vector<Bytes> blocks;
        for (const auto& block : list.array()) blocks.emplace_back(block.count());
        if (blocks.size() != nodes) list.fail(fmt::format("{} sizes were expected", nodes));
        if (const Bytes largest = std::ranges::max(blocks); largest != collective.bytes)
            list.fail(
                fmt::format("the largest has {} bytes, and the collective is stated to have "
                            "{}",
                            largest.value, collective.bytes.value));
        collective.blocks = std::make_shared<const std::vector<Bytes>>(std::move(blocks));
    }

    /// Reads the critical node and the deadlines.
    void read_demands() {
        if (const auto critical = document_.find("critical")) schedule().critical = node(*critical);
        for (const auto* field : {"critical_done", "critical_lower_bound"})
            if (const auto value = document_.find(field); value && !schedule().critical)
                value->fail("there is no critical node");
        if (const auto done = document_.find("critical_done"))
            stated_.critical_done = Seconds(done->number());
        if (const auto bound = document_.find("critical_lower_bound"))
            stated_.plan.critical_bound = Seconds(bound->number());
        for (const auto* field : {"deadlines", "missed", "missed_lower_bound"})
            if (const auto value = document_.find(field); value && !has_deadlines(schedule()))
                value->fail("no chunk has a deadline");
        if (const auto bound = document_.find("missed_lower_bound"))
            stated_.plan.missed_bound = bound->number();
        if (const auto missed = document_.find("missed")) read_missed(*missed);
        if (const auto word = document_.find("deadlines")) {
            const std::string stated = word->string();
            if (stated != "met" && stated != "missed" && stated != "impossible")
                word->fail(fmt::format("'{}' is not met, missed or impossible", stated));
            if (stated_.missed &&
                stated != word_for_deadlines(*stated_.missed, stated_.plan.missed_bound))
                word->fail("it does not agree with the other fields");
        }
    }

    void read_missed(const JsonValue& list) {
        stated_.missed.emplace();
        for (const auto& entry : list.array()) {
            entry.allow_only({"chunk", "from", "to", "deadline", "end", "late_by", "priority"});
            const std::size_t chunk = entry.at("chunk").count();
            if (chunk >= schedule().chunks.size() || !schedule().chunks[chunk].deadline)
                entry.at("chunk").fail("no chunk with a deadline has this number");
            if (!stated_.missed->empty() && chunk <= stated_.missed->back().chunk)
                entry.at("chunk").fail("chunks are in ascending order");
            stated_.missed->push_back({chunk, Seconds(entry.at("end").number())});
            require_agreement(entry, schedule().chunks[chunk]);
        }
    }

    /// Requires that an entry of `missed` agrees with its chunk.
    void require_agreement(const JsonValue& entry, const Chunk& chunk) {
        const auto require = [&](const char* field, double expected, double slack) {
            const auto stated = entry.find(field);
            if (stated && std::abs(stated->number() - expected) > slack)
                stated->fail(fmt::format("{} was expected, by its chunk and its end", expected));
        };
        const double end = entry.at("end").number();
        require("deadline", chunk.deadline->value, 0);
        require("priority", chunk.priority, 0);
        require("late_by", end - chunk.deadline->value, 1e-9 * end);
        for (const auto& [field, expected] :
             {std::pair{"from", chunk.source}, std::pair{"to", chunk.target}}) {
            const auto stated = entry.find(field);
            if (stated && expected != std::optional(node(*stated)))
                stated->fail("its chunk says otherwise");
        }
    }

    void read_robust(const JsonValue& object) {
        object.allow_only({"percentile", "makespan", "lower_bound"});
        const JsonValue percentile = object.at("percentile");
        Robust robust{static_cast<unsigned>(percentile.count()),
                      Seconds(object.at("makespan").number()), Seconds(0)};
        if (percentile.count() < least_percentile || percentile.count() > most_percentile)
            percentile.fail(fmt::format("{} is not from {} to {}", percentile.count(),
                                        least_percentile, most_percentile));
        if (const auto bound = object.find("lower_bound"))
            robust.lower_bound = Seconds(bound->number());
        stated_.plan.robust = robust;
    }

    void read_barriers(const JsonValue& list) {
        for (const auto& entry : list.array()) {
            const std::size_t index = entry.count();
            auto& barriers = schedule().barriers;
            if (index > schedule().transfers.size() ||
                (!barriers.empty() && index <= barriers.back()))
                entry.fail("barriers are numbers of transfers in ascending order");
            barriers.push_back(index);
        }
    }

    void read_chunk(const JsonValue& object) {
        object.allow_only(
            {"id", "bytes", "segments", "source", "target", "control", "deadline", "priority"});
        const JsonValue id = object.at("id");
        if (id.count() != schedule().chunks.size())
            id.fail(fmt::format("chunk {} was expected here", schedule().chunks.size()));
        Chunk chunk{Bytes(object.at("bytes").count()), object.at("segments").count(1), {}, {}};
        if (const auto source = object.find("source")) chunk.source = node(*source);
        if (const auto target = object.find("target")) chunk.target = node(*target);
        if (const auto control = object.find("control")) chunk.control = control->boolean();
        if (const auto deadline = object.find("deadline"))
            chunk.deadline = Seconds(deadline->number());
        if (const auto priority = object.find("priority")) {
            chunk.priority = priority->number();
            if (chunk.priority == 0) priority->fail("a priority is positive");
        }
        schedule().chunks.push_back(chunk);
    }

    /// Whether it has times.
    bool read_transfer(const JsonValue& object) {
        object.allow_only(
            {"from", "to", "chunk", "op", "chunks", "segments", "after", "start", "end"});
        Transfer transfer;
        transfer.from = node(object.at("from"));
        transfer.to = node(object.at("to"));
        const JsonValue chunk = object.at("chunk");
        transfer.chunk = chunk.count();
        if (const auto chunks = object.find("chunks")) transfer.chunks = chunks->count(1);
        if (transfer.chunk >= schedule().chunks.size() ||
            transfer.chunks > schedule().chunks.size() - transfer.chunk)
            chunk.fail("no chunk has this number");
        const JsonValue op = object.at("op");
        if (op.string() == "combine")
            transfer.op = Op::combine;
        else if (op.string() != "copy")
            op.fail(fmt::format("'{}' is not copy or combine", op.string()));
        if (const auto segments = object.find("segments")) transfer.segments = segments->count(1);
        if (const auto after = object.find("after")) transfer.after = after->count();
        schedule().transfers.push_back(transfer);
        const auto start = object.find("start");
        const auto end = object.find("end");
        if (start.has_value() != end.has_value()) object.fail("one of start and end is missing");
        if (!start) return false;
        const Timeline::Times times{Seconds(start->number()), Seconds(0), Seconds(0),
                                    Seconds(end->number())};
        if (times.end < times.start) end->fail("it ends before it starts");
        stated_.plan.timeline.transfers.push_back(times);
        return true;
    }

    void read_local(const JsonValue& object) {
        object.allow_only({"node", "strategy", "segments", "phase", "start", "end"});
        LocalPart part;
        part.node = node(object.at("node"));
        part.strategy = object.at("strategy").string();
        if (const auto segments = object.find("segments")) part.segments = segments->count(1);
        if (const auto phase = object.find("phase")) {
            if (phase->string() == "before")
                part.phase = LocalPart::Phase::before;
            else if (phase->string() != "after")
                phase->fail(fmt::format("'{}' is not before or after", phase->string()));
        }
        const Seconds start(object.at("start").number());
        const Seconds end(object.at("end").number());
        if (end < start) object.at("end").fail("it ends before it starts");
        part.duration = end - start;
        schedule().local.push_back(part);
        stated_.plan.timeline.local.push_back({start, end});
    }

    const JsonValue& document_;
    StatedPlan stated_;
    std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

StatedPlan parse_schedule(const std::string& text, const std::string& source) {
    Json storage;
    const JsonValue document = JsonValue::parse(source, text, storage);
    require_format(document, "espalier-schedule");
    return Reader(document).read();
}

StatedPlan read_schedule(const std::string& path) { return parse_schedule(read_file(path), path); }

}  // namespace espalier::schedule
