#pragma once

#include "runtime/executor.hpp"
#include "runtime/host_copies.hpp"
#include "runtime/layout.hpp"
#include "runtime/plans.hpp"

#include <memory>
#include <optional>

namespace espalier::runtime {

class Process;

/// By what a nonblocking call is done: a plan, or MPI's own.
struct Way {
    std::shared_ptr<const Plans::Plan> plan;
    Bandit::Variant variant = Bandit::native;

    /// What is predicted to be the fastest of a plan's variants and MPI's own, and can be done
    /// without waiting. The same on all ranks.
    [[nodiscard]] static Way predicted(std::shared_ptr<const Plans::Plan> plan);
    /// What blocking calls of the signature have brought so far, if it can be done so.
    [[nodiscard]] static Way of(const Signature& signature, const Plans::Entry& entry);
    [[nodiscard]] bool is_native() const { return variant == Bandit::native; }
};

/// A plan that this rank follows without waiting, in one call at a time. It keeps its tables from
/// call to call.
class PlanUnderWay {
public:
    /// Does what can be done at once. `way`, `seat` and `operands` have to last until it is over.
    /// Throws MpiFailure.
    void begin(const Way& way, const Seat& seat, const Operands& operands, Process& process);
    /// Does what can be done since; whether all is. Throws MpiFailure.
    [[nodiscard]] bool poll();
    /// Lets go of what was lent to the call, which is over or has failed.
    void end();

private:
    std::optional<HostCopies> buffers_;
    std::optional<Layout> layout_;
    Executor executor_;
};

}  // namespace espalier::runtime
