#include "simulate/dependences.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

namespace espalier::simulate {

namespace {

using schedule::LocalPart;
using schedule::Reception;
using schedule::Schedule;
using schedule::Timeline;
using schedule::Transfer;

double tolerance_of(const Timeline& timeline) { return 1e-9 * timeline.makespan.value; }

/// Collects what each transfer waits for.
class Finder {
public:
    Finder(const Schedule& schedule, const Timeline& timeline)
        : schedule_(schedule), times_(timeline.transfers), found_(times_.size()) {}

    std::vector<std::vector<Dependence>> run(double tolerance) {
        find_port_order();
        find_data();
        find_barriers();
        if (mode() == Reception::Mode::buffered) find_buffer_waits(tolerance);
        return std::move(found_);
    }

private:
    [[nodiscard]] Reception::Mode mode() const { return schedule_.reception.mode; }
    [[nodiscard]] double end_of(std::size_t transfer) const { return times_[transfer].end.value; }

    /// When a node is done with a transfer.
    [[nodiscard]] double done_at(std::size_t transfer, std::size_t node) const {
        return schedule_.transfers[transfer].from == node ? times_[transfer].sent.value
                                                          : end_of(transfer);
    }

    void find_port_order() {
        const std::size_t nodes = schedule_.nodes.size();
        const bool half = schedule_.ports.duplex == schedule::Ports::Duplex::half;
        std::vector<std::vector<std::size_t>> out(nodes);
        std::vector<std::vector<std::size_t>> in(nodes);
        for (std::size_t t = 0; t < times_.size(); ++t) {
            out[schedule_.transfers[t].from].push_back(t);
            if (mode() != Reception::Mode::interleaved)
                (half ? out : in)[schedule_.transfers[t].to].push_back(t);
        }
        for (std::size_t node = 0; node < nodes; ++node) {
            // Such a node receives in the order in which messages come.
            if (mode() == Reception::Mode::buffered)
                std::ranges::stable_sort(half ? out[node] : in[node], {}, [&](std::size_t t) {
                    return std::pair(times_[t].arrival, times_[t].end);
                });
            find_order_at(node, out[node]);
            find_order_at(node, in[node]);
        }
    }

    /// A port of k slots: the next one takes that which is free first.
    void find_order_at(std::size_t node, const std::vector<std::size_t>& order) {
        std::vector<std::size_t> last;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::size_t t = order[i];
            if (i > 0 && schedule_.ports.count > 1) found_[t].push_back({order[i - 1], Bond::turn});
            if (last.size() < schedule_.ports.count) {
                last.push_back(t);
                continue;
            }
            const auto first_free = std::ranges::min_element(
                last, {}, [&](std::size_t other) { return done_at(other, node); });
            found_[t].push_back(
                {*first_free, schedule_.transfers[t].from == node ? Bond::sender : Bond::receiver});
            *first_free = t;
        }
    }

    /// Finds for each transfer the last to end of those that bring its sender the same chunk.
    void find_data() {
        std::unordered_map<std::size_t, std::size_t> brought;  // by (node, chunk)
        for (std::size_t t = 0; t < times_.size(); ++t) {
            const Transfer& transfer = schedule_.transfers[t];
            for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c) {
                if (schedule_.chunks[c].control) continue;
                const auto key = [&](std::size_t node) {
                    return node * schedule_.chunks.size() + c;
                };
                if (const auto need = brought.find(key(transfer.from)); need != brought.end())
                    add_once(t, {need->second, Bond::data});
                const auto [entry, first] = brought.try_emplace(key(transfer.to), t);
                if (!first && end_of(t) >= end_of(entry->second)) entry->second = t;
            }
            if (transfer.after) found_[t].push_back({*transfer.after, Bond::answer});
        }
    }
    void add_once(std::size_t transfer, Dependence dependence) {
        auto& list = found_[transfer];
        if (std::ranges::find(list, dependence) == list.end()) list.push_back(dependence);
    }

    /// Finds the first transfer of each sender in each step that begins together.
    void find_barriers() {
        std::size_t last = 0;
        std::size_t seen = 0;
        for (std::size_t b = 0; b < schedule_.barriers.size(); ++b) {
            const std::size_t begin = schedule_.barriers[b];
            for (; seen < begin; ++seen)
                if (end_of(seen) >= end_of(last)) last = seen;
            if (begin == 0) continue;
            const std::size_t end =
                b + 1 < schedule_.barriers.size() ? schedule_.barriers[b + 1] : times_.size();
            std::vector<bool> sent(schedule_.nodes.size(), false);
            for (std::size_t t = begin; t < end; ++t) {
                const std::size_t sender = schedule_.transfers[t].from;
                if (!sent[sender]) found_[t].push_back({last, Bond::barrier});
                sent[sender] = true;
            }
        }
    }

