#pragma once

#include "runtime/collective_table.hpp"

#include <mpi.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace espalier::runtime::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int), "counts of Fortran are counts of C");

/// A buffer, where Fortran's MPI_BOTTOM and MPI_IN_PLACE become C's.
[[nodiscard]] void* buffer_of(void* argument);

/// The C argument that stands at an address, by which Fortran hands over all arguments.
template <typename Type>
Type argument_of(void* argument) {
    if constexpr (std::is_same_v<Type, void*> || std::is_same_v<Type, const void*>) {
        return buffer_of(argument);
    } else if constexpr (std::is_same_v<Type, const int*> || std::is_same_v<Type, int*>) {
        return static_cast<Type>(argument);
    } else {
        const MPI_Fint value = *static_cast<const MPI_Fint*>(argument);
        if constexpr (std::is_same_v<Type, int>)
            return value;
        else if constexpr (std::is_same_v<Type, MPI_Datatype>)
            return PMPI_Type_f2c(value);
        else if constexpr (std::is_same_v<Type, MPI_Op>)
            return PMPI_Op_f2c(value);
        else
            return PMPI_Comm_f2c(value);
    }
}

/// `Function` of C, called with Fortran's arguments, one for each of its parameters; `error` may be
/// left out.
template <auto Function, typename... Pointers>
void call(MPI_Fint* error, Pointers... arguments) {
    const int code = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Function(argument_of<Parameter<Function, I>>(arguments)...);
    }
    (std::index_sequence_for<Pointers...>{});
    if (error != nullptr) *error = code;
}

}  // namespace espalier::runtime::fortran
