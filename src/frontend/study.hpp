#pragma once

#include "core/json.hpp"
#include "frontend/comparison.hpp"
#include "frontend/problem_options.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace espalier::frontend {

/// What comparisons are made of, one for each size, root and seed.
struct StudyOptions {
    ProblemOptions problem;         ///< `bytes` and `root` hold what is said of all of them
    std::string roots;              ///< a list of names, or `all`; empty: what `problem` says
    std::string seeds;              ///< `1..20`; empty: one network
    std::vector<std::string> only;  ///< algorithms; none: all that apply
    /// The network of a seed; its name in `problem` depends on that.
    std::function<network::Network(std::uint64_t seed)> network_of_seed;

    /// Whether it is more than one comparison.
    [[nodiscard]] bool is_several() const;
};

/// Comparisons of the same algorithms.
struct Study {
    struct Cell {
        std::optional<Bytes> bytes;  ///< none: the collective, or the network, has no sizes
        std::string root;            ///< empty: none, or what is usual
        std::optional<std::uint64_t> seed;
        Comparison comparison;
    };
    std::string collective;
    std::string network;  ///< its name
    std::vector<Cell> cells;
    std::vector<std::string> assumptions;  ///< of the problems, each once
    std::string command = {};              ///< that made it; empty: not said
};

/// Told before each algorithm; see Turn. `cell` of `cells` comparisons has begun.
using StudyTurn = std::function<void(const std::string& algorithm, std::size_t cell,
                                     std::size_t cells, double done)>;

/// Throws InputError where no algorithm can take one of the problems.
[[nodiscard]] Study make_study(const StudyOptions& options, const StudyTurn& turn);

/// What an algorithm takes for messages of one size, over all roots and seeds.
struct Average {
    std::optional<Bytes> bytes;
    std::string algorithm;
    std::size_t plans = 0;  ///< that it gave; all else is of these
    Seconds mean;
    std::optional<Seconds> off;  ///< the mean, at most, with a probability of 95%
    double over_best = 0;        ///< relative, the geometric mean of that in each comparison
    double at_most = 0;          ///< over the best, in the worst comparison
    std::size_t best = 0;        ///< comparisons in which nothing was faster
    Seconds bound;               ///< the mean of what no schedule beats; 0: not known of all
};
/// By size, in the order of the cells; of each the algorithms by what they are over the best.
[[nodiscard]] std::vector<Average> averages(const Study& study);
/// The same over all sizes, whose times are no mean of anything.
[[nodiscard]] std::vector<Average> averages_of_all(const Study& study);

/// Format `espalier-study`, version 1.
[[nodiscard]] Json to_json(const Study& study);
/// Throws InputError.
[[nodiscard]] Study read_study(const JsonValue& document);

/// A line for each plan, and for each algorithm that gave none, below a line of names.
[[nodiscard]] std::string study_csv(const Study& study);
/// A line for each of averages().
[[nodiscard]] std::string averages_csv(const Study& study);

}  // namespace espalier::frontend
