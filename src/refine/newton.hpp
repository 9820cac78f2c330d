#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace espalier::refine {

/// A system of as many equations as unknowns.
class Equations {
public:
    virtual ~Equations() = default;
    [[nodiscard]] virtual std::size_t unknowns() const = 0;
    /// Computes the residuals; false if the equations have no value at `unknowns`.
    virtual bool residuals(const double* unknowns, double* result) = 0;
    /// Column j of the matrix, which comes as zeros, is for unknown j.
    virtual void jacobian(const double* unknowns, double* const* columns) = 0;
};

/// SUNDIALS' KINSOL: Newton's method with a line search and dense linear algebra.
class Newton {
public:
    /// `equations` must outlive it. Throws std::bad_alloc.
    explicit Newton(Equations& equations);
    ~Newton();
    Newton(const Newton&) = delete;
    Newton& operator=(const Newton&) = delete;

    /// Solves the system, beginning with `unknowns` and in place, until each residual times its
    /// scale is at most `tolerance`. False if that is not reached.
    [[nodiscard]] bool solve(std::vector<double>& unknowns, const std::vector<double>& scales,
                             double tolerance);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace espalier::refine
