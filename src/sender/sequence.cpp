#include "sender/sequence.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <queue>

namespace espalier::sender {

namespace {

/// A node, and when it is next free to do something.
struct Turn {
    double at;
    std::size_t node;
    double time;
};

std::size_t tie_breaker(const Turn&) { return 0; }
/// Puts like nodes side by side, so that they can be taken together.
template <typename Time>
std::size_t tie_breaker(const Wave<Time>& wave) {
    return wave.run.class_index;
}

/// A queue of events in the order of their times; of events at one time, the one that was added
/// first comes first.
template <typename Event>
class Agenda {
public:
    void add(Event event) { heap_.push({event, added_++}); }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] const Event& next() const { return heap_.top().event; }
    Event take() {
        const Event event = heap_.top().event;
        heap_.pop();
        return event;
    }

private:
    struct Entry {
        Event event;
        std::uint64_t added;
        bool operator<(const Entry& other) const {
            if (event.at != other.event.at) return event.at > other.event.at;
            const std::size_t tie = tie_breaker(event);
            const std::size_t other_tie = tie_breaker(other.event);
            return tie != other_tie ? tie > other_tie : added > other.added;
        }
    };
    std::priority_queue<Entry> heap_;
    std::uint64_t added_ = 0;
};

/// The next wave, with all others of its time and class.
template <typename Time>
Wave<Time> take_together(Agenda<Wave<Time>>& agenda) {
    Wave<Time> wave = agenda.take();
    while (!agenda.empty() && agenda.next().at == wave.at &&
           agenda.next().run.class_index == wave.run.class_index)
        wave.run.count += agenda.take().run.count;
    return wave;
}

template <typename Time>
void add_wave(Course<Time>& course, const Wave<Time>& wave) {
    if (!course.waves.empty() && course.waves.back().at == wave.at &&
        course.waves.back().run.class_index == wave.run.class_index)
        course.waves.back().run.count += wave.run.count;
    else
        course.waves.push_back(wave);
}

double later(double at, double time) { return at + time; }
/// The sum of two times. If it does not fit, as may happen for a bad sequence on slow nodes, the
/// result is a time that is late enough.
Ticks later(Ticks at, Ticks time) {
    constexpr Ticks latest = std::numeric_limits<Ticks>::max() / 4;
    return std::min(at, latest) + std::min(time, latest);
}

template <typename Time>
Course<Time> broadcast_course(const Problem& problem, const Sequence& sequence,
                              std::span<const Time> time) {
    Course<Time> course;
    Agenda<Wave<Time>> deliveries;  // a port each
    deliveries.add({time[sequence.root], {sequence.root, problem.ports}});
    for (Run left : sequence.runs) {
        while (left.count > 0) {
            const Wave<Time> ports = take_together(deliveries);
            const Time now = ports.at;
            const std::uint64_t served = std::min(left.count, ports.run.count);
            if (served < ports.run.count)
                deliveries.add({now, {ports.run.class_index, ports.run.count - served}});
            add_wave(course, {now, {left.class_index, served}});
            course.makespan = now;
            left.count -= served;
            deliveries.add(
                {later(now, time[ports.run.class_index]), {ports.run.class_index, served}});
            deliveries.add(
                {later(now, time[left.class_index]), {left.class_index, problem.ports * served}});
        }
    }
    return course;
}

/// Free ends of ports: a transmission takes one of its sender's node, with all the others of that
/// node, and one of its receiver. For one port that is 2 A + C <= n (liu-2000, inequality 1).
template <typename Time>
Course<Time> reduction_course(const Problem& problem, const Sequence& sequence,
                              std::span<const Time> time) {
    Course<Time> course;
    Agenda<Wave<Time>> completions;
    std::uint64_t free = problem.ports * problem.nodes();
    const std::uint64_t taken = problem.ports + 1;
    Time now = 0;
    for (Run left : sequence.runs) {
        while (left.count > 0) {
            while (free < taken || (!completions.empty() && completions.next().at == now)) {
                const auto done = completions.take();
                now = done.at;
                free += done.run.count;
            }
            const std::uint64_t started = std::min(left.count, free / taken);
            add_wave(course, {now, {left.class_index, started}});
            const Time end = later(now, time[left.class_index]);
            course.makespan = std::max(course.makespan, end);
            completions.add({end, {left.class_index, started}});
            free -= taken * started;
            left.count -= started;
        }
    }
    return course;
}

template <typename Time>
Course<Time> course_of(const Problem& problem, const Sequence& sequence,
                       std::span<const Time> time) {
    return problem.is_broadcast() ? broadcast_course(problem, sequence, time)
                                  : reduction_course(problem, sequence, time);
}

/// Names the nodes of each class but the root, one after the other.
class RollCall {
public:
    RollCall(const Problem& problem, const network::SenderNetwork& network, std::size_t root)
        : nodes_(problem.classes.size()) {
        std::size_t node = 0;
        for (const auto& members : network.classes) {
            const auto at = std::ranges::lower_bound(problem.classes, members.transmission_time, {},
                                                     &Problem::Class::time);
            auto& nodes = nodes_[static_cast<std::size_t>(at - problem.classes.begin())];
            for (std::size_t i = 0; i < members.count; ++i, ++node)
                if (node != root) nodes.push_back(node);
        }
        for (auto& nodes : nodes_) std::ranges::reverse(nodes);
    }
    std::size_t next(std::size_t class_index) {
        const std::size_t node = nodes_[class_index].back();
        nodes_[class_index].pop_back();
        return node;
    }

private:
    std::vector<std::vector<std::size_t>> nodes_;  ///< the next one last
};

std::vector<schedule::Transfer> broadcast_transfers(const Problem& problem,
                                                    const Sequence& sequence, std::size_t root,
                                                    RollCall& roll) {
    std::vector<schedule::Transfer> transfers;
    Agenda<Turn> deliveries;
    const auto join = [&](double now, std::size_t node, std::size_t class_index) {
        const double time = problem.classes[class_index].time;
        for (std::size_t port = 0; port < problem.ports; ++port)
            deliveries.add({now + time, node, time});
    };
    join(0, root, sequence.root);
    for (const Run& run : sequence.runs)
        for (std::uint64_t i = 0; i < run.count; ++i) {
            Turn turn = deliveries.take();
            const std::size_t receiver = roll.next(run.class_index);
            transfers.push_back({.from = turn.node, .to = receiver});
            join(turn.at, receiver, run.class_index);
            turn.at += turn.time;
            deliveries.add(turn);
        }
    return transfers;
}

/// Backwards in time a receiver is any node whose own transmission does not begin before that of
/// the one it listens to has ended; such a node is free from then on, so taking the one that has
/// been free the longest never runs out.
std::vector<schedule::Transfer> reduction_transfers(const Problem& problem,
                                                    const Sequence& sequence, std::size_t root,
                                                    RollCall& roll) {
    struct Sending {
        double start;
        double end;
        std::size_t node;
        std::size_t receiver = 0;
    };
    std::vector<double> time;
    for (const auto& members : problem.classes) time.push_back(members.time);
    const auto course = reduction_course<double>(problem, sequence, time);
    std::vector<Sending> sendings;
    for (const auto& wave : course.waves)
        for (std::uint64_t i = 0; i < wave.run.count; ++i)
            sendings.push_back({wave.at, wave.at + problem.classes[wave.run.class_index].time,
                                roll.next(wave.run.class_index)});
    std::vector<std::size_t> by_end(sendings.size());
    for (std::size_t i = 0; i < by_end.size(); ++i) by_end[i] = i;
    std::ranges::stable_sort(by_end, std::greater<>(),
                             [&](std::size_t i) { return sendings[i].end; });
    Agenda<Turn> listeners;
    for (std::size_t port = 0; port < problem.ports; ++port)
        listeners.add({-course.makespan, root, 0});
    for (const std::size_t i : by_end) {
        Sending& sending = sendings[i];
        const Turn listener = listeners.take();
        assert(-listener.at >= sending.end);
        sending.receiver = listener.node;
        listeners.add({-sending.start, listener.node, 0});
        for (std::size_t port = 0; port < problem.ports; ++port)
            listeners.add({-sending.start, sending.node, 0});
    }
    std::vector<schedule::Transfer> transfers;
    for (const Sending& sending : sendings)
        transfers.push_back(
            {.from = sending.node, .to = sending.receiver, .op = schedule::Op::combine});
    return transfers;
}

}  // namespace