    /// Finds the senders that waited for a receiver's buffer: they start at the moment when it has
    /// taken in another message.
    void find_buffer_waits(double tolerance) {
        std::vector<std::vector<std::size_t>> by_end(schedule_.nodes.size());
        for (std::size_t t = 0; t < times_.size(); ++t)
            by_end[schedule_.transfers[t].to].push_back(t);
        const auto end = [&](std::size_t t) { return end_of(t); };
        for (auto& list : by_end) std::ranges::stable_sort(list, {}, end);
        for (std::size_t t = 0; t < times_.size(); ++t) {
            const double start = times_[t].start.value;
            const auto& list = by_end[schedule_.transfers[t].to];
            const auto other = std::ranges::lower_bound(list, start - tolerance, {}, end);
            if (other != list.end() && *other != t && end_of(*other) <= start + tolerance)
                found_[t].push_back({*other, Bond::buffer});
        }
    }

    const Schedule& schedule_;
    const std::vector<Timeline::Times>& times_;
    std::vector<std::vector<Dependence>> found_;
};

/// Goes back from the end of a schedule, each time to what was over last of all that a transfer
/// waited for.
class PathFinder {
public:
    PathFinder(const Schedule& schedule, const Timeline& timeline, const Dependences& dependences)
        : schedule_(schedule),
          timeline_(timeline),
          dependences_(dependences),
          tolerance_(tolerance_of(timeline)),
          visited_(schedule.transfers.size(), false),
          before_(schedule.nodes.size()) {
        for (std::size_t p = 0; p < schedule.local.size(); ++p)
            if (schedule.local[p].phase == LocalPart::Phase::before)
                before_[schedule.local[p].node] = p;
    }

    CriticalPath run() {
        double until = timeline_.makespan.value;
        auto transfer = find_last(until);
        while (transfer) transfer = step_back(*transfer, until);
        std::ranges::reverse(path_.steps);
        for (const auto& step : path_.steps) path_.idle += step.idle;
        return std::move(path_);
    }

private:
    /// Something that a transfer waited for.
    struct Cause {
        enum class Fit {
            exact,    ///< it is over when the transfer begins, or before
            sending,  ///< likewise its sending
            overlap,  ///< they are a pipeline
        };
        Fit fit = Fit::exact;
        Bond bond = Bond::sender;
        double idle = 0;
        double takes_over = 0;
        std::optional<std::size_t> transfer;  ///< nullopt: a local part
        std::size_t part = 0;

        /// The least explains best; of pipelines, what lasts longest.
        [[nodiscard]] auto rank() const {
            const bool overlap = fit == Fit::overlap;
            return std::tuple(overlap, overlap ? -takes_over : idle, fit, bond);
        }
    };

