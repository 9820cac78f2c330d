#pragma once

#include "runtime/native_begin.hpp"
#include "runtime/operands.hpp"

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace espalier::runtime {

/// A side with arrays and a type of its own, which last as long as this does, whatever the program
/// does with its.
class KeptOperands {
public:
    /// Throws MpiFailure.
    KeptOperands(const Operands& of, int ranks);
    ~KeptOperands();
    KeptOperands(const KeptOperands&) = delete;
    KeptOperands& operator=(const KeptOperands&) = delete;

    [[nodiscard]] const Operands& get() const { return operands_; }
    /// `types`, those that MPI looks at replaced by what is kept.
    [[nodiscard]] Types types(const Types& types) const;

private:
    void keep(Side& side, std::size_t blocks);
    [[nodiscard]] MPI_Datatype kept(MPI_Datatype type);

    Operands operands_;
    std::vector<std::unique_ptr<std::byte[]>> arrays_;
    std::vector<std::unique_ptr<MPI_Datatype[]>> types_;
    std::vector<MPI_Datatype> made_;
};

}  // namespace espalier::runtime
