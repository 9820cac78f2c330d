#include "doctor/blame.hpp"

#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::doctor {

namespace {

/// Of two parts that explain as much, the first stays: so much more has the other to explain.
constexpr double clearly = 1.02;

}  // namespace

std::optional<Blamed> blame_shift(const std::vector<Part>& parts,
                                  const std::vector<std::size_t>& pairs,
                                  const std::function<double(std::size_t)>& excess, double least) {
    std::map<std::size_t, double> excesses;
    for (const std::size_t pair : pairs) excesses[pair] = excess(pair);
    std::optional<Blamed> best;
    double most = 0;
    for (std::size_t number = 0; number < parts.size(); ++number) {
        std::vector<double> own;
        for (const std::size_t pair : parts[number].pairs) own.push_back(excesses.at(pair));
        const double shift = median(own);
        if (shift < least) continue;
        double gain = 0;
        for (const double one : own) gain += std::abs(one) - std::abs(one - shift);
        if (gain <= clearly * most) continue;
        most = gain;
        best = {number, shift, 0, static_cast<double>(own.size())};
    }
    return best;
}

Losses::Losses(const Facts& facts, const std::vector<std::size_t>& pairs) {
    std::map<std::size_t, double> lost_to;
    for (const std::size_t number : pairs) {
        const Pair& pair = facts.pairs[number];
        Count& count = counts_[number];
        count.sent = static_cast<double>(pair.small_sent + pair.large_sent);
        count.lost = std::max(
            count.sent - static_cast<double>(pair.small_received + pair.large_received), 0.0);
        lost_to[pair.to] += count.lost;
    }
    std::map<std::size_t, Count> of_hosts;
    for (const std::size_t number : pairs) {
        const Pair& pair = facts.pairs[number];
        Count& count = counts_[number];
        // What a busy receiver dropped, the network did not.
        const auto overflowed = static_cast<double>(facts.hosts[pair.to].overflowed);
        if (lost_to[pair.to] > 0) count.lost *= std::max(1 - overflowed / lost_to[pair.to], 0.0);
        for (const std::size_t host : {pair.from, pair.to}) {
            of_hosts[host].sent += count.sent;
            of_hosts[host].lost += count.lost;
        }
    }
    std::vector<double> rates;
    for (const auto& [host, count] : of_hosts)
        rates.push_back(count.sent > 0 ? count.lost / count.sent : 0);
    constexpr double few = 2e-4;
    usual_ = rates.empty() ? few : std::max(few, lower_quartile(rates));
}

std::optional<Blamed> Losses::blame(const std::vector<Part>& parts) const {
    constexpr double likely = 10;
    constexpr double least_lost = 4;
    constexpr double times_usual = 3;
    std::optional<Blamed> best;
    double most = likely;
    for (std::size_t number = 0; number < parts.size(); ++number) {
        Count count;
        for (const std::size_t pair : parts[number].pairs) {
            count.sent += counts_.at(pair).sent;
            count.lost += counts_.at(pair).lost;
        }
        const double expected = usual_ * count.sent;
        if (count.lost < least_lost || count.lost < times_usual * expected) continue;
        const double gain = count.lost * std::log(count.lost / expected) - (count.lost - expected);
        if (gain <= clearly * most) continue;
        most = gain;
        best = {number, count.lost / count.sent, usual_, count.sent};
    }
    return best;
}

Rates::Rates(const Facts& facts, const Sites& sites, const std::vector<std::size_t>& pairs) {
    using Class = std::pair<std::size_t, std::size_t>;
    const auto class_of = [&](std::size_t number) {
        return Class(sites.of(facts.pairs[number].from), sites.of(facts.pairs[number].to));
    };
    std::map<Class, std::vector<double>> classes;
    for (const std::size_t number : pairs)
        if (const auto rate = facts.pairs[number].rate_Bps)
            classes[class_of(number)].push_back(*rate);
    // A host at fault slows down two of m ways in a class of m hosts.
    constexpr double percent = 70;
    constexpr std::size_t few = 4;
    std::vector<double> noises;
    for (const std::size_t number : pairs) {
        const auto rate = facts.pairs[number].rate_Bps;
        if (!rate) continue;
        const Class own = class_of(number);
        double expected = percentile(classes[own], percent);
        // What a direction has less than the other, its sites have in common.
        const auto opposite = classes.find({own.second, own.first});
        const double there = opposite == classes.end() ? 0 : percentile(opposite->second, percent);
        if (own.first == own.second && classes[own].size() < few)
            expected = std::max(expected, percentile(classes[own], 100));
        ways_[number] = {*rate, expected, std::max(expected, there)};
        noises.push_back(std::abs(std::log(*rate / expected)));
    }
    noise_ = noises.empty() ? 0 : median(noises);
}

std::optional<Blamed> Rates::blame(const std::vector<Part>& parts) const {
    // A cap below this part of what is expected, and so much explained in all, is a fault.
    constexpr double low = 0.7;
    constexpr double nearly_all = 0.75;
    constexpr double least_gain = 0.8;
    constexpr double times_noise = 8;
    std::optional<Blamed> best;
    double most = std::max(least_gain, times_noise * noise_);
    for (std::size_t number = 0; number < parts.size(); ++number) {
        std::vector<Way> own;
        std::vector<double> low_rates;
        std::vector<double> expected;
        for (const std::size_t pair : parts[number].pairs) {
            const auto way = ways_.find(pair);
            if (way == ways_.end()) continue;
            own.push_back(way->second);
            if (is_of_sites(parts[number].kind)) own.back().expected = way->second.opposite;
            if (own.back().rate < low * own.back().expected) {
                low_rates.push_back(own.back().rate);
                expected.push_back(own.back().expected);
            }
        }
        if (low_rates.empty()) continue;
        const double cap = median(low_rates);
        double gain = 0;
        std::size_t limited = 0;
        for (const Way& way : own) {
            const double capped = std::min(way.expected, cap);
            if (capped < low * way.expected) ++limited;
            gain +=
                std::abs(std::log(way.rate / way.expected)) - std::abs(std::log(way.rate / capped));
        }
        // Nearly all ways that it limits have to show that.
        if (static_cast<double>(low_rates.size()) < nearly_all * static_cast<double>(limited))
            continue;
        if (gain <= clearly * most) continue;
        most = gain;
        best = {number, cap, median(expected), static_cast<double>(own.size())};
    }
    return best;
}

}  // namespace espalier::doctor
