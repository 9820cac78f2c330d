#pragma once

#include "runtime/logic/bandit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace espalier::runtime::test {

using Variant = Bandit::Variant;

inline Bandit::Prior within(double seconds, double factor) {
    return {Seconds(seconds), factor - 1};
}

/// Some ranks that call again and again.
struct Job {
    std::vector<Bandit> ranks;
    std::function<double(Variant, std::size_t)> time;  ///< of a call by a variant on a rank
    double agreement = 0;                              ///< until all know what all told
    double connecting = 0;                             ///< beside the first call of a variant
    std::vector<double> bytes{};                       ///< of each call, in turn; the same if empty
    double clock = 0;
    double told_at = 0;
    std::vector<double> greatest{};
    std::map<Variant, std::size_t> calls{};

    Job(std::size_t size, const Bandit::Priors& priors,
        std::function<double(Variant, std::size_t)> seconds)
        : ranks(size, Bandit(priors)),
          time(std::move(seconds)),
          agreement(priors.agreement.value) {}

    void call() {
        const Variant variant = ranks.front().next();
        const double extra = calls[variant] == 0 ? connecting : 0;
        const std::size_t number = total();
        ++calls[variant];
        double slowest = 0;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            ASSERT_EQ(ranks[rank].next(), variant);
            const double took = time(variant, rank) + extra;
            slowest = std::max(slowest, took);
            ranks[rank].add(Seconds(took), bytes.empty() ? 1 : bytes[number % bytes.size()]);
        }
        clock += slowest;
        agree();
    }
    /// The seconds that so many calls take, with what agreeing takes.
    double run(std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) call();
        return clock;
    }
    [[nodiscard]] std::size_t total() const {
        std::size_t all = 0;
        for (const auto& [variant, count] : calls) all += count;
        return all;
    }

private:
    void agree() {
        if (ranks.front().is_to_tell()) {
            greatest.assign(ranks.front().samples().size(), 0);
            for (Bandit& rank : ranks) {
                ASSERT_TRUE(rank.is_to_tell());
                for (std::size_t k = 0; k < greatest.size(); ++k)
                    greatest[k] = std::max(greatest[k], rank.samples()[k]);
                rank.told();
            }
            told_at = clock;
        }
        if (!ranks.front().is_to_hear()) return;
        clock = std::max(clock, told_at + agreement);
        for (Bandit& rank : ranks) {
            ASSERT_TRUE(rank.is_to_hear());
            rank.hear(greatest);
        }
    }
};

}  // namespace espalier::runtime::test
