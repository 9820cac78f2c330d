#include "frontend/demand_matrices.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

namespace espalier::frontend {

namespace {

/// Takes over each value that is stated off the diagonal.
void read_stated(const PairNumbers& numbers, const std::vector<std::string>& names,
                 const char* noun, double demands::Due::*field, Matrix<demands::Due>& dues) {
    const auto stated = numbers.read(names);
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = 0; j < names.size(); ++j) {
            if (i == j || !stated(i, j)) continue;
            if (*stated(i, j) == 0)
                throw InputError(numbers.name, fmt::format("{} to {}", names[i], names[j]),
                                 fmt::format("a {} is positive; an empty cell says that there is "
                                             "none",
                                             noun));
            dues(i, j).*field = *stated(i, j);
        }
}

}  // namespace

Matrix<demands::Due> read_dues(const PairNumbers& deadlines, const PairNumbers& priorities,
                               const std::vector<std::string>& names) {
    using demands::Due;
    Matrix<Due> dues(names.size(), names.size());
    read_stated(deadlines, names, "deadline", &Due::deadline, dues);
    if (!priorities.empty()) read_stated(priorities, names, "priority", &Due::priority, dues);
    return dues;
}

}  // namespace espalier::frontend
