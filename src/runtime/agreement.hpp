#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <vector>

namespace espalier::runtime {

/// What all ranks of a communicator tell each other at one call, of which the greatest counts, and
/// hear at a later one. Where it is forgotten before, UnderWay keeps what MPI reads and writes.
class Agreement {
public:
    Agreement() = default;
    Agreement(Agreement&&) noexcept = default;
    /// Of a duplicate of the communicator: nothing is under way there.
    Agreement(const Agreement&) {}
    Agreement& operator=(const Agreement&) = delete;
    Agreement& operator=(Agreement&&) noexcept = default;
    ~Agreement() = default;

    /// Tells them, while nothing is under way; collective over `comm`. Throws MpiFailure.
    void tell(std::span<const double> own, MPI_Comm comm);
    [[nodiscard]] bool is_under_way() const { return told_ != nullptr; }
    /// The greatest of each; collective. Throws MpiFailure.
    [[nodiscard]] std::vector<double> hear();

private:
    struct Told {
        std::vector<double> own;
        std::vector<double> greatest;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    std::shared_ptr<Told> told_;
};

}  // namespace espalier::runtime
