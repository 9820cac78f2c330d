#pragma once

#include "common/samples.hpp"
#include "demands/problem.hpp"
#include "network/generate_sizes.hpp"
#include "network/network.hpp"
#include "plan/algorithm.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace espalier::bench {

/// One of the figures of bhat-1998, section 5.
struct Pattern {
    std::string_view name;
    std::string_view figure;
    network::SizePattern sizes;
};
[[nodiscard]] const std::vector<Pattern>& patterns();

/// The result of an algorithm for an instance.
struct Outcome {
    double makespan = 0;  ///< simulated, of a schedule that the validator found to do its job
    double cpu = 0;       ///< seconds of planning
    double wall = 0;      ///< the same by the clock on the wall
    bool optimal = false;
};

/// A total exchange to be planned.
class Instance {
public:
    Instance(network::Network network, Matrix<Bytes> sizes);
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    /// A network guided by Tables 1 and 2, and sizes by the pattern.
    [[nodiscard]] static std::unique_ptr<Instance> random(std::size_t nodes, const Pattern& pattern,
                                                          std::uint64_t seed, std::size_t run);

    [[nodiscard]] const demands::Problem& problem() const { return problem_; }
    [[nodiscard]] double bound() const { return bound_; }
    /// CPU seconds that it took to make the problem of network and sizes.
    [[nodiscard]] double preparation() const { return preparation_; }

    /// Plans by the algorithm of that name. Throws std::runtime_error if the schedule does not do
    /// its job.
    [[nodiscard]] Outcome plan_with(std::string_view algorithm, Seconds limit) const;

private:
    network::Network network_;
    std::vector<std::string> names_;
    std::unique_ptr<const simulate::Fabric> fabric_;
    demands::Problem problem_;
    double bound_ = 0;
    double preparation_ = 0;
};

/// The planners of the table that plan an exchange for its makespan alone, but for `optimal`.
[[nodiscard]] std::vector<const plan::Algorithm*> contestants();

}  // namespace espalier::bench