    /// The transfer that all wait for at the end; `until` is when it is over.
    std::optional<std::size_t> find_last(double& until) {
        std::optional<std::size_t> node;
        for (std::size_t p = 0; p < schedule_.local.size(); ++p) {
            const auto& span = timeline_.local[p];
            if (span.end.value < until - tolerance_ || span.end <= span.start) continue;
            if (schedule_.local[p].phase == LocalPart::Phase::before) {
                path_.local_first = p;
                return std::nullopt;
            }
            path_.local_last = p;
            node = schedule_.local[p].node;
            until = span.start.value;
            break;
        }
        std::optional<std::size_t> last;
        double latest = 0;
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
            const Transfer& transfer = schedule_.transfers[t];
            const auto& times = timeline_.transfers[t];
            if (node && transfer.from != *node && transfer.to != *node) continue;
            const double over = (node && transfer.from == *node ? times.sent : times.end).value;
            if (last && over <= latest) continue;
            last = t;
            latest = over;
        }
        return last;
    }

    std::optional<std::size_t> step_back(std::size_t transfer, double& until) {
        visited_[transfer] = true;
        const std::optional<Cause> cause = best_cause(transfer, until);
        const double start = timeline_.transfers[transfer].start.value;
        CriticalPath::Step step{transfer, std::nullopt, Seconds(std::min(start, until)),
                                Seconds(until), Seconds(0)};
        if (!cause) {
            step.idle = Seconds(start > tolerance_ ? start : 0);
            path_.steps.push_back(step);
            return std::nullopt;
        }
        step.bond = cause->bond;
        step.begins = Seconds(std::min(cause->takes_over, until));
        step.idle = Seconds(cause->idle);
        until = step.begins.value - cause->idle;
        path_.steps.push_back(step);
        if (!cause->transfer) path_.local_first = cause->part;
        by_sending_ =
            cause->transfer && cause->bond == Bond::sender &&
            schedule_.transfers[*cause->transfer].from == schedule_.transfers[transfer].from;
        return cause->transfer;
    }

    [[nodiscard]] std::optional<Cause> best_cause(std::size_t transfer, double until) const {
        std::optional<Cause> best;
        const auto consider = [&](const std::optional<Cause>& cause) {
            if (cause && (!best || cause->rank() < best->rank())) best = cause;
        };
        for (const Dependence& dependence : dependences_.of(transfer)) {
            // A sender is done when a buffer holds the message, whenever that is taken in.
            if (by_sending_ && dependence.bond == Bond::receiver &&
                schedule_.reception.mode == Reception::Mode::buffered)
                continue;
            if (!visited_[dependence.transfer]) consider(cause_of(transfer, dependence, until));
        }
        const auto& times = timeline_.transfers[transfer];
        const auto consider_part = [&](std::size_t node, Seconds since) {
            const auto part = before_[node];
            if (!part || timeline_.local[*part].end.value <= tolerance_) return;
            const double idle = (since - timeline_.local[*part].end).value;
            if (idle < -tolerance_) return;
            consider(Cause{Cause::Fit::exact, Bond::inside, idle > tolerance_ ? idle : 0,
                           since.value, std::nullopt, *part});
        };
        consider_part(schedule_.transfers[transfer].from, times.start);
        consider_part(schedule_.transfers[transfer].to, times.arrival);
        return best;
    }

    /// When a node begins to be busy with a transfer.
    [[nodiscard]] double begins_at(std::size_t transfer, std::size_t node) const {
        const auto& times = timeline_.transfers[transfer];
        return (schedule_.transfers[transfer].from == node ? times.start : times.arrival).value;
    }

    [[nodiscard]] std::optional<Cause> turn_of(std::size_t transfer, std::size_t other) const {
        std::optional<Cause> best;
        const Transfer& before = schedule_.transfers[other];
        for (const std::size_t node :
             {schedule_.transfers[transfer].from, schedule_.transfers[transfer].to}) {
            if (before.from != node && before.to != node) continue;
            const double since = begins_at(transfer, node);
            const double idle = since - begins_at(other, node);
            if (idle < -tolerance_) continue;
            const Cause cause{
                Cause::Fit::exact, Bond::turn, idle > tolerance_ ? idle : 0, since, other, 0};
            if (!best || cause.rank() < best->rank()) best = cause;
        }
        return best;
    }

    [[nodiscard]] std::optional<Cause> cause_of(std::size_t transfer, Dependence dependence,
                                                double until) const {
        if (dependence.bond == Bond::turn) return turn_of(transfer, dependence.transfer);
        const auto& times = timeline_.transfers[transfer];
        const auto& other = timeline_.transfers[dependence.transfer];
        const bool receives = dependence.bond == Bond::receiver;
        const bool sends = dependence.bond == Bond::sender;
        // Under half duplex a receiver may have been sending before, and a sender receiving.
        const std::size_t node =
            receives ? schedule_.transfers[transfer].to : schedule_.transfers[transfer].from;
        const bool sent_before = schedule_.transfers[dependence.transfer].from == node;
        const double since = (receives ? times.arrival : times.start).value;
        const double over = ((receives || sends) && sent_before ? other.sent : other.end).value;
        Cause cause{
            Cause::Fit::exact, dependence.bond, since - over, since, dependence.transfer, 0};
        // Where capacities are shared, a receiver is free for a message of a greater latency when
        // the one before has left its sender.
        const double other_way = (times.start - other.sent).value;
        if (receives && other_way >= -tolerance_ &&
            (cause.idle < -tolerance_ || other_way < cause.idle - tolerance_))
            cause = {Cause::Fit::sending, dependence.bond,     other_way,
                     times.start.value,   dependence.transfer, 0};
        if (cause.idle < -tolerance_) {
            if (other.start > times.start) return std::nullopt;
            return Cause{Cause::Fit::overlap,   dependence.bond,     0,
                         std::min(over, until), dependence.transfer, 0};
        }
        if (cause.idle <= tolerance_) cause.idle = 0;
        return cause;
    }

    const Schedule& schedule_;
    const Timeline& timeline_;
    const Dependences& dependences_;
    double tolerance_;
    std::vector<bool> visited_;
    std::vector<std::optional<std::size_t>> before_;  ///< the local part that each node begins with
    bool by_sending_ = false;  ///< the next step waits for a transfer's sending, not for its end
    CriticalPath path_;
};

}  // namespace

std::string_view words_for(Bond bond) {
    switch (bond) {
        case Bond::receiver:
            return "the receiver's port";
        case Bond::sender:
            return "the sender's port";
        case Bond::data:
            return "its data";
        case Bond::answer:
            return "an answer";
        case Bond::barrier:
            return "the barrier";
        case Bond::buffer:
            return "room in the receiver's buffer";
        case Bond::turn:
            return "its turn";
        case Bond::inside:
            return "what happens inside its node";
    }
    return {};
}

Dependences::Dependences(const Schedule& schedule, const Timeline& timeline) {
    if (timeline.transfers.size() != schedule.transfers.size() ||
        timeline.local.size() != schedule.local.size())
        throw std::invalid_argument("the timeline does not have the transfers of its schedule");
    for (auto& list : Finder(schedule, timeline).run(tolerance_of(timeline))) {
        all_.insert(all_.end(), list.begin(), list.end());
        first_.push_back(all_.size());
    }
}

CriticalPath critical_path(const Schedule& schedule, const Timeline& timeline,
                           const Dependences& dependences) {
    return PathFinder(schedule, timeline, dependences).run();
}

}  // namespace espalier::simulate
