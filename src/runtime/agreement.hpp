#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <vector>

namespace espalier::runtime {

/// What all ranks of a communicator told each other, of which the greatest counts: begun by all of
/// them at one call, and heard at a later one, so that nobody has to wait.
class Agreement {
public:
    Agreement() = default;
    Agreement(Agreement&&) = default;
    /// Of a duplicate of the communicator: nothing is under way there.
    Agreement(const Agreement&) {}
    Agreement& operator=(const Agreement&) = delete;
    Agreement& operator=(Agreement&&) = delete;
    /// Waits until it is over.
    ~Agreement();

    /// Tells them, while nothing is under way; collective over `comm`, a private communicator.
    /// Throws MpiFailure.
    void tell(std::span<const double> own, MPI_Comm comm);
    [[nodiscard]] bool is_under_way() const { return under_way_ != nullptr; }
    /// The greatest of each; collective. Throws MpiFailure.
    [[nodiscard]] std::vector<double> hear();

private:
    struct UnderWay {
        std::vector<double> own;
        std::vector<double> greatest;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    std::unique_ptr<UnderWay> under_way_;  ///< MPI knows the place of its lists
};

}  // namespace espalier::runtime
