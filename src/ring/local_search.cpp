#include "ring/local_search.hpp"

#include "ring/greedy.hpp"
#include "ring/portfolio.hpp"

#include <algorithm>
#include <array>

namespace espalier::ring {
namespace {

constexpr Pricer::Effort effort{.rounds = 24, .precision = 3e-4};
/// What a change has to gain, so that rounding never goes in circles.
constexpr double gain = 1e-7;
constexpr std::size_t longest_segment = 3;

class Descent {
public:
    Descent(RingWalk& walk, Meter& meter) : walk_(walk), meter_(meter) {}

    /// One pass over all changes of each kind. false: none helped.
    bool pass() {
        bool any = false;
        any |= exchange_with_outsiders();
        any |= remove();
        any |= relocate();
        any |= reverse();
        any |= swap();
        any |= reroute();
        return any;
    }
    [[nodiscard]] bool over() {
        meter_.spend(walk_.take_steps());
        return meter_.over();
    }

private:
    [[nodiscard]] double enough() const { return walk_.step_time() * (1 - gain); }
    [[nodiscard]] std::size_t size() const { return walk_.ring().size(); }

    bool attempt(const RingWalk::Change& change) {
        return walk_.at_least(change) <= enough() && walk_.make(change, enough(), effort);
    }

    /// Remembers what can help, for attempt_best().
    void consider(const RingWalk::Change& change) {
        const double at_least = walk_.at_least(change);
        if (at_least <= enough()) considered_.push_back({at_least, change});
    }

    /// Makes the first that helps of the few that promise most: of the many places for a host, the
    /// prices tell the good from the bad.
    bool attempt_best() {
        constexpr std::size_t few = 4;
        const std::size_t count = std::min(few, considered_.size());
        std::partial_sort(
            considered_.begin(), considered_.begin() + static_cast<std::ptrdiff_t>(count),
            considered_.end(),
            [](const Considered& a, const Considered& b) { return a.at_least < b.at_least; });
        bool made = false;
        for (std::size_t rank = 0; rank < count && !made; ++rank)
            made = walk_.make(considered_[rank].change, enough(), effort);
        considered_.clear();
        return made;
    }

    bool exchange_with_outsiders() {
        bool any = false;
        const std::vector<Host> outsiders = walk_.outsiders();
        for (const Host outsider : outsiders) {
            if (over()) return any;
            const std::array chain{outsider};
            for (std::size_t place = 0; place < size(); ++place) {
                consider(walk_.insertion(chain, place));
                consider(walk_.replacement(place, outsider));
            }
            any |= attempt_best();
        }
        return any;
    }

    bool remove() {
        bool any = false;
        for (std::size_t count = 1; count <= longest_segment; ++count)
            for (std::size_t first = 0; first + count <= size() && count < size() && !over();)
                if (attempt(walk_.removal(first, count))) {
                    any = true;
                } else {
                    ++first;
                }
        return any;
    }

    bool relocate() {
        bool any = false;
        for (std::size_t count = 1; count <= longest_segment; ++count)
            for (std::size_t first = 0; first + count <= size() && count + 2 <= size(); ++first) {
                if (over()) return any;
                for (std::size_t place = 0; place < size(); ++place) {
                    if (place >= first && place < first + count) continue;
                    consider(walk_.relocation(first, count, place, false));
                    consider(walk_.relocation(first, count, place, true));
                }
                any |= attempt_best();
            }
        return any;
    }

    bool reverse() {
        bool any = false;
        for (std::size_t first = 0; first < size() && !over(); ++first) {
            for (std::size_t second = first + 2; second < size(); ++second)
                consider(walk_.reversal(first, second));
            any |= attempt_best();
        }
        return any;
    }

    bool swap() {
        bool any = false;
        for (std::size_t first = 0; first < size() && size() > 3 && !over(); ++first) {
            for (std::size_t second = first + 1; second < size(); ++second)
                consider(walk_.exchange(first, second));
            any |= attempt_best();
        }
        return any;
    }

    bool reroute() {
        bool any = false;
        for (std::size_t place = 0; place < walk_.ring().joints.size() && !over(); ++place)
            for (const bool there : {true, false}) {
                const Host one = walk_.ring().order[place];
                const Host other = walk_.ring().order[walk_.ring().after(place)];
                const std::vector<PathId> paths =
                    there ? walk_.pool().between(one, other) : walk_.pool().between(other, one);
                for (const PathId path : paths) {
                    const PooledRing::Joint& joint = walk_.ring().joints[place];
                    if (path == (there ? joint.there : joint.back)) continue;
                    any |= walk_.at_least(place, there, path) <= enough() &&
                           walk_.reroute(place, there, path, enough(), effort);
                }
            }
        return any;
    }

    RingWalk& walk_;
    Meter& meter_;
    struct Considered {
        double at_least = 0;
        RingWalk::Change change;
    };
    std::vector<Considered> considered_;
};

}  // namespace

void descend(RingWalk& walk, Elite& elite, Meter& meter) {
    walk.price({.rounds = 60, .precision = 1e-5});
    Descent descent(walk, meter);
    for (const double part : {0.1, 0.01, 1.0}) {
        if (descent.over()) break;
        walk.offer_paths(part, false);
        while (!descent.over() && descent.pass()) walk.price({.rounds = 60, .precision = 1e-5});
    }
    elite.offer(walk.step_time(), walk.ring(), walk.prices());
}

Found local_search(const Problem& problem, const Settings& settings) {
    Portfolio portfolio(problem, settings);
    portfolio.grow();
    portfolio.descend_from_best();
    return portfolio.result();
}

}  // namespace espalier::ring
