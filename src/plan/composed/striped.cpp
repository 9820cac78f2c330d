#include "plan/composed/striped.hpp"

#include "plan/composed/cuts.hpp"
#include "plan/composed/lanes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace espalier::plan::composed {

namespace {

using schedule::Kind;
using schedule::Schedule;

/// How many trees are tried: links between three clusters are evenly used by a multiple of three
/// only, and beyond 16 they are as evenly used as they get.
constexpr std::array<std::size_t, 9> lane_counts{1, 2, 3, 4, 6, 8, 9, 12, 16};
/// How many centres are tried for each tree of an all-reduce.
constexpr std::size_t most_centres = 4;
/// How many ways to cut and to send are listed, of those that look best; and how many of those are
/// handed out.
constexpr std::size_t most_listed = 12;
constexpr std::size_t most_handed_out = 4;
/// Trees are grown for segments of which there are so many.
constexpr std::size_t usual_segments = 32;

/// Trees for parts of a message, all of one shape inside clusters, and into how many segments it is
/// cut.
struct Draft {
    std::shared_ptr<const std::vector<Lane>> lanes;
    std::size_t segments = 1;
    double estimate = 0;
};

class Stripes {
public:
    explicit Stripes(const Problem& problem)
        : problem_(problem), request_(*problem.request), ranks_(problem.job->places.size()) {
        if (request_.kind == Kind::allreduce) centres_ = central_members(problem, most_centres);
    }

    [[nodiscard]] std::vector<Schedule> run() {
        auto drafts = all_drafts();
        std::ranges::stable_sort(drafts, {}, &Draft::estimate);
        drafts.resize(std::min(drafts.size(), most_listed));
        std::vector<Listed> listed;
        for (const Draft& draft : drafts) {
            listed.push_back(
                list_on(problem_, *draft.lanes, in_turns(draft.lanes->size(), draft.segments)));
            listed.back().time += problem_.overhead * static_cast<double>(draft.segments);
        }
        std::ranges::stable_sort(listed, {}, &Listed::time);
        listed.resize(std::min(listed.size(), most_handed_out));
        std::vector<Schedule> found;
        for (Listed& one : listed) found.push_back(std::move(one.schedule));
        return found;
    }

private:
    [[nodiscard]] std::vector<Draft> all_drafts() const {
        std::vector<Draft> drafts;
        const std::size_t edges = (ranks_ - 1) * (request_.kind == Kind::allreduce ? 2 : 1);
        const auto counts = segment_counts(request_, most_segments_along(edges));
        if (counts.empty()) return drafts;
        for (const Shape shape : {Shape::chain, Shape::binary, Shape::binomial})
            for (const std::size_t lanes : lane_counts) {
                if (lanes > std::min(counts.back(), ranks_)) break;
                const auto grown = grow_all(lanes, shape);
                for (const std::size_t count : counts)
                    if (count >= lanes) drafts.push_back(draft(grown, count));
            }
        // Each rank the centre of one: round a ring, where there is one cluster.
        if (request_.kind == Kind::allreduce && ranks_ <= counts.back() &&
            request_.segmenting.mode == Segmenting::Mode::automatic)
            drafts.push_back(draft(grow_all(ranks_, Shape::chain), ranks_));
        return drafts;
    }

    [[nodiscard]] Bytes part(std::size_t parts) const {
        return schedule::segment_bytes(request_.bytes, parts, 0);
    }

    [[nodiscard]] std::shared_ptr<const std::vector<Lane>> grow_all(std::size_t count,
                                                                    Shape shape) const {
        Lanes lanes(problem_, part(std::max(count, usual_segments)), part(count), shape);
        std::vector<Lane> grown;
        for (std::size_t l = 0; l < count; ++l) grown.push_back(grow(lanes));
        return std::make_shared<const std::vector<Lane>>(std::move(grown));
    }

    [[nodiscard]] Draft draft(std::shared_ptr<const std::vector<Lane>> lanes,
                              std::size_t segments) const {
        const Estimate found = estimate(*problem_.fabric, *lanes, part(segments), segments);
        const double calls = problem_.overhead * static_cast<double>(segments);
        return {std::move(lanes), segments, found.depth + found.load + calls};
    }

    [[nodiscard]] Lane grow(Lanes& lanes) const {
        Lane lane;
        if (request_.kind == Kind::allreduce) return centred(lanes);
        const bool up = request_.kind == Kind::reduce;
        (up ? lane.up : lane.down) = lanes.grow(request_.root, up ? Way::up : Way::down);
        return lane;
    }

    /// Two trees with the centre that makes the way through them, and what they then have to carry,
    /// the shortest.
    [[nodiscard]] Lane centred(Lanes& lanes) const {
        std::optional<Lanes> best;
        double least = 0;
        Lane lane;
        for (const Site* site : centres_) {
            Lanes tried = lanes;
            const std::size_t centre = tried.idlest(*site);
            Tree up = tried.grow(centre, Way::up);
            double time = tried.depth();
            Tree down = tried.grow(centre, Way::down);
            time += tried.depth() + tried.load();
            if (best && least <= time) continue;
            least = time;
            lane = {std::move(up), std::move(down)};
            best.emplace(std::move(tried));
        }
        lanes = *std::move(best);
        return lane;
    }

    const Problem& problem_;
    const Request& request_;
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
