#include "measure/method/asymmetry.hpp"

#include "core/random.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace espalier::measure {
namespace {

constexpr std::size_t hosts_of_site = 3;

/// Sites of three hosts, whose clocks have nothing in common; between the first and the last of
/// them the way there may be longer than the way back.
struct Sites {
    std::size_t count = 0;
    double longer = 0;
    double held_up = 0;  ///< at most, a message

    [[nodiscard]] double latency(std::size_t from, std::size_t to) const {
        const std::size_t a = from / hosts_of_site;
        const std::size_t b = to / hosts_of_site;
        if (a == b) return 50e-6;
        const double half = 2e-3 + 0.7e-3 * static_cast<double>(a + b);
        const bool is_asymmetric = std::min(a, b) == 0 && std::max(a, b) == count - 1;
        return half + (is_asymmetric ? (a < b ? longer : -longer) : 0);
    }
    [[nodiscard]] std::size_t hosts() const { return count * hosts_of_site; }

    [[nodiscard]] Asymmetry found() const {
        Random random(7);
        const auto message = [&](std::size_t from, std::size_t to) {
            const auto clock = [](std::size_t host) {
                return 1e3 * static_cast<double>(host * host % 37);
            };
            return latency(from, to) + held_up * random.uniform() + clock(to) - clock(from);
        };
        SparsePairs<Passages> passages(hosts());
        LatencyMatrix latencies(hosts());
        std::vector<std::vector<std::size_t>> clusters(count);
        for (std::size_t a = 0; a < hosts(); ++a) {
            clusters[a / hosts_of_site].push_back(a);
            for (std::size_t b = a + 1; b < hosts(); ++b) {
                const Passages& known = passages.at(a, b) = {message(a, b), message(b, a)};
                latencies.at(a, b) = (known.there + known.back) / 2;
            }
        }
        return find_asymmetry(passages, latencies, clusters, true);
    }
};

/// What is found of two hosts less what is true.
double error(const Sites& sites, const Asymmetry& found, std::size_t a, std::size_t b) {
    const double half = (sites.latency(a, b) + sites.latency(b, a)) / 2;
    return longer_way(found, {a}, {b}) - (sites.latency(a, b) - half);
}

double greatest_error(const Sites& sites) {
    const Asymmetry found = sites.found();
    double greatest = 0;
    for (std::size_t a = 0; a < sites.hosts(); ++a)
        for (std::size_t b = 0; b < sites.hosts(); ++b)
            greatest = std::max(greatest, std::abs(error(sites, found, a, b)));
    return greatest;
}

TEST(Asymmetry, of_one_path_among_several_sites_is_found_whatever_clocks_say) {
    for (const std::size_t count : {4U, 5U, 7U, 9U})
        for (const double longer : {0.5e-3, -0.5e-3, 1.5e-3})
            EXPECT_LT(greatest_error({count, longer}), 1e-9) << count << " sites, " << longer;
}

TEST(Asymmetry, is_found_though_most_messages_were_held_up) {
    for (const std::size_t count : {5U, 7U})
        EXPECT_LT(greatest_error({count, 1e-3, 0.4e-3}), 0.2e-3) << count;
}

TEST(Asymmetry, is_none_where_paths_are_symmetric) {
    for (const double held_up : {0.0, 0.4e-3})
        EXPECT_LT(greatest_error({6, 0, held_up}), 0.2e-3) << held_up;
}

TEST(Asymmetry, between_three_sites_may_be_that_of_any_two_and_is_not_told) {
    const Asymmetry found = Sites{3, 0.5e-3}.found();
    for (std::size_t a = 0; a < found.size(); ++a) EXPECT_TRUE(found.from(a).empty());
}

}  // namespace
}  // namespace espalier::measure
