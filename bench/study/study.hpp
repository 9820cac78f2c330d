#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace espalier::study {

/// The result of one heuristic on the random grids of one size.
struct Result {
    std::string_view algorithm;
    double mean_s = 0;        ///< of the makespan
    double confidence_s = 0;  ///< half the 95% confidence interval of the mean
    double to_best = 0;       ///< mean ratio to the best heuristic of each run
    double best_share = 0;    ///< part of the runs in which none was better
};

struct Row {
    std::size_t clusters = 0;
    std::vector<Result> results;  ///< in the order of the table of algorithms
};

struct Settings {
    std::vector<std::size_t> clusters;
    std::size_t runs = 10000;
    std::uint64_t seed = 1;
    std::size_t threads = 1;
};

/// Draws grids with the parameters of steffenel-2006, Table 3, each uniformly and by itself for
/// every cluster and every ordered pair, and lets every heuristic between clusters plan a broadcast
/// from cluster 0. The results depend on the runs and the seed, not on the number of threads.
[[nodiscard]] std::vector<Row> simulate_grids(const Settings& settings);

}  // namespace espalier::study
