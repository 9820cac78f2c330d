#pragma once

#include "runtime/collective_table.hpp"
#include "runtime/failure.hpp"
#include "runtime/topology.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace espalier::runtime::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int), "counts of Fortran are counts of C");

/// A buffer, where Fortran's MPI_BOTTOM and MPI_IN_PLACE become C's.
[[nodiscard]] void* buffer_of(void* argument);

/// The C argument that stands at an address, by which Fortran hands over all arguments.
template <typename Type>
Type argument_of(void* argument) {
    if constexpr (std::is_same_v<Type, void*> || std::is_same_v<Type, const void*>) {
        return buffer_of(argument);
    } else if constexpr (std::is_same_v<Type, const int*> || std::is_same_v<Type, int*> ||
                         std::is_same_v<Type, const MPI_Aint*>) {
        return static_cast<Type>(argument);
    } else {
        const MPI_Fint value = *static_cast<const MPI_Fint*>(argument);
        if constexpr (std::is_same_v<Type, int>)
            return value;
        else if constexpr (std::is_same_v<Type, MPI_Datatype>)
            return PMPI_Type_f2c(value);
        else if constexpr (std::is_same_v<Type, MPI_Op>)
            return PMPI_Op_f2c(value);
        else if constexpr (std::is_same_v<Type, MPI_Info>)
            return PMPI_Info_f2c(value);
        else
            return PMPI_Comm_f2c(value);
    }
}

/// The request that a C call returns, which becomes Fortran's when it has.
class RequestOf {
public:
    explicit RequestOf(void* argument) : argument_(static_cast<MPI_Fint*>(argument)) {}
    ~RequestOf() { *argument_ = PMPI_Request_c2f(made_); }
    RequestOf(const RequestOf&) = delete;
    RequestOf& operator=(const RequestOf&) = delete;
    operator MPI_Request*() { return &made_; }  // NOLINT(google-explicit-constructor)

private:
    MPI_Fint* argument_;
    MPI_Request made_ = MPI_REQUEST_NULL;
};

/// The number of ranks that a total exchange has blocks for; 0 where MPI can't say.
inline std::size_t ranks_of_exchange(MPI_Comm comm) {
    int between_groups = 0;
    int ranks = 0;
    if (PMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS) return 0;
    if ((between_groups != 0 ? PMPI_Comm_remote_size(comm, &ranks)
                             : PMPI_Comm_size(comm, &ranks)) != MPI_SUCCESS)
        return 0;
    return static_cast<std::size_t>(ranks);
}

/// The number of neighbours that this rank has blocks for, or has blocks of; 0 where MPI can't say.
inline std::size_t neighbours_of_exchange(MPI_Comm comm, bool are_targets) {
    try {
        const auto neighbours = neighbours_in(comm);
        if (!neighbours) return 0;
        return (are_targets ? neighbours->targets : neighbours->sources).size();
    } catch (const MpiFailure&) {
        return 0;
    }
}

/// An array of types, one for each block.
class TypesOf {
public:
    TypesOf(const void* argument, std::size_t blocks) {
        for (std::size_t block = 0; block < blocks; ++block)
            types_.push_back(PMPI_Type_f2c(static_cast<const MPI_Fint*>(argument)[block]));
    }
    // NOLINTNEXTLINE(google-explicit-constructor)
    operator const MPI_Datatype*() const { return types_.data(); }

private:
    std::vector<MPI_Datatype> types_;
};

/// Argument `Index` of `Function`; what is returned has to last until the call has returned.
template <auto Function, std::size_t Index, std::size_t Count>
auto handed_over(const std::array<void*, Count>& arguments) {
    using Type = Parameter<Function, Index>;
    // Where handles are Fortran's, an address is enough.
    if constexpr (std::is_same_v<Type, MPI_Request*> && !std::is_same_v<MPI_Request, MPI_Fint>) {
        return RequestOf(arguments[Index]);
    } else if constexpr (std::is_same_v<Type, const MPI_Datatype*> &&
                         !std::is_same_v<MPI_Datatype, MPI_Fint>) {
        // Of an MPI_Alltoallw: buffer, counts, displacements, types, the same again, communicator.
        constexpr std::size_t input_types = 3;
        const auto comm = argument_of<MPI_Comm>(arguments[8]);
        // An exchange between neighbours has its displacements as addresses.
        constexpr bool among_neighbours =
            std::is_same_v<Parameter<Function, Index - 1>, const MPI_Aint*>;
        if constexpr (among_neighbours) {
            return TypesOf(arguments[Index], neighbours_of_exchange(comm, Index == input_types));
        } else {
            // Of a side that is in place there are none.
            const bool in_place = buffer_of(arguments[Index - 3]) == MPI_IN_PLACE;
            return TypesOf(arguments[Index], in_place ? 0 : ranks_of_exchange(comm));
        }
    } else {
        return argument_of<Type>(arguments[Index]);
    }
}

/// `Function` of C, called with Fortran's arguments, one for each of its parameters; `error` may be
/// left out.
template <auto Function, typename... Pointers>
void call(MPI_Fint* error, Pointers... arguments) {
    const std::array<void*, sizeof...(arguments)> all{arguments...};
    const int code = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Function(handed_over<Function, I>(all)...);
    }
    (std::index_sequence_for<Pointers...>{});
    if (error != nullptr) *error = code;
}

}  // namespace espalier::runtime::fortran
