#include "plan/composed/striped.hpp"

#include "core/infinity.hpp"
#include "plan/composed/cuts.hpp"
#include "plan/composed/lanes.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace espalier::plan::composed {

namespace {

using schedule::Kind;
using schedule::Schedule;

/// How many trees are tried: links between three clusters are evenly used by a multiple of three
/// only.
std::vector<std::size_t> lane_counts(std::size_t most) {
    std::vector<std::size_t> counts;
    for (std::size_t two = 1; two <= most; two *= 2)
        for (const std::size_t count : {two, 3 * (two / 2)})
            if (count > 0 && count <= most) counts.push_back(count);
    return counts;
}

/// However little time there is, up to so many trees are grown, and so many drafts listed.
constexpr std::size_t always_grown = 16;
constexpr std::size_t always_listed = 3;

/// Trees for parts of a message, all of one shape inside clusters, and into how many segments it is
/// cut.
struct Draft {
    std::shared_ptr<const std::vector<Lane>> lanes;
    std::size_t segments = 1;
    double estimate = 0;
};

class Stripes {
public:
    /// `halves`: that exchange, or null.
    Stripes(const Problem& problem, const Halves* halves, Meter& meter)
        : problem_(problem),
          request_(*problem.request),
          halves_(halves),
          ranks_(problem.job->places.size()),
          meter_(meter) {
        if (request_.kind == Kind::allreduce && halves == nullptr)
            centres_ = central_members(problem);
    }

    /// First what looks best; then whatever may save most time for each step that it costs to list,
    /// as long as something may be over before those that were listed.
    [[nodiscard]] std::vector<Schedule> run() {
        std::vector<Draft> drafts = all_drafts();
        std::vector<Schedule> found;
        double least = infinity;
        // Trees that get into each other's way do so however they are cut.
        std::map<const std::vector<Lane>*, double> longer;  // than estimated, times
        const auto hoped = [&](const Draft& draft) {
            const auto known = longer.find(draft.lanes.get());
            return draft.estimate * (known != longer.end() ? known->second : 1);
        };
        const auto worth = [&](const Draft& draft) {
            return (least - hoped(draft)) / static_cast<double>(draft.segments);
        };
        while (!drafts.empty()) {
            const auto next = found.empty() ? std::ranges::min_element(drafts, {}, &Draft::estimate)
                                            : std::ranges::max_element(drafts, {}, worth);
            if (found.size() >= always_listed && (meter_.over() || worth(*next) <= 0)) break;
            const Draft draft = *next;
            drafts.erase(next);
            Listed listed =
                list_on(problem_, *draft.lanes,
                        in_turns(problem_, draft.lanes->size(), draft.segments), meter_);
            const double time =
                listed.time + problem_.overhead * static_cast<double>(draft.segments);
            double& known = longer.try_emplace(draft.lanes.get(), infinity).first->second;
            known = std::min(known, time / draft.estimate);
            least = std::min(least, time);
            found.push_back(std::move(listed.schedule));
        }
        return found;
    }

private:
    [[nodiscard]] std::vector<Draft> all_drafts() {
        std::vector<Draft> drafts;
        Meter search(meter_.share(0.5));
        const std::size_t edges = (ranks_ - 1) * (request_.kind == Kind::allreduce ? 2 : 1);
        const auto counts = segment_counts(problem_, edges, meter_, always_along(edges));
        if (counts.empty()) return drafts;
        const auto add = [&](std::size_t lanes, Shape shape, std::span<const std::size_t> cuts) {
            if (lanes > always_grown && search.over()) return;
            search.spend(lanes *
                         (std::max<std::size_t>(centres_.size(), 1) * level_tree_steps(problem_) +
                          steps_a_look * edges * cuts.size()));
            const auto grown = grow_all(lanes, shape);
            for (const std::size_t count : cuts)
                if (count >= lanes) drafts.push_back(draft(grown, count));
        };
        for (const std::size_t lanes : lane_counts(std::min(counts.back(), ranks_)))
            for (const Shape shape : {Shape::chain, Shape::binary, Shape::binomial})
                add(lanes, shape, counts);
        // Each rank the centre of one: round a ring, where there is one cluster.
        if (request_.kind == Kind::allreduce && ranks_ <= counts.back() &&
            request_.segmenting.mode == Segmenting::Mode::automatic)
            add(ranks_, Shape::chain, std::span(&ranks_, 1));
        meter_.spend(search.spent());
        return drafts;
    }

    [[nodiscard]] Bytes part(std::size_t parts) const {
        return schedule::segment_bytes(request_.bytes, parts, 0);
    }

    [[nodiscard]] std::shared_ptr<const std::vector<Lane>> grow_all(std::size_t count,
                                                                    Shape shape) const {
        // Trees are grown for segments of which there are so many.
        constexpr std::size_t usual_segments = 32;
        Lanes lanes(problem_, part(std::max(count, usual_segments)), part(count), shape);
        std::vector<Lane> grown;
        for (std::size_t l = 0; l < count; ++l) grown.push_back(grow(lanes));
        return std::make_shared<const std::vector<Lane>>(std::move(grown));
    }

    [[nodiscard]] Draft draft(std::shared_ptr<const std::vector<Lane>> lanes,
                              std::size_t segments) const {
        const double time =
            estimate(*problem_.fabric, problem_.ports, *lanes, part(segments), segments);
        const double calls = problem_.overhead * static_cast<double>(segments);
        return {std::move(lanes), segments, time + calls};
    }

    [[nodiscard]] Lane grow(Lanes& lanes) const {
        if (halves_ != nullptr) return lanes.grow(*halves_);
        if (request_.kind == Kind::allreduce) return centred(lanes);
        Lane lane;
        const bool up = request_.kind == Kind::reduce;
        (up ? lane.up : lane.down) =
            lanes.grow(request_.root, up ? Direction::up : Direction::down);
        return lane;
    }

    /// Two trees with the centre that makes the path through them, and what they then have to
    /// carry, the shortest.
    [[nodiscard]] Lane centred(Lanes& lanes) const {
        std::optional<Lanes> best;
        double least = 0;
        Lane lane;
        for (const Site* site : centres_) {
            Lanes tried = lanes;
            const std::size_t centre = tried.idlest(*site);
            Tree up = tried.grow(centre, Direction::up);
            double time = tried.depth();
            Tree down = tried.grow(centre, Direction::down);
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
    const Halves* halves_;
    std::size_t ranks_;
    Meter& meter_;
    std::vector<const Site*> centres_;
};

}  // namespace

std::vector<schedule::Schedule> striped(const Problem& problem, Meter& meter) {
    const bool ordered = problem.request->ordered && schedule::combines(problem.request->kind);
    if (ordered || problem.job->places.size() < 2) return {};
    return Stripes(problem, nullptr, meter).run();
}

std::vector<schedule::Schedule> striped_between(const Halves& halves, const Problem& problem,
                                                Meter& meter) {
    return Stripes(problem, &halves, meter).run();
}

}  // namespace espalier::plan::composed
