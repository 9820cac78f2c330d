#pragma once

#include "core/matrix.hpp"
#include "core/random.hpp"
#include "demands/exchange_plan.hpp"
#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <array>
#include <functional>
#include <memory>

namespace espalier::test {

/// A fabric of which each message's cost is stated by itself: seconds, whatever the size.
class StatedFabric final : public simulate::Fabric {
public:
    explicit StatedFabric(Matrix<double> gaps, Matrix<double> latencies = {});

    [[nodiscard]] std::size_t nodes() const override { return gaps_.rows(); }
    [[nodiscard]] simulate::MessageCost cost(std::size_t from, std::size_t to,
                                             Bytes size) const override;
    [[nodiscard]] simulate::CostFloor floor(std::size_t from, std::size_t to,
                                            Bytes size) const override;

private:
    Matrix<double> gaps_;
    Matrix<double> latencies_;  ///< none: all 0
};

/// The exchange that a matrix of times stands for: row i, column j is how long i takes to send to
/// j; where it is 0, and on the diagonal, nothing is sent.
class StatedExchange {
public:
    explicit StatedExchange(const Matrix<double>& gaps, Matrix<double> latencies = {},
                            std::size_t ports = 1);
    /// Of so many bytes from row to column.
    StatedExchange(network::Network network, const Matrix<double>& bytes, std::size_t ports);

    /// Of which nothing is demanded.
    [[nodiscard]] const demands::Problem& problem() const { return problem_; }
    [[nodiscard]] const simulate::Fabric& fabric() const { return *fabric_; }
    /// What exchange_bound() says.
    [[nodiscard]] double bound() const;
    /// Its schedule. Fails the test where that does not do its job.
    [[nodiscard]] schedule::Schedule schedule(const demands::Found& found) const;
    [[nodiscard]] schedule::Schedule schedule(const plan::exchange::Found& found) const;
    /// The simulated makespan of its schedule.
    [[nodiscard]] double makespan(const demands::Found& found) const;
    [[nodiscard]] double makespan(const plan::exchange::Found& found) const;

private:
    std::unique_ptr<const network::Network> network_;  ///< none: costs are stated
    std::unique_ptr<const simulate::Fabric> fabric_;
    demands::Problem problem_;
};

/// Two nodes behind an uplink of 100 B/s; from there a byte is on its way for 1 s to node 2, and 3
/// s to node 3.
[[nodiscard]] network::Network behind_an_uplink();

/// What a random matrix of times is like.
enum class Times {
    even,    ///< from 0.1 to 1, evenly
    ranges,  ///< over four powers of ten, evenly by their logarithms
    whole,   ///< 1, 2 or 3: full of ties
    equal,   ///< all the same
    sparse,  ///< most are 0
    few,     ///< one message in nodes is long, the others hardly take time
};
inline constexpr std::array all_times{Times::even,  Times::ranges, Times::whole,
                                      Times::equal, Times::sparse, Times::few};
[[nodiscard]] Matrix<double> random_times(Random& random, std::size_t nodes, Times times);

/// So many rounds of a matrix of each kind, each of `least` to `most` nodes.
void for_random_times(std::uint64_t seed, std::size_t least, std::size_t most, int rounds,
                      const std::function<void(const Matrix<double>&, Random&)>& check);

/// A problem of bipartite senders and receivers, as bhat-1998 has them, self-messages and all, as
/// an exchange between twice as many nodes: processor i sends as node 2i and receives as node 2i +
/// 1. A message over d processors then goes over 2d + 1 nodes, so caterpillar() on these nodes is
/// the paper's baseline with its step of messages to oneself. `times` is as the paper's C: row i,
/// column j is from j to i.
[[nodiscard]] Matrix<double> with_messages_to_oneself(const Matrix<double>& times);

}  // namespace espalier::test
