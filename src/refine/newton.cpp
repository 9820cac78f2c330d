#include "refine/newton.hpp"

#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace espalier::refine {
namespace {

int residuals(N_Vector unknowns, N_Vector result, void* equations) {
    return static_cast<Equations*>(equations)->residuals(NV_DATA_S(unknowns), NV_DATA_S(result))
               ? 0
               : 1;  // KINSOL then tries a shorter step
}

int jacobian(N_Vector unknowns, N_Vector, SUNMatrix matrix, void* equations, N_Vector, N_Vector) {
    static_cast<Equations*>(equations)->jacobian(NV_DATA_S(unknowns), SM_COLS_D(matrix));
    return 0;
}

/// Swallows what KINSOL would print; its result says whether it failed.
void ignore(int, const char*, const char*, char*, void*) {}

}  // namespace

struct Newton::State {
    SUNContext context = nullptr;
    void* kinsol = nullptr;
    N_Vector unknowns = nullptr;
    N_Vector unknown_scales = nullptr;
    N_Vector scales = nullptr;
    SUNMatrix matrix = nullptr;
    SUNLinearSolver linear = nullptr;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (kinsol != nullptr) KINFree(&kinsol);
        if (linear != nullptr) SUNLinSolFree(linear);
        if (matrix != nullptr) SUNMatDestroy(matrix);
        for (N_Vector vector : {unknowns, unknown_scales, scales})
            if (vector != nullptr) N_VDestroy(vector);
        if (context != nullptr) SUNContext_Free(&context);
    }
};

Newton::Newton(Equations& equations) : state_(std::make_unique<State>()) {
    const auto size = static_cast<sunindextype>(equations.unknowns());
    State& state = *state_;
    const auto require = [](bool made) {
        if (!made) throw std::bad_alloc();
    };
    require(SUNContext_Create(nullptr, &state.context) == 0);
    for (N_Vector* vector : {&state.unknowns, &state.unknown_scales, &state.scales}) {
        *vector = N_VNew_Serial(size, state.context);
        require(*vector != nullptr);
    }
    N_VConst(1, state.unknown_scales);
    state.matrix = SUNDenseMatrix(size, size, state.context);
    require(state.matrix != nullptr);
    state.linear = SUNLinSol_Dense(state.unknowns, state.matrix, state.context);
    require(state.linear != nullptr);
    state.kinsol = KINCreate(state.context);
    require(state.kinsol != nullptr);
    require(KINSetErrHandlerFn(state.kinsol, ignore, nullptr) == KIN_SUCCESS);
    require(KINInit(state.kinsol, residuals, state.unknowns) == KIN_SUCCESS);
    require(KINSetUserData(state.kinsol, &equations) == KIN_SUCCESS);
    require(KINSetLinearSolver(state.kinsol, state.linear, state.matrix) == KINLS_SUCCESS);
    require(KINSetJacFn(state.kinsol, jacobian) == KINLS_SUCCESS);
    // A matrix costs little more than its factors: a new one for each step.
    require(KINSetMaxSetupCalls(state.kinsol, 1) == KIN_SUCCESS);
    constexpr long most_steps = 60;
    require(KINSetNumMaxIters(state.kinsol, most_steps) == KIN_SUCCESS);
    require(KINSetScaledStepTol(state.kinsol, 1e-14) == KIN_SUCCESS);
    require(KINSetMaxNewtonStep(state.kinsol, 4 * std::sqrt(static_cast<double>(size))) ==
            KIN_SUCCESS);
}

Newton::~Newton() = default;

bool Newton::solve(std::vector<double>& unknowns, const std::vector<double>& scales,
                   double tolerance) {
    std::ranges::copy(unknowns, NV_DATA_S(state_->unknowns));
    std::ranges::copy(scales, NV_DATA_S(state_->scales));
    if (KINSetFuncNormTol(state_->kinsol, tolerance) != KIN_SUCCESS) return false;
    const int result = KINSol(state_->kinsol, state_->unknowns, KIN_LINESEARCH,
                              state_->unknown_scales, state_->scales);
    if (result != KIN_SUCCESS && result != KIN_INITIAL_GUESS_OK) return false;
    std::copy_n(NV_DATA_S(state_->unknowns), unknowns.size(), unknowns.begin());
    return true;
}

}  // namespace espalier::refine
