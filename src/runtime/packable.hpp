#pragma once

#include "runtime/failure.hpp"

#include <mpi.h>

namespace espalier::runtime {

/// Elements as MPI_Pack and MPI_Unpack take them. MPICH's refuse MPI_BOTTOM: what is addressed from
/// there is addressed from its first byte of data instead, by a type of its own.
class Packable {
public:
    /// Throws MpiFailure.
    Packable(void* row, int count, MPI_Datatype type) : address_(row), count_(count), type_(type) {
        if (row != MPI_BOTTOM || count == 0) return;
        MPI_Aint first = 0;
        MPI_Aint length = 0;
        check_handled(PMPI_Type_get_true_extent(type, &first, &length));
        const MPI_Aint back = -first;
        check_handled(PMPI_Type_create_hindexed(1, &count, &back, type, &type_));
        made_ = true;
        check_handled(PMPI_Type_commit(&type_));
        address_ = reinterpret_cast<void*>(first);
        count_ = 1;
    }
    ~Packable() {
        if (made_) PMPI_Type_free(&type_);
    }
    Packable(const Packable&) = delete;
    Packable& operator=(const Packable&) = delete;

    [[nodiscard]] void* address() const { return address_; }
    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] MPI_Datatype type() const { return type_; }

private:
    void* address_;
    int count_;
    MPI_Datatype type_;
    bool made_ = false;
};

}  // namespace espalier::runtime
