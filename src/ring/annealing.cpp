#include "ring/annealing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace espalier::ring {
namespace {

constexpr Pricer::Effort quick{.rounds = 9, .precision = 2e-3};

/// One change drawn at random.
class Proposals {
public:
    Proposals(RingWalk& walk, Random& random) : walk_(walk), random_(random) {}

    /// Makes it if T is then at most `enough`; false as well if there is nothing to change.
    bool next(double enough) {
        const std::size_t size = walk_.ring().size();
        const double kind = random_.uniform();
        const auto& outsiders = walk_.outsiders();
        if (kind < 0.2) {
            return !outsiders.empty() && insertion(enough);
        }
        if (kind < 0.3) return size > 1 && removal(enough);
        if (kind < 0.4) {
            if (outsiders.empty()) return false;
            return attempt(walk_.replacement(below(size), any(outsiders)), enough);
        }
        if (size < 3) return reroute(enough);
        if (kind < 0.6) return reversal(enough);
        if (kind < 0.8) return relocation(enough);
        if (kind < 0.9) return exchange(enough);
        return reroute(enough);
    }

private:
    bool attempt(const RingWalk::Change& change, double enough) {
        return walk_.at_least(change) <= enough && walk_.make(change, enough, quick);
    }

    /// A chain of outsiders, near to each other.
    bool insertion(double enough) {
        const std::size_t length = geometric(RingWalk::longest_chain);
        chain_.assign(1, any(walk_.outsiders()));
        const std::size_t place = place_beside(chain_.front());
        while (chain_.size() < length) {
            const std::optional<Host> next = near_outsider(chain_.back());
            if (!next) break;
            chain_.push_back(*next);
        }
        return attempt(walk_.insertion(chain_, place), enough);
    }

    [[nodiscard]] std::optional<Host> near_outsider(Host host) const {
        for (const Host other : walk_.neighbours(host))
            if (!walk_.has(other) && std::ranges::find(chain_, other) == chain_.end()) return other;
        return std::nullopt;
    }

    bool removal(double enough) {
        const std::size_t size = walk_.ring().size();
        const std::size_t count = geometric(size - 1);
        return attempt(walk_.removal(below(size - count + 1), count), enough);
    }

    bool reversal(double enough) {
        const std::size_t size = walk_.ring().size();
        std::size_t first = below(size);
        std::size_t second = place_near(walk_.ring().order[first]);
        if (first > second) std::swap(first, second);
        return second - first >= 2 && second - first + 2 <= size &&
               attempt(walk_.reversal(first, second), enough);
    }

    bool relocation(double enough) {
        const std::size_t size = walk_.ring().size();
        const std::size_t count = geometric(size - 2);
        const std::size_t first = below(size - count + 1);
        const std::size_t place = place_beside(walk_.ring().order[first]);
        if (place >= first && place < first + count) return false;
        return attempt(walk_.relocation(first, count, place, random_.uniform() < 0.5), enough);
    }

    bool exchange(double enough) {
        const std::size_t size = walk_.ring().size();
        std::size_t first = below(size);
        std::size_t second = below(size);
        if (first > second) std::swap(first, second);
        return first != second && attempt(walk_.exchange(first, second), enough);
    }

    bool reroute(double enough) {
        const std::size_t size = walk_.ring().size();
        if (size < 2) return false;
        const std::size_t place = below(size);
        const std::size_t next = walk_.ring().after(place);
        const bool there = random_.uniform() < 0.5;
        const Host one = walk_.ring().order[place];
        const Host other = walk_.ring().order[next];
        const auto& paths =
            there ? walk_.pool().between(one, other) : walk_.pool().between(other, one);
        const PooledRing::Joint& joint = walk_.ring().joints[place];
        const PathId path = paths[below(paths.size())];
        return path != (there ? joint.there : joint.back) &&
               walk_.at_least(place, there, path) <= enough &&
               walk_.reroute(place, there, path, enough, quick);
    }

    /// The place of a host in the ring, most often one of those nearest to this one.
    [[nodiscard]] std::size_t place_near(Host host) {
        if (random_.uniform() < 0.8)
            for (const Host other : walk_.neighbours(host))
                if (walk_.has(other) && random_.uniform() < 0.3) return walk_.place_of(other);
        return below(walk_.ring().size());
    }
    /// Behind such a host, or before it.
    [[nodiscard]] std::size_t place_beside(Host host) {
        const std::size_t place = place_near(host);
        const std::size_t size = walk_.ring().size();
        return random_.uniform() < 0.5 ? place : (place + size - 1) % size;
    }

    /// 1, or more with a probability that falls by a third for each more.
    [[nodiscard]] std::size_t geometric(std::size_t most) {
        std::size_t number = 1;
        while (number < most && random_.uniform() < 0.6) ++number;
        return number;
    }
    [[nodiscard]] std::size_t below(std::size_t bound) { return random_.below(bound); }
    [[nodiscard]] Host any(const std::vector<Host>& hosts) { return hosts[below(hosts.size())]; }

    RingWalk& walk_;
    Random& random_;
    std::vector<Host> chain_;
};

}  // namespace

void anneal(RingWalk& walk, Elite& elite, const Cooling& cooling, Random& random, Meter& meter,
            const Limits& limits) {
    constexpr std::uint64_t between_looks = 64;
    // New paths for all pairs take hosts^2, which must stay a small part of the work.
    constexpr std::size_t most_for_all_pairs = 150;
    const std::uint64_t hosts = walk.hosts();
    const std::uint64_t between_offers = 20'000'000 + 2'000 * hosts * hosts;
    Meter own(limits);
    Proposals proposals(walk, random);
    std::uint64_t next_offer = 0;
    while (!own.over() && !meter.over()) {
        const double warmth = cooling.first * std::pow(cooling.last / cooling.first, own.used());
        if (own.spent() >= next_offer) {
            walk.offer_paths(std::pow(10.0, random.uniform(-3, 0)), hosts <= most_for_all_pairs);
            next_offer = own.spent() + between_offers;
        }
        for (std::uint64_t round = 0; round < between_looks; ++round) {
            const double now = walk.step_time();
            const double enough = now * (1 - warmth * std::log(1 - random.uniform()));
            if (proposals.next(enough) && walk.step_time() < elite.enough())
                elite.offer(walk.step_time(), walk.ring(), walk.prices());
        }
        const std::uint64_t steps = walk.take_steps() + between_looks * 10;
        own.spend(steps);
        meter.spend(steps);
    }
}

}  // namespace espalier::ring
