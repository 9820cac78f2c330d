#pragma once

#include "runtime/failure.hpp"
#include "runtime/logic/program.hpp"
#include "runtime/logic/run_report.hpp"
#include "runtime/logic/trial.hpp"
#include "runtime/process.hpp"

#include <mpi.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace espalier::runtime {

class Communicator;

/// A collective operation that is planned for some size and, mostly, on trial against MPI's own.
/// `Part` is what is decided about it: algorithm, predicted, bound, refusal, tries_native,
/// is_native().
template <typename Part>
struct Tried {
    struct Plan {
        Part part;
        Program program;
    };
    std::shared_ptr<const Plan> plan;
    Trial trial;
    Bytes planned_bytes;  ///< of a block, the largest one

    /// Adopts a plan, and begins the trial that it asks for.
    void begin(std::shared_ptr<const Plan> made) {
        plan = std::move(made);
        trial = plan->part.is_native()    ? Trial::without(Trial::Way::native)
                : plan->part.tries_native ? Trial()
                                          : Trial::without(Trial::Way::planned);
    }
    /// It is MPI's own from now on.
    [[nodiscard]] bool is_native() const {
        return trial.is_over() && trial.next() == Trial::Way::native;
    }
    /// Why a call is MPI's own.
    [[nodiscard]] std::string reason() const {
        return plan->part.is_native() ? plan->part.refusal : trial.finding();
    }
};

/// A call that was performed.
struct Performed {
    int code = MPI_SUCCESS;
    Trial::Way way = Trial::Way::native;
    Seconds elapsed{std::numeric_limits<double>::infinity()};
};

/// After each call of something that may be on trial: `elapsed` on this rank, which sent `bytes`.
/// The end of a round is where all ranks meet, over a communicator of our own; `name` is for the
/// log, once the trial is over. Throws MpiFailure.
void settle(Trial& trial, const std::string& name, Seconds elapsed, double bytes, MPI_Comm own,
            const Communicator& communicator, Process& process);

/// Performs a call by `native()` or `planned()`, as the trial says, and settles what it took, also
/// where it fails.
template <typename Native, typename Planned>
Performed perform_on_trial(Trial& trial, const std::string& name, double bytes, MPI_Comm own,
                           const Communicator& communicator, Process& process, const Native& native,
                           const Planned& planned) {
    Performed performed;
    performed.way = trial.next();
    const bool timed = process.reports() || trial.compares();
    const auto conclude = [&] {
        settle(trial, name, performed.elapsed, bytes, own, communicator, process);
    };
    try {
        const double start = timed ? PMPI_Wtime() : 0;
        if (performed.way == Trial::Way::native)
            performed.code = native();
        else
            planned();
        if (timed) performed.elapsed = Seconds(PMPI_Wtime() - start);
    } catch (const MpiFailure&) {
        conclude();
        throw;
    }
    conclude();
    return performed;
}

/// What the run's report is told of a call: `reason` why it was MPI's own, `tried` where there is a
/// plan.
template <typename Part>
void record_call(RunReport::Call key, const std::string& reason, const Tried<Part>* tried,
                 std::size_t ports, std::size_t gatherings, const Performed& performed,
                 Process& process) {
    key.algorithm = "native";
    RunReport::Expectation expectation;
    expectation.reason = reason;
    if (tried != nullptr) {
        const Part& part = tried->plan->part;
        if (performed.way == Trial::Way::planned) {
            key.algorithm = part.algorithm;
            expectation.reason.clear();
            expectation.predicted = part.predicted;
            expectation.planned_bytes = tried->planned_bytes;
        }
        expectation.ports = ports;
        expectation.bound = part.bound;
        expectation.choice = tried->trial.finding();
        expectation.agreements = tried->trial.agreements();
        expectation.gatherings = gatherings;
    }
    process.record(key, expectation, performed.elapsed);
}

}  // namespace espalier::runtime
