#include "measure/method/asymmetry.hpp"

#include "core/infinity.hpp"
#include "core/matrix.hpp"
#include "measure/method/sites.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace espalier::measure {

namespace {

using Groups = std::vector<std::vector<std::size_t>>;

/// The fewest third sites that tell which side of their triangles is the asymmetric one.
constexpr std::size_t fewest_thirds = 2;
/// An asymmetry is clear if it is so many times what sums around triangles usually are.
constexpr double clearly = 3;
/// The part of a latency that an asymmetry has to be, since half of round trips are no better
/// known.
constexpr double least_part = 0.05;

/// The hosts of each site.
Groups hosts_of_sites(const LatencyMatrix& latencies, const Groups& clusters, bool noisy) {
    Matrix<double> between(clusters.size(), clusters.size(), 0);
    for (std::size_t i = 0; i < clusters.size(); ++i)
        for (std::size_t j = 0; j < clusters.size(); ++j)
            if (i != j)
                between(i, j) =
                    usual_latency(latencies, clusters[i], clusters[j], noisy).value_or(infinity);
    Groups sites;
    for (const auto& site : guess_sites(between)) {
        auto& hosts = sites.emplace_back();
        for (const std::size_t c : site)
            hosts.insert(hosts.end(), clusters[c].begin(), clusters[c].end());
    }
    return sites;
}

/// What is left of the offsets of clocks around triangles whose corners are in three different
/// sites.
class Triangles {
public:
    Triangles(const SparsePairs<Passages>& passages, const Groups& sites)
        : passages_(passages), sites_(sites) {
        for (std::size_t i = 0; i < sites_.size(); ++i)
            for (std::size_t j = i + 1; j < sites_.size(); ++j)
                for (std::size_t k = j + 1; k < sites_.size(); ++k)
                    if (const auto sum = around(i, j, k)) amounts_.push_back(std::abs(*sum));
        std::ranges::sort(amounts_);
    }

    /// From site i to site j, seconds; 0 where it is not clear.
    [[nodiscard]] double asymmetry(std::size_t i, std::size_t j) const {
        std::vector<double> of_thirds;
        for (std::size_t k = 0; k < sites_.size(); ++k) {
            if (k == i || k == j) continue;
            if (const auto sum = around(i, j, k)) of_thirds.push_back(*sum);
        }
        if (of_thirds.size() < fewest_thirds) return 0;
        // Of four sites two triangles have the path, and two have not.
        const double usual = amounts_[(amounts_.size() - 1) / 2];
        std::ranges::sort(of_thirds);
        const double low = of_thirds[(of_thirds.size() - 1) / 2];
        const double high = of_thirds[of_thirds.size() / 2];
        const double middle = low > 0 ? low : std::min(high, 0.0);
        return std::abs(middle) > clearly * usual ? middle : 0;
    }

private:
    [[nodiscard]] std::optional<Passages> from(std::size_t a, std::size_t b) const {
        const auto known = passages_(a, b);
        return known && a > b ? Passages{known->back, known->there} : known;
    }

    /// From a host of site i by one of site j and one of site k back, of those three that were held
    /// up least; nullopt if none met.
    [[nodiscard]] std::optional<double> around(std::size_t i, std::size_t j, std::size_t k) const {
        std::optional<double> found;
        double least = infinity;
        for (const std::size_t a : sites_[i])
            for (const std::size_t b : sites_[j])
                for (const std::size_t c : sites_[k]) {
                    const auto ab = from(a, b);
                    const auto bc = from(b, c);
                    const auto ca = from(c, a);
                    if (!ab || !bc || !ca) continue;
                    const double one_way = ab->there + bc->there + ca->there;
                    const double other_way = ab->back + bc->back + ca->back;
                    if (one_way + other_way >= least) continue;
                    least = one_way + other_way;
                    found = (one_way - other_way) / 2;
                }
        return found;
    }

    const SparsePairs<Passages>& passages_;
    const Groups& sites_;
    std::vector<double> amounts_;  ///< of what is left around all triangles of sites, in order
};

bool matters(double longer, std::optional<double> latency) {
    return latency && std::abs(longer) > least_part * *latency;
}

}  // namespace

Asymmetry find_asymmetry(const SparsePairs<Passages>& passages, const LatencyMatrix& latencies,
                         const std::vector<std::vector<std::size_t>>& clusters, bool noisy) {
    Asymmetry found(latencies.size());
    const Groups sites = hosts_of_sites(latencies, clusters, noisy);
    const Triangles triangles(passages, sites);
    for (std::size_t i = 0; i < sites.size(); ++i)
        for (std::size_t j = i + 1; j < sites.size(); ++j) {
            const double longer = triangles.asymmetry(i, j);
            for (const std::size_t a : sites[i])
                for (const std::size_t b : sites[j])
                    if (passages(a, b) && matters(longer, latencies(a, b)))
                        found.at(a, b) = a < b ? longer : -longer;
        }
    return found;
}

double longer_way(const Asymmetry& asymmetry, const std::vector<std::size_t>& from,
                  const std::vector<std::size_t>& to) {
    if (asymmetry.size() == 0) return 0;
    for (const std::size_t a : from)
        for (const std::size_t b : to)
            if (const auto from_lower = asymmetry(a, b)) return a < b ? *from_lower : -*from_lower;
    return 0;
}

}  // namespace espalier::measure
