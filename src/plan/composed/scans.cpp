#include "plan/composed/scans.hpp"

#include "plan/composed/cuts.hpp"
#include "plan/composed/listing.hpp"
#include "plan/composed/pieces.hpp"
#include "plan/composed/runs.hpp"
#include "plan/near.hpp"
#include "plan/overhead.hpp"

#include <algorithm>
#include <functional>

namespace espalier::plan::composed {

namespace {

using schedule::Schedule;

/// How parts pass on what all before them have: each straight to all later ones, or from one to the
/// next.
enum class Between { direct, chain };

double latency(const Problem& problem, std::size_t from, std::size_t to) {
    return problem.fabric->cost(from, to, problem.request->bytes).latency.value;
}

Schedule scan_of(const Problem& problem, std::size_t segments) {
    Schedule schedule = empty_schedule(problem);
    schedule.chunks.push_back({.bytes = problem.request->bytes, .segments = segments});
    return schedule;
}

/// Transfers of a scan: all combine, and what arrives extends to the left what is held.
class Scan {
public:
    Scan(Schedule& schedule, Between between, const Problem& problem)
        : schedule_(schedule), between_(between), problem_(problem) {}

    /// Ranks first .. last of a run: each ends with all from `first` on.
    void over(const Run& run, std::size_t first, std::size_t last) {
        if (first >= last) return;
        std::vector<Run> parts;
        for (const Run& member : run.members) {
            if (member.last < first || member.first > last) continue;
            Run part = member;
            part.first = std::max(member.first, first);
            part.last = std::min(member.last, last);
            parts.push_back(std::move(part));
        }
        if (run.alike || parts.size() < 2) {
            if (parts.size() == 1 && !parts.front().members.empty())
                return over(parts.front(), first, last);
            std::vector<std::size_t> ranks;
            for (std::size_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
            return doubling(ranks);
        }
        by_parts(parts);
    }

    /// Step k: each sends what it holds to the one 2^k places on; descending, so that it is what it
    /// held before the step.
    void doubling(const std::vector<std::size_t>& ranks) {
        for (std::size_t far = 1; far < ranks.size(); far *= 2)
            for (std::size_t to = ranks.size(); to-- > far;) send(ranks[to - far], ranks[to]);
    }

    /// Inside each part a scan without its first rank, which then completes the last one's: that
    /// holds all of the part. What all parts before have then comes to both of them; the first one
    /// passes it on, with its own, to those between.
    void by_parts(const std::vector<Run>& parts) {
        for (const Run& part : parts) {
            over(part, part.first + 1, part.last);
            if (part.size() > 1) send(part.first, part.last);
        }
        if (between_ == Between::direct)
            join_directly(parts);
        else
            join_in_a_row(parts);
        for (const Run& part : parts)
            for (std::size_t rank = part.first + 1; rank < part.last; ++rank)
                send(part.first, rank);
    }

private:
    void send(std::size_t from, std::size_t to) {
        schedule_.transfers.push_back(
            {.from = from, .to = to, .chunk = 0, .op = schedule::Op::combine});
    }

    /// Later parts send first, before anything reaches them: each receives from the nearest part
    /// before it first, and from the others after that. What goes farthest is sent first.
    void join_directly(const std::vector<Run>& parts) {
        for (std::size_t from = parts.size() - 1; from-- > 0;) {
            const std::size_t sender = parts[from].last;
            std::vector<std::size_t> receivers;
            for (std::size_t to = from + 1; to < parts.size(); ++to) {
                receivers.push_back(parts[to].last);
                if (parts[to].size() > 1) receivers.push_back(parts[to].first);
            }
            std::ranges::stable_sort(receivers, std::ranges::greater{}, [&](std::size_t rank) {
                return latency(problem_, sender, rank);
            });
            for (const std::size_t receiver : receivers) send(sender, receiver);
        }
    }

    void join_in_a_row(const std::vector<Run>& parts) {
        for (std::size_t p = 1; p < parts.size(); ++p) {
            send(parts[p - 1].last, parts[p].last);
            if (parts[p].size() > 1) send(parts[p - 1].last, parts[p].first);
        }
    }

    Schedule& schedule_;
    Between between_;
    const Problem& problem_;
};

/// Parts of ranks that follow one another and are near each other.
std::vector<Run> near_runs(const Problem& problem) {
    const std::size_t ranks = problem.job->places.size();
    double longest = 0;
    for (std::size_t from = 0; from < ranks; ++from)
        for (std::size_t to = from + 1; to < ranks; ++to)
            longest = std::max(longest, latency(problem, from, to));
    std::vector<Run> runs;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        bool near = !runs.empty();
        for (std::size_t r = near ? runs.back().first : rank; r < rank; ++r)
            near = near && latency(problem, r, rank) <= near_part * longest;
        if (near)
            runs.back().last = rank;
        else
            runs.push_back({rank, rank});
    }
    return runs;
}

}  // namespace

std::vector<Schedule> scan_chain(const Problem& problem, Meter& meter) {
    auto counts = segment_counts(problem, problem.job->places.size(), meter);
    if (problem.request->segmenting.mode == Segmenting::Mode::automatic) counts.push_back(1);
    Tree chain(problem.job->places.size(), 0);
    for (std::size_t rank = 1; rank < chain.size(); ++rank) chain.add(rank - 1, rank);
    Schedule schedule = scan_of(problem, best_count(problem, {.down = chain}, counts));
    for (std::size_t rank = 1; rank < chain.size(); ++rank)
        schedule.transfers.push_back(
            {.from = rank - 1, .to = rank, .chunk = 0, .op = schedule::Op::combine});
    return {schedule};
}

std::vector<Schedule> scan_by_doubling(const Problem& problem, Meter&) {
    Schedule schedule = scan_of(problem, 1);
    std::vector<std::size_t> ranks(schedule.nodes.size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank] = rank;
    Scan(schedule, Between::direct, problem).doubling(ranks);
    return {schedule};
}

std::vector<Schedule> scan_by_levels(const Problem& problem, Meter& meter) {
    const Run all = runs_of(*problem.site);
    if (all.members.empty()) return {};
    std::vector<Schedule> found;
    for (const Between between : {Between::direct, Between::chain}) {
        Schedule& schedule = found.emplace_back(scan_of(problem, 1));
        Scan(schedule, between, problem).over(all, all.first, all.last);
        meter.spend(steps_of_listing(schedule));
        (void)list_greedily(schedule, *problem.fabric);
    }
    return found;
}

std::vector<Schedule> scan_straight(const Problem& problem, Meter& meter) {
    const auto ranks = static_cast<double>(problem.job->places.size());
    if (!meter.affords(ranks * ranks * steps_a_look)) return {};
    meter.spend(static_cast<std::uint64_t>(ranks * ranks * steps_a_look));
    const std::vector<Run> parts = near_runs(problem);
    const auto joined = static_cast<double>(parts.size() * parts.size());
    if (!meter.affords(joined * steps_a_queued_message)) return {};
    Schedule schedule = scan_of(problem, 1);
    // What comes from afar does not keep out what comes from near.
    schedule.reception.mode = schedule::Reception::Mode::interleaved;
    Scan(schedule, Between::direct, problem).by_parts(parts);
    return {schedule};
}

}  // namespace espalier::plan::composed
