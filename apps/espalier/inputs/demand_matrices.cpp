#include "inputs/demand_matrices.hpp"

#include "core/error.hpp"
#include "inputs/node_matrix.hpp"

#include <fmt/format.h>

namespace espalier::cli {

namespace {

using network::StatedCells;

/// Off the diagonal, `use(i, j, value)` for each value that is stated.
template <typename Use>
void for_each_stated(const std::string& path, const std::vector<std::string>& names,
                     StatedCells cells, const char* noun, Use use) {
    const auto stated = read_stated_matrix(path, names, cells);
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = 0; j < names.size(); ++j) {
            if (i == j || !stated(i, j)) continue;
            if (*stated(i, j) == 0)
                throw InputError(path, fmt::format("{} to {}", names[i], names[j]),
                                 fmt::format("a {} is positive; an empty cell says that there is "
                                             "none",
                                             noun));
            use(i, j, *stated(i, j));
        }
}

}  // namespace

Matrix<std::optional<Seconds>> read_deadlines(const std::string& path,
                                              const std::vector<std::string>& names) {
    Matrix<std::optional<Seconds>> deadlines(names.size(), names.size());
    for_each_stated(
        path, names, StatedCells::times, "deadline",
        [&](std::size_t i, std::size_t j, double time) { deadlines(i, j) = Seconds(time); });
    return deadlines;
}

Matrix<double> read_priorities(const std::string& path, const std::vector<std::string>& names) {
    Matrix<double> priorities(names.size(), names.size(), 1);
    for_each_stated(
        path, names, StatedCells::numbers, "priority",
        [&](std::size_t i, std::size_t j, double priority) { priorities(i, j) = priority; });
    return priorities;
}

}  // namespace espalier::cli
