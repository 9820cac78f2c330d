#pragma once

#include "core/limits.hpp"
#include "core/matrix.hpp"
#include "plan/exchange/planner.hpp"
#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::plan {

/// The sizes of a total exchange, and how it is to be planned.
struct ExchangeRequest {
    /// The row sends to the column; the diagonal stays where it is, whatever it says.
    std::shared_ptr<const Matrix<Bytes>> sizes;
    /// A name of the exchange family, or `auto`: of those that are tried the fastest, as simulated.
    std::string algorithm = "auto";
    std::size_t ports = 1;
    Limits limits;

    /// The sizes of an exchange of blocks of one size.
    [[nodiscard]] static std::shared_ptr<const Matrix<Bytes>> uniform(std::size_t nodes,
                                                                      Bytes bytes);
};

/// Throws InputError where a matrix of `what` has not a row and a column for each node.
void require_order(std::size_t rows, std::size_t columns, std::size_t nodes, std::string_view what);

/// The problem that a request poses, in plain numbers. Throws InputError naming the pair where a
/// cost is needed and not known.
[[nodiscard]] exchange::Problem make_exchange_problem(const simulate::Fabric& fabric,
                                                      const ExchangeRequest& request);

/// exchange::make_schedule(), of the whole request.
[[nodiscard]] schedule::Schedule make_exchange_schedule(const exchange::Problem& problem,
                                                        const exchange::Found& found,
                                                        const ExchangeRequest& request,
                                                        std::vector<std::string> names);

/// The schedule with the sizes of the request, between nodes of these names.
[[nodiscard]] schedule::Schedule with_sizes(schedule::Schedule schedule,
                                            const ExchangeRequest& request,
                                            std::vector<std::string> names);

}  // namespace espalier::plan
