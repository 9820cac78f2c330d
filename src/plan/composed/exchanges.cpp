#include "plan/composed/exchanges.hpp"

#include "core/matrix.hpp"
#include "plan/composed/listing.hpp"
#include "plan/composed/loads.hpp"
#include "plan/composed/pieces.hpp"

#include <algorithm>
#include <optional>

namespace espalier::plan::composed {

namespace {

using schedule::Schedule;

struct Shape {
    /// Messages between two clusters, at most; each carries the rows of as many ranks.
    std::size_t messages = 1;
    /// Levels at which blocks travel together; below, each goes straight.
    std::size_t depth = 1;
    /// For long messages: not all ranks begin with the same cluster, and messages go by way of
    /// third clusters where that spreads the load.
    bool spread_out = false;
};

/// One member of a site, and whose turn it is there to send or to receive for the others.
struct Member {
    std::vector<std::size_t> ranks;
    std::size_t sends = 0;
    std::size_t receives = 0;

    std::size_t next_sender() { return ranks[sends++ % ranks.size()]; }
    std::size_t next_receiver() { return ranks[receives++ % ranks.size()]; }
};

class Exchange {
public:
    Exchange(const Problem& problem, Shape shape)
        : problem_(problem),
          shape_(shape),
          fabric_(*problem.fabric),
          schedule_(empty_schedule(problem)),
          loads_(fabric_) {}

    Schedule run(Meter& meter) {
        exchange_inside(*problem_.site, 0);
        schedule_.transfers = std::move(first_);
        for (auto* phase : {&between_, &relayed_, &inside_, &last_})
            schedule_.transfers.insert(schedule_.transfers.end(), phase->begin(), phase->end());
        meter.spend(schedule_.transfers.size() * steps_a_look);
        const std::uint64_t steps = steps_of_listing(schedule_);
        if (shape_.spread_out && meter.affords(static_cast<double>(steps))) {
            meter.spend(steps);
            (void)list_greedily(schedule_, fabric_);
        }
        return std::move(schedule_);
    }

private:
    using Transfers = std::vector<schedule::Transfer>;

    /// A run of chunks.
    struct Run {
        std::size_t first = 0;
        std::size_t end = 0;
    };

    void exchange_inside(const Site& site, std::size_t depth) {
        std::vector<Member> members;
        for (const Site& member : site.members) members.push_back({member.ranks()});
        const std::size_t others = members.size() - 1;
        if (members.size() > 1) {
            Matrix<std::vector<Run>> rows(members.size(), members.size());
            for (std::size_t from = 0; from < members.size(); ++from)
                for (std::size_t to = 0; to < members.size(); ++to)
                    if (from != to) rows(from, to) = add_rows(members[from], members[to]);
            std::size_t most = 1;
            for (const Member& member : members) most = std::max(most, messages_of(member, depth));
            for (std::size_t step = 0; step < others; ++step)
                for (std::size_t message = 0; message < most; ++message)
                    for (std::size_t from = 0; from < members.size(); ++from) {
                        const std::size_t to =
                            (from + 1 + (step + (shape_.spread_out ? message : 0)) % others) %
                            members.size();
                        if (message < messages_of(members[from], depth))
                            add_message(members, from, to, rows(from, to), depth, message);
                    }
        }
        for (const Site& member : site.members) exchange_inside(member, depth + 1);
    }

    [[nodiscard]] std::vector<Run> add_rows(const Member& from, const Member& to) {
        std::vector<Run> rows;
        for (const std::size_t source : from.ranks) rows.push_back(add_row(source, to.ranks));
        return rows;
    }

    /// To one other member of its site.
    [[nodiscard]] std::size_t messages_of(const Member& from, std::size_t depth) const {
        const std::size_t ranks = from.ranks.size();
        return depth >= shape_.depth ? ranks : std::min(shape_.messages, ranks);
    }

    void add_message(std::vector<Member>& members, std::size_t from, std::size_t to,
                     const std::vector<Run>& rows, std::size_t depth, std::size_t message) {
        const std::size_t messages = messages_of(members[from], depth);
        const std::size_t begin = rows.size() * message / messages;
        const std::size_t end = rows.size() * (message + 1) / messages;
        const Run all{rows[begin].first, rows[end - 1].end};
        if (all.first == all.end) return;
        const bool single = end - begin == 1;
        if (depth >= shape_.depth || (single && members[to].ranks.size() == 1)) {
            hand_out(depth == 0 ? between_ : inside_, all);
            return;
        }
        const std::size_t coordinator =
            single ? members[from].ranks[begin] : members[from].next_sender();
        for (std::size_t row = begin; row < end; ++row)
            send(first_, members[from].ranks[row], coordinator, rows[row]);
        const std::size_t receiver = members[to].next_receiver();
        const auto relay = shape_.spread_out && depth == 0
                               ? relay_of(members, from, to, coordinator, receiver, all)
                               : std::nullopt;
        send(between_, coordinator, relay.value_or(receiver), all);
        if (relay) send(relayed_, *relay, receiver, all);
        for (std::size_t chunk = all.first; chunk < all.end; ++chunk)
            send(last_, receiver, *schedule_.chunks[chunk].target, {chunk, chunk + 1});
    }

