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

/// The same of any argument; what is returned has to last until the call has returned.
template <typename Type>
auto handed_over(void* argument) {
    // Where handles are Fortran's, an address is enough.
    if constexpr (std::is_same_v<Type, MPI_Request*> && !std::is_same_v<MPI_Request, MPI_Fint>)
        return RequestOf(argument);
    else
        return argument_of<Type>(argument);
}

/// `Function` of C, called with Fortran's arguments, one for each of its parameters; `error` may be
/// left out.
template <auto Function, typename... Pointers>
void call(MPI_Fint* error, Pointers... arguments) {
    const int code = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Function(handed_over<Parameter<Function, I>>(arguments)...);
    }
    (std::index_sequence_for<Pointers...>{});
    if (error != nullptr) *error = code;
}

}  // namespace espalier::runtime::fortran
