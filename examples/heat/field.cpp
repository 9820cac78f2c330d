#include "field.hpp"

#include <algorithm>
#include <utility>

namespace heat {

Field::Field(int rows, int columns)
    : rows_(static_cast<std::size_t>(rows)),
      columns_(columns),
      values_(rows_ * static_cast<std::size_t>(columns + 2), 0) {}

void Field::heat_up(int first) {
    for (int c = 0; c < columns_; ++c) {
        double* const cells = column(c);
        const auto place = static_cast<std::size_t>(first) + static_cast<std::size_t>(c);
        for (std::size_t r = 0; r < rows_; ++r)
            cells[r] = static_cast<double>((place * 7919 + r * 104729) % 1000);
    }
}

void Field::step_from(const Field& before) {
    constexpr double pace = 0.1;
    for (int c = 0; c < columns_; ++c) {
        const double* const left = before.column(c - 1);
        const double* const here = before.column(c);
        const double* const right = before.column(c + 1);
        double* const next = column(c);
        for (std::size_t r = 0; r < rows_; ++r) {
            const double above = r == 0 ? 0 : here[r - 1];
            const double below = r + 1 == rows_ ? 0 : here[r + 1];
            next[r] = here[r] + pace * ((left[r] + right[r]) + (above + below) - 4 * here[r]);
        }
    }
}

Field run_serially(int rows, int columns, int steps) {
    Field now(rows, columns);
    Field next(rows, columns);
    now.heat_up(0);
    const auto close = [&](Field& field) {
        std::copy_n(field.column(columns - 1), rows, field.column(-1));
        std::copy_n(field.column(0), rows, field.column(columns));
    };
    close(now);
    for (int step = 0; step < steps; ++step) {
        next.step_from(now);
        close(next);
        std::swap(now, next);
    }
    return now;
}

}  // namespace heat