    /// The blocks of one rank for several, but for empty ones.
    Run add_row(std::size_t source, const std::vector<std::size_t>& targets) {
        Run row{schedule_.chunks.size(), 0};
        for (const std::size_t target : targets) {
            const Bytes bytes = schedule_.collective.block(source, target);
            if (bytes.value > 0) schedule_.chunks.push_back({bytes, 1, source, target});
        }
        row.end = schedule_.chunks.size();
        return row;
    }

    void hand_out(Transfers& phase, Run row) {
        for (std::size_t chunk = row.first; chunk < row.end; ++chunk)
            send(phase, *schedule_.chunks[chunk].source, *schedule_.chunks[chunk].target,
                 {chunk, chunk + 1});
    }

    static void send(Transfers& phase, std::size_t from, std::size_t to, Run run) {
        if (from != to && run.first < run.end)
            phase.push_back(
                {.from = from, .to = to, .chunk = run.first, .chunks = run.end - run.first});
    }

    /// A rank of a third member, where that leaves the fullest capacity emptier than the straight
    /// way does.
    std::optional<std::size_t> relay_of(std::vector<Member>& members, std::size_t from,
                                        std::size_t to, std::size_t sender, std::size_t receiver,
                                        Run run) {
        Bytes bytes;
        for (std::size_t chunk = run.first; chunk < run.end; ++chunk)
            bytes += schedule_.chunks[chunk].bytes;
        double least = loads_.most_with(sender, receiver, bytes);
        std::optional<std::size_t> best;
        for (std::size_t m = 0; m < members.size(); ++m) {
            if (m == from || m == to) continue;
            const std::size_t relay =
                members[m].ranks[members[m].receives % members[m].ranks.size()];
            const double full = std::max(loads_.most_with(sender, relay, bytes),
                                         loads_.most_with(relay, receiver, bytes));
            if (full >= least) continue;
            least = full;
            best = m;
        }
        if (!best) {
            loads_.add(sender, receiver, bytes);
            return std::nullopt;
        }
        const std::size_t relay = members[*best].next_receiver();
        loads_.add(sender, relay, bytes);
        loads_.add(relay, receiver, bytes);
        return relay;
    }

    const Problem& problem_;
    Shape shape_;
    const simulate::Fabric& fabric_;
    Schedule schedule_;
    Loads loads_;      ///< of messages that may go by way of a third member
    Transfers first_;  ///< to coordinators
    Transfers between_;
    Transfers relayed_;
    Transfers inside_;
    Transfers last_;  ///< from whoever got a message for others
};

/// Whether links are busy with what a rank has for another cluster for as long as it is on its way.
bool has_long_rows(const Problem& problem) {
    const auto& members = problem.site->members;
    for (const Site& from : members)
        for (const Site& to : members) {
            if (&from == &to) continue;
            const Bytes row = problem.request->bytes * to.ranks().size();
            const auto cost = problem.fabric->cost(from.ranks().front(), to.ranks().front(), row);
            if (cost.gap > cost.latency) return true;
        }
    return false;
}

std::size_t depth_of(const Site& site) {
    std::size_t most = 0;
    for (const Site& member : site.members) most = std::max(most, depth_of(member));
    return site.members.empty() ? 0 : most + 1;
}

}  // namespace

std::vector<Schedule> exchange_by_levels(const Problem& problem, Meter& meter) {
    const std::size_t ranks = problem.job->places.size();
    const std::size_t levels = depth_of(*problem.site);
    if (problem.request->direct || levels < 2) return {};
    std::vector<Shape> shapes;
    for (const std::size_t messages : {std::size_t{1}, std::size_t{8}, ranks}) {
        shapes.push_back({messages, 1});
        if (levels > 2) shapes.push_back({messages, levels});
    }
    if (problem.site->members.size() > 2 && has_long_rows(problem))
        for (const std::size_t messages : {std::size_t{16}, ranks})
            shapes.push_back({messages, 1, true});
    std::vector<Schedule> found;
    // Each block has a chunk and about two transfers.
    const auto steps = static_cast<double>(3 * ranks * ranks * steps_a_look);
    for (const Shape& shape : shapes)
        if (meter.affords(steps)) found.push_back(Exchange(problem, shape).run(meter));
    return found;
}

}  // namespace espalier::plan::composed