void Sequence::add(std::size_t class_index, std::uint64_t count) {
    if (count == 0) return;
    if (runs.empty() || runs.back().class_index != class_index)
        runs.push_back({class_index, count});
    else
        runs.back().count += count;
}

Sequence fastest_first(const Problem& problem) {
    Sequence sequence{problem.root.value_or(0), {}};
    for (std::size_t c = 0; c < problem.classes.size(); ++c)
        sequence.add(c, problem.classes[c].count - (c == sequence.root ? 1 : 0));
    return sequence;
}

Course<double> run_course(const Problem& problem, const Sequence& sequence,
                          std::span<const double> time) {
    return course_of(problem, sequence, time);
}

Course<Ticks> run_course(const Problem& problem, const Sequence& sequence,
                         std::span<const Ticks> time) {
    return course_of(problem, sequence, time);
}

double makespan_of(const Problem& problem, const Sequence& sequence) {
    std::vector<double> time;
    for (const auto& members : problem.classes) time.push_back(members.time);
    return run_course(problem, sequence, std::span<const double>(time)).makespan;
}

schedule::Schedule to_schedule(const Problem& problem, const Sequence& sequence,
                               const network::SenderNetwork& network, std::size_t root) {
    RollCall roll(problem, network, root);
    schedule::Schedule schedule;
    schedule.collective = {
        .kind = problem.kind, .nodes = network.size(), .root = root, .bytes = Bytes(1)};
    schedule.nodes.reserve(network.size());
    for (const auto& members : network.classes)
        for (std::size_t i = 0; i < members.count; ++i)
            schedule.nodes.push_back(
                members.listed_as_node ? members.name : members.name + '-' + std::to_string(i));
    schedule.ports = {schedule::Ports::Duplex::half, problem.ports};
    schedule.chunks = {{.bytes = Bytes(1)}};
    schedule.transfers = problem.is_broadcast()
                             ? broadcast_transfers(problem, sequence, root, roll)
                             : reduction_transfers(problem, sequence, root, roll);
    return schedule;
}

}  // namespace espalier::sender
