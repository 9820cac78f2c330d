#include "schedule/validate.hpp"

#include "schedule/contributors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

namespace espalier::schedule {

namespace {

/// Replays the transfers in their order, keeping what every node holds.
class Replay {
public:
    explicit Replay(const Schedule& schedule)
        : schedule_(schedule), collective_(schedule.collective) {}

    std::optional<Violation> run() {
        if (auto fault = check_shape()) return fault;
        if (auto fault = check_sizes()) return fault;
        for (std::size_t chunk = 0; chunk < schedule_.chunks.size(); ++chunk) set_initial(chunk);
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t)
            if (auto fault = perform(t)) return Violation{*fault, t};
        for (std::size_t chunk = 0; chunk < schedule_.chunks.size(); ++chunk)
            if (auto fault = check_final(chunk)) return Violation{*fault, {}};
        return std::nullopt;
    }

private:
    [[nodiscard]] std::optional<Violation> check_shape() const {
        const std::size_t nodes = collective_.nodes;
        if (nodes == 0 || schedule_.nodes.size() != nodes)
            return Violation{fmt::format("{} nodes are named, and the collective has {}",
                                         schedule_.nodes.size(), nodes),
                             {}};
        if (has_root(collective_.kind) && collective_.root >= nodes)
            return Violation{"the root does not exist", {}};
        if (const auto& sizes = collective_.sizes;
            sizes && (sizes->rows() != nodes || sizes->columns() != nodes))
            return Violation{fmt::format("sizes are not {} x {}", nodes, nodes), {}};
        if (auto fault = check_blocks()) return Violation{*fault, {}};
        if (collective_.kind == Kind::barrier && collective_.bytes.value != 0)
            return Violation{fmt::format("a barrier of {} bytes", collective_.bytes.value), {}};
        const auto& barriers = schedule_.barriers;
        if (std::ranges::adjacent_find(barriers, std::greater_equal<>()) != barriers.end() ||
            (!barriers.empty() && barriers.back() > schedule_.transfers.size()))
            return Violation{"the barriers are no numbers of transfers in ascending order", {}};
        for (std::size_t c = 0; c < schedule_.chunks.size(); ++c) {
            const Chunk& chunk = schedule_.chunks[c];
            if (chunk.segments == 0 || (chunk.source && *chunk.source >= nodes) ||
                (chunk.target && *chunk.target >= nodes))
                return Violation{
                    fmt::format("chunk {} has no segment, or a node that does not exist", c), {}};
        }
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
            const Transfer& transfer = schedule_.transfers[t];
            if (transfer.from >= nodes || transfer.to >= nodes || transfer.from == transfer.to)
                return Violation{fmt::format("transfer {} does not join two nodes", t), t};
            if (transfer.chunks == 0 || transfer.chunk >= schedule_.chunks.size() ||
                transfer.chunks > schedule_.chunks.size() - transfer.chunk)
                return Violation{fmt::format("transfer {} carries a chunk that does not exist", t),
                                 t};
            if (transfer.segments && *transfer.segments == 0)
                return Violation{fmt::format("transfer {} has no segment", t), t};
            if (transfer.after &&
                (*transfer.after >= t || schedule_.transfers[*transfer.after].to != transfer.from))
                return Violation{
                    fmt::format("transfer {} waits for what '{}' can't know to be over", t,
                                schedule_.nodes[transfer.from]),
                    t};
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> check_blocks() const {
        const auto& blocks = collective_.blocks;
        if (!blocks) return std::nullopt;
        if (!has_blocks(collective_.kind))
            return fmt::format("a {} has no blocks that differ", name_of(collective_.kind));
        if (blocks->size() != collective_.nodes)
            return fmt::format("there are {} blocks, and {} nodes", blocks->size(),
                               collective_.nodes);
        if (const Bytes largest = std::ranges::max(*blocks); largest != collective_.bytes)
            return fmt::format("the largest block has {} bytes, and is stated to have {}",
                               largest.value, collective_.bytes.value);
        return std::nullopt;
    }

    /// The chunks of each item of the collective are there and add up to its bytes.
    [[nodiscard]] std::optional<Violation> check_sizes() const {
        std::map<Item, std::uint64_t> stated;
        for (std::size_t c = 0; c < schedule_.chunks.size(); ++c) {
            const Chunk& chunk = schedule_.chunks[c];
            if (chunk.control) continue;
            const Item item = item_of(chunk);
            if (!expects(item))
                return Violation{fmt::format("chunk {} {} is no part of this {}", c, describe(item),
                                             name_of(collective_.kind)),
                                 {}};
            stated[item] += chunk.bytes.value;
        }
        for (const auto& [item, bytes] : stated)
            if (bytes != bytes_of(item).value)
                return Violation{fmt::format("chunks of {} bytes stand for an item of {}", bytes,
                                             bytes_of(item).value),
                                 {}};
        for (const Item& item : required_items())
            if (!stated.contains(item))
                return Violation{fmt::format("no chunk stands for the data {}", describe(item)),
                                 {}};
        return std::nullopt;
    }

    /// The part of the collective's data that a chunk belongs to: its source and its target, where
    /// these make a difference.
    struct Item {
        std::optional<std::size_t> source;
        std::optional<std::size_t> target;
        friend auto operator<=>(const Item&, const Item&) = default;
    };

    [[nodiscard]] Bytes bytes_of(const Item& item) const {
        switch (collective_.kind) {
            case Kind::alltoall:
                return collective_.block(*item.source, *item.target);
            case Kind::gather:
            case Kind::allgather:
                return collective_.block(*item.source);
            case Kind::scatter:
            case Kind::reduce_scatter:
                return collective_.block(*item.target);
            default:
                return collective_.bytes;
        }
    }

    /// A label that is left out means the root, where there is one.
    [[nodiscard]] Item item_of(const Chunk& chunk) const {
        Item item{chunk.source, chunk.target};
        const bool from_root =
            collective_.kind == Kind::broadcast || collective_.kind == Kind::scatter;
        if (from_root || collective_.kind == Kind::gather)
            item.source = chunk.source.value_or(collective_.root);
        if (collective_.kind == Kind::scatter || collective_.kind == Kind::gather ||
            collective_.kind == Kind::reduce)
            item.target = chunk.target.value_or(collective_.root);
        return item;
    }

    [[nodiscard]] bool expects(const Item& item) const {
        const bool to_root = item.target == collective_.root;
        switch (collective_.kind) {
            case Kind::broadcast:
                return item.source == collective_.root && !item.target;
            case Kind::reduce:
                return !item.source && to_root;
            case Kind::allreduce:
            case Kind::barrier:
            case Kind::scan:
            case Kind::exscan:
                return !item.source && !item.target;
            case Kind::scatter:
                return item.source == collective_.root;
            case Kind::gather:
                return to_root;
            case Kind::allgather:
                return item.source && !item.target;
            case Kind::reduce_scatter:
                return !item.source && item.target;
            case Kind::alltoall:
                return item.source && item.target;
        }
        return false;
    }

    /// A node's block for itself needs no transfer, and may be left out; likewise an empty block.
    [[nodiscard]] std::vector<Item> required_items() const {
        const std::size_t nodes = collective_.nodes;
        const std::size_t root = collective_.root;
        std::vector<Item> items;
        if (nodes == 1) return items;
        const auto add_blocks = [&](auto item) {
            for (std::size_t node = 0; node < nodes; ++node)
                if (const Item block = item(node); !block.source || block.source != block.target)
                    items.push_back(block);
        };
        switch (collective_.kind) {
            case Kind::broadcast:
                return {{root, {}}};
            case Kind::reduce:
                return {{{}, root}};
            case Kind::allreduce:
            case Kind::barrier:
            case Kind::scan:
            case Kind::exscan:
                return {{}};
            case Kind::scatter:
                add_blocks([&](std::size_t node) { return Item{root, node}; });
                break;
            case Kind::gather:
                add_blocks([&](std::size_t node) { return Item{node, root}; });
                break;
            case Kind::allgather:
                add_blocks([](std::size_t node) { return Item{node, {}}; });
                break;
            case Kind::reduce_scatter:
                add_blocks([](std::size_t node) { return Item{{}, node}; });
                break;
            case Kind::alltoall:
                for (std::size_t from = 0; from < nodes; ++from)
                    add_blocks([&](std::size_t node) { return Item{from, node}; });
                break;
        }
        std::erase_if(items, [&](const Item& item) { return bytes_of(item).value == 0; });
        return items;
    }

    [[nodiscard]] std::string describe(const Item& item) const {
        std::string text = item.source ? fmt::format("from '{}'", schedule_.nodes[*item.source])
                                       : std::string("of all");
        if (item.target) text += fmt::format(" for '{}'", schedule_.nodes[*item.target]);
        return text;
    }

    [[nodiscard]] Contributors& held(std::size_t node, std::size_t chunk) {
        return held_[node * schedule_.chunks.size() + chunk];
    }

    void set_initial(std::size_t c) {
        const Chunk& chunk = schedule_.chunks[c];
        if (chunk.control || combines(collective_.kind)) {
            for (std::size_t node = 0; node < collective_.nodes; ++node)
                held(node, c) = Contributors(node);
            return;
        }
        const std::size_t source = chunk.source.value_or(collective_.root);
        held(source, c) = Contributors(source);
    }

    [[nodiscard]] std::optional<std::string> perform(std::size_t t) {
        const Transfer& transfer = schedule_.transfers[t];
        for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c) {
            if (schedule_.chunks[c].control) continue;
            const std::string& from = schedule_.nodes[transfer.from];
            const std::string& to = schedule_.nodes[transfer.to];
            const Contributors incoming = held(transfer.from, c);
            Contributors& present = held(transfer.to, c);
            if (incoming.empty())
                return fmt::format(
                    "node '{}' sends chunk {} to '{}' in transfer {} without holding it", from, c,
                    to, t);
            if (transfer.op == Op::copy) {
                if (is_scan(collective_.kind))
                    return fmt::format("transfer {} copies chunk {}, and a {} only combines", t, c,
                                       name_of(collective_.kind));
                if (!incoming.contains(present))
                    return fmt::format(
                        "transfer {} from '{}' overwrites contributions to chunk {} that '{}' "
                        "holds",
                        t, from, c, to);
                present = incoming;
                continue;
            }
            if (!combines(collective_.kind))
                return fmt::format("transfer {} combines chunk {}, and a {} only copies", t, c,
                                   name_of(collective_.kind));
            if (present.overlaps(incoming))
                return fmt::format(
                    "transfer {} from '{}' combines into chunk {} at '{}' what is in it already", t,
                    from, c, to);
            if (is_scan(collective_.kind) && !incoming.precedes(present))
                return fmt::format(
                    "transfer {} from '{}' brings '{}' what does not end where its own part of "
                    "chunk {} begins",
                    t, from, to, c);
            if (collective_.ordered && !present.empty() && !present.adjoins(incoming))
                return fmt::format(
                    "transfer {} from '{}' combines chunk {} at '{}' out of rank order", t, from, c,
                    to);
            present.add(incoming);
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> check_final(std::size_t c) {
        const Chunk& chunk = schedule_.chunks[c];
        if (chunk.control) return std::nullopt;
        const auto wanted = [&](std::size_t node) {
            if (is_scan(collective_.kind)) return Contributors::all(node + 1);
            return combines(collective_.kind)
                       ? Contributors::all(collective_.nodes)
                       : Contributors(chunk.source.value_or(collective_.root));
        };
        const auto check = [&](std::size_t node) -> std::optional<std::string> {
            const Contributors& present = held(node, c);
            if (present == wanted(node)) return std::nullopt;
            return fmt::format("node '{}' ends {} chunk {}", schedule_.nodes[node],
                               present.empty() ? "without" : "with an incomplete", c);
        };
        switch (collective_.kind) {
            case Kind::reduce:
            case Kind::gather:
                return check(collective_.root);
            case Kind::scatter:
            case Kind::reduce_scatter:
            case Kind::alltoall:
                return check(chunk.target.value_or(collective_.root));
            case Kind::broadcast:
            case Kind::allreduce:
            case Kind::allgather:
            case Kind::barrier:
            case Kind::scan:
            case Kind::exscan:
                break;
        }
        for (std::size_t node = 0; node < collective_.nodes; ++node)
            if (auto fault = check(node)) return fault;
        return std::nullopt;
    }

    const Schedule& schedule_;
    const Collective& collective_;
    std::unordered_map<std::size_t, Contributors> held_;
};

}  // namespace

std::optional<Violation> find_violation(const Schedule& schedule) { return Replay(schedule).run(); }

}  // namespace espalier::schedule
