#include "measure/method/alike.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

namespace espalier::measure {

namespace {

/// A mean that is off by so many times its usual noise is off for another reason.
constexpr double surely = 3;
/// Noise below this, in seconds, is none: what a number can say.
constexpr double least_noise = 1e-12;

/// The mean of latencies, those counting most that are known best. Not in double precision, since a
/// job's hosts have many.
class Mean {
public:
    void add(const Estimate& estimate) {
        const double noise = std::max<double>(estimate.noise, least_noise);
        weight_ += static_cast<float>(1 / (noise * noise));
        sum_ += static_cast<float>(estimate.latency / (noise * noise));
    }
    void add(const Mean& other) {
        weight_ += other.weight_;
        sum_ += other.sum_;
    }
    [[nodiscard]] bool known() const { return weight_ > 0; }
    [[nodiscard]] float value() const { return sum_ / weight_; }
    [[nodiscard]] float variance() const { return 1 / weight_; }
    /// Whether it is longer than `near` by no more than the tolerance, or noise, explains.
    [[nodiscard]] bool as_near_as(const Mean& near, double tolerance) const {
        return value() <=
               (1 + tolerance) * near.value() + surely * std::sqrt(variance() + near.variance());
    }

private:
    float weight_ = 0;
    float sum_ = 0;
};

/// The means between a cluster and others, as far as anything is known. One after the other, since
/// a job's hosts have many.
class Neighbours {
public:
    struct Neighbour {
        std::uint32_t other = 0;
        Mean mean;
    };

    void reserve(std::size_t count) { all_.reserve(count); }
    [[nodiscard]] auto begin() const { return all_.begin(); }
    [[nodiscard]] auto end() const { return all_.end(); }
    [[nodiscard]] const Mean* find(std::size_t other) const {
        const auto place = std::ranges::lower_bound(all_, other, {}, &Neighbour::other);
        return place != all_.end() && place->other == other ? &place->mean : nullptr;
    }
    Mean& operator[](std::size_t other) {
        const auto place = std::ranges::lower_bound(all_, other, {}, &Neighbour::other);
        if (place != all_.end() && place->other == other) return place->mean;
        return all_.insert(place, {static_cast<std::uint32_t>(other), {}})->mean;
    }
    void erase(std::size_t other) {
        std::erase_if(all_, [&](const Neighbour& each) { return each.other == other; });
    }

private:
    std::vector<Neighbour> all_;  ///< by the number of the other
};

struct Cluster {
    std::vector<std::size_t> hosts;
    Mean inside;
    Mean nearest_apart;  ///< of the clusters that it is no part of
    Neighbours to;

    void keep_apart(const Mean& between) {
        if (!nearest_apart.known() || between.value() < nearest_apart.value())
            nearest_apart = between;
    }
};

class Linkage {
public:
    Linkage(Estimates estimates, double tolerance);
    [[nodiscard]] std::vector<std::vector<std::size_t>> clusters();

private:
    /// By the mean between them.
    struct Pair {
        float distance = 0;
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        auto operator<=>(const Pair&) const = default;
    };

    void open(std::size_t a, std::size_t b, const Mean& between);
    [[nodiscard]] bool is_current(const Pair& pair) const {
        const Mean* between = clusters_[pair.a].to.find(pair.b);
        return between != nullptr && between->value() == pair.distance;
    }
    [[nodiscard]] bool belong_together(std::size_t a, std::size_t b) const;
    void join(std::size_t a, std::size_t b);

    double tolerance_;
    std::vector<Cluster> clusters_;
    std::vector<Pair> open_;  ///< a heap, the nearest first; not all of them are current
};

Linkage::Linkage(Estimates estimates, double tolerance)
    : tolerance_(tolerance), clusters_(estimates.size()) {
    std::vector<std::size_t> neighbours(clusters_.size(), 0);
    for (std::size_t host = 0; host < clusters_.size(); ++host)
        for (const auto& pair : estimates.from(host)) {
            ++neighbours[host];
            ++neighbours[pair.other];
        }
    const auto add = [&](std::size_t host, std::size_t other, const Estimate& estimate) {
        clusters_[host].to.reserve(neighbours[host]);
        clusters_[host].to[other].add(estimate);
    };
    for (std::size_t host = 0; host < clusters_.size(); ++host) {
        clusters_[host].hosts = {host};
        for (const auto& [other, estimate] : estimates.take(host)) {
            add(host, other, estimate);
            add(other, host, estimate);
        }
    }
    open_.reserve(std::accumulate(neighbours.begin(), neighbours.end(), std::size_t{0}) / 2);
    for (std::size_t host = 0; host < clusters_.size(); ++host)
        for (const auto& [other, mean] : clusters_[host].to)
            if (host < other) open(host, other, mean);
}

/// Pairs get fewer as clusters grow: the room of those that are not current is enough.
void Linkage::open(std::size_t a, std::size_t b, const Mean& between) {
    if (open_.size() == open_.capacity()) {
        std::erase_if(open_, [&](const Pair& pair) { return !is_current(pair); });
        std::ranges::make_heap(open_, std::greater<>());
    }
    const auto [low, high] = std::minmax(a, b);
    open_.push_back(
        {between.value(), static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)});
    std::ranges::push_heap(open_, std::greater<>());
}

bool Linkage::belong_together(std::size_t a, std::size_t b) const {
    const Mean& between = *clusters_[a].to.find(b);
    for (const std::size_t end : {a, b})
        for (const Mean* near : {&clusters_[end].inside, &clusters_[end].nearest_apart})
            if (near->known() && !between.as_near_as(*near, tolerance_)) return false;
    return true;
}

/// Cluster b becomes part of a.
void Linkage::join(std::size_t a, std::size_t b) {
    Cluster& grown = clusters_[a];
    Cluster gone = std::exchange(clusters_[b], {});
    grown.inside.add(gone.inside);
    grown.inside.add(*gone.to.find(a));
    if (gone.nearest_apart.known()) grown.keep_apart(gone.nearest_apart);
    std::vector<std::size_t> hosts;
    std::ranges::merge(grown.hosts, gone.hosts, std::back_inserter(hosts));
    grown.hosts = std::move(hosts);
    grown.to.erase(b);
    gone.to.erase(a);
    for (const auto& [other, mean] : gone.to) {
        Mean& between = grown.to[other];
        between.add(mean);
        clusters_[other].to.erase(b);
        clusters_[other].to[a] = between;
        open(a, other, between);
    }
}

std::vector<std::vector<std::size_t>> Linkage::clusters() {
    while (!open_.empty()) {
        std::ranges::pop_heap(open_, std::greater<>());
        const Pair nearest = open_.back();
        open_.pop_back();
        if (!is_current(nearest)) continue;
        if (belong_together(nearest.a, nearest.b)) {
            join(nearest.a, nearest.b);
            continue;
        }
        const Mean between = *clusters_[nearest.a].to.find(nearest.b);
        clusters_[nearest.a].keep_apart(between);
        clusters_[nearest.b].keep_apart(between);
    }
    std::vector<std::vector<std::size_t>> found;
    for (Cluster& cluster : clusters_)
        if (!cluster.hosts.empty()) found.push_back(std::move(cluster.hosts));
    std::ranges::sort(found);
    return found;
}

}  // namespace

std::vector<std::vector<std::size_t>> alike(Estimates estimates, double tolerance) {
    return Linkage(std::move(estimates), tolerance).clusters();
}

}  // namespace espalier::measure
