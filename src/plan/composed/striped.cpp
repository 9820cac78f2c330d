#include "plan/composed/striped.hpp"

#include "plan/composed/lanes.hpp"
#include "plan/composed/listing.hpp"
#include "plan/levels.hpp"
#include "simulate/shortest_ways.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace espalier::plan::composed {

namespace {

using schedule::Kind;

/// How many transfers a schedule may have: more take long to list and to simulate.
constexpr std::size_t most_transfers = 40'000;
/// How many centres are tried for each tree of an all-reduce.
constexpr std::size_t most_centres = 4;
/// How many ways to cut and to send are listed, of those that look best; and how many of those are
/// handed out.
constexpr std::size_t most_listed = 5;
constexpr std::size_t most_handed_out = 2;

/// How a message is cut, and along how many trees of which shape it goes.
struct Cut {
    std::size_t segments = 1;
    std::size_t lanes = 1;
    Shape shape = Shape::chain;
};

/// One of several trees, or two with one centre.
struct Lane {
    std::optional<Tree> up;
    std::optional<Tree> down;
};

struct Draft {
    Cut cut;
    std::vector<Lane> lanes;
    double estimate = 0;
};

class Stripes {
public:
    explicit Stripes(const Problem& problem)
        : problem_(problem), request_(*problem.request), ranks_(problem.job->places.size()) {
        if (request_.kind == Kind::allreduce) find_centres();
    }

    [[nodiscard]] std::vector<schedule::Schedule> run() {
        std::vector<Draft> drafts;
        for (const Cut cut : cuts()) drafts.push_back(draft(cut));
        std::ranges::stable_sort(drafts, {}, &Draft::estimate);
        drafts.resize(std::min(drafts.size(), most_listed));
        std::vector<std::pair<double, schedule::Schedule>> listed;
        for (const Draft& draft : drafts) {
            schedule::Schedule schedule = spelled_out(draft);
            const double time = list_greedily(schedule, *problem_.fabric);
            listed.emplace_back(time, std::move(schedule));
        }
        std::ranges::stable_sort(listed, {}, [](const auto& entry) { return entry.first; });
        listed.resize(std::min(listed.size(), most_handed_out));
        std::vector<schedule::Schedule> found;
        for (auto& [time, schedule] : listed) found.push_back(std::move(schedule));
        return found;
    }

private:
    /// The clusters that are, all in all, nearest to all others.
    void find_centres() {
        const auto& members = problem_.site->members;
        std::vector<std::pair<double, std::size_t>> far;
        for (std::size_t m = 0; m < members.size(); ++m) {
            const std::size_t speaker = members[m].ranks().front();
            double farthest = 0;
            for (std::size_t other = 0; other < members.size(); ++other) {
                if (other == m) continue;
                const std::size_t rank = members[other].ranks().front();
                const auto to = problem_.fabric->cost(speaker, rank, Bytes(1));
                const auto from = problem_.fabric->cost(rank, speaker, Bytes(1));
                farthest = std::max(farthest, (to.latency + from.latency).value);
            }
            far.emplace_back(farthest, m);
        }
        std::ranges::sort(far);
        far.resize(std::min(far.size(), most_centres));
        for (const auto& [time, member] : far) centres_.push_back(&members[member]);
    }

    [[nodiscard]] std::vector<Cut> cuts() const {
        std::set<std::size_t> segments;
        const std::uint64_t bytes = request_.bytes.value;
        const std::size_t edges = (ranks_ - 1) * (request_.kind == Kind::allreduce ? 2 : 1);
        const auto most =
            std::max<std::size_t>(1, most_transfers / std::max<std::size_t>(1, edges));
        switch (request_.segmenting.mode) {
            case Segmenting::Mode::none:
                break;
            case Segmenting::Mode::fixed: {
                const std::uint64_t size =
                    std::max<std::uint64_t>(1, request_.segmenting.bytes.value);
                segments.insert(std::max<std::uint64_t>(1, (bytes + size - 1) / size));
                break;
            }
            case Segmenting::Mode::automatic:
                for (std::size_t count = 2; count <= most && bytes / count >= least_segment_bytes;
                     count *= 2)
                    segments.insert(count);
                break;
        }
        std::vector<Cut> found;
        for (const std::size_t count : segments)
            for (const Shape shape : {Shape::chain, Shape::binary, Shape::binomial})
                for (std::size_t lanes = 1; lanes <= std::min(count, most_lanes()); lanes *= 2)
                    found.push_back({count, lanes, shape});
        if (request_.kind == Kind::allreduce && segments.size() > 0 && ranks_ <= most &&
            bytes / ranks_ >= least_segment_bytes &&
            request_.segmenting.mode == Segmenting::Mode::automatic)
            found.push_back({ranks_, ranks_, Shape::chain});
        return found;
    }

    [[nodiscard]] std::size_t most_lanes() const { return std::min<std::size_t>(16, ranks_); }

    [[nodiscard]] Draft draft(Cut cut) const {
        const auto part = [&](std::size_t parts) {
            return Bytes((request_.bytes.value + parts - 1) / parts);
        };
        Lanes lanes(problem_, part(cut.segments), part(cut.lanes), cut.shape);
        Draft draft{cut, {}, 0};
        double deepest = 0;
        for (std::size_t l = 0; l < cut.lanes; ++l) {
            double depth = 0;
            draft.lanes.push_back(grow(lanes, depth));
            deepest = std::max(deepest, depth);
        }
        draft.estimate = deepest + lanes.load();
        return draft;
    }

    [[nodiscard]] Lane grow(Lanes& lanes, double& depth) const {
        Lane lane;
        if (request_.kind == Kind::allreduce) return centred(lanes, depth);
        const bool up = request_.kind == Kind::reduce;
        (up ? lane.up : lane.down) = lanes.grow(request_.root, up ? Way::up : Way::down);
        depth = lanes.depth();
        return lane;
    }

    /// Two trees with the centre that makes the way through them, and what they then have to carry,
    /// the shortest.
    [[nodiscard]] Lane centred(Lanes& lanes, double& depth) const {
        std::optional<Lanes> best;
        Lane lane;
        for (const Site* site : centres_) {
            Lanes tried = lanes;
            const std::size_t centre = tried.idlest(*site);
            Tree up = tried.grow(centre, Way::up);
            double through = tried.depth();
            Tree down = tried.grow(centre, Way::down);
            through += tried.depth();
            if (best && depth + best->load() <= through + tried.load()) continue;
            depth = through;
            lane = {std::move(up), std::move(down)};
            best.emplace(std::move(tried));
        }
        lanes = *std::move(best);
        return lane;
    }

    [[nodiscard]] schedule::Schedule spelled_out(const Draft& draft) const {
        schedule::Schedule schedule = empty_schedule(problem_);
        const std::size_t segments = draft.cut.segments;
        for (std::size_t s = 0; s < segments; ++s) {
            schedule.chunks.push_back(
                {.bytes = schedule::segment_bytes(request_.bytes, segments, s)});
            const Lane& lane = draft.lanes[s % draft.lanes.size()];
            if (lane.up) combine(schedule, *lane.up, s);
            if (lane.down) spread(schedule, *lane.down, s);
        }
        return schedule;
    }

    const Problem& problem_;
    const CollectiveRequest& request_;
    std::size_t ranks_;
    std::vector<const Site*> centres_;
};

}  // namespace

std::vector<schedule::Schedule> striped(const Problem& problem) {
    const bool ordered = problem.request->ordered && schedule::combines(problem.request->kind);
    if (ordered || problem.job->places.size() < 2) return {};
    return Stripes(problem).run();
}

}  // namespace espalier::plan::composed
