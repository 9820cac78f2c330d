#pragma once

#include <mpi.h>
#if defined(ESPALIER_MPI_OPENMPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstddef>
#include <tuple>

// MPI's collectives by name, and what it takes to define a function for each without writing its
// parameters down: their types come from the library's own declarations.

/// Rows X(Y, number of parameters, name, name in lower case, name in upper case).
#define ESPALIER_COLLECTIVES_OF_DATA(X, Y)                                    \
    X(Y, 5, Bcast, bcast, BCAST)                                              \
    X(Y, 7, Reduce, reduce, REDUCE)                                           \
    X(Y, 6, Allreduce, allreduce, ALLREDUCE)                                  \
    X(Y, 8, Scatter, scatter, SCATTER)                                        \
    X(Y, 9, Scatterv, scatterv, SCATTERV)                                     \
    X(Y, 8, Gather, gather, GATHER)                                           \
    X(Y, 9, Gatherv, gatherv, GATHERV)                                        \
    X(Y, 7, Allgather, allgather, ALLGATHER)                                  \
    X(Y, 8, Allgatherv, allgatherv, ALLGATHERV)                               \
    X(Y, 6, Reduce_scatter, reduce_scatter, REDUCE_SCATTER)                   \
    X(Y, 6, Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK) \
    X(Y, 7, Alltoall, alltoall, ALLTOALL)                                     \
    X(Y, 9, Alltoallv, alltoallv, ALLTOALLV)                                  \
    X(Y, 9, Alltoallw, alltoallw, ALLTOALLW)                                  \
    X(Y, 6, Scan, scan, SCAN)                                                 \
    X(Y, 6, Exscan, exscan, EXSCAN)
#define ESPALIER_COLLECTIVES_OF_NOTHING(X, Y) X(Y, 1, Barrier, barrier, BARRIER)
#define ESPALIER_COLLECTIVES_OF_NEIGHBOURS(X, Y)                           \
    X(Y, 7, Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER)    \
    X(Y, 8, Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOR_ALLGATHERV) \
    X(Y, 7, Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL)       \
    X(Y, 9, Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOR_ALLTOALLV)    \
    X(Y, 9, Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOR_ALLTOALLW)

/// The forms of a collective. One that returns at once has one parameter more, the request; a
/// persistent one two, of which the other is the info.
#define ESPALIER_ITSELF(Y, n, name, lower, upper) Y(n, MPI_##name, mpi_##lower, MPI_##upper)
#define ESPALIER_NONBLOCKING(Y, n, name, lower, upper) \
    Y(ESPALIER_PLUS_1(n), MPI_I##lower, mpi_i##lower, MPI_I##upper)
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define ESPALIER_INITIALIZATION(name) MPIX_##name##_init
#define ESPALIER_PERSISTENT(Y, n, name, lower, upper) \
    Y(ESPALIER_PLUS_2(n), MPIX_##name##_init, mpix_##lower##_init, MPIX_##upper##_INIT)
#elif MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define ESPALIER_INITIALIZATION(name) MPI_##name##_init
#define ESPALIER_PERSISTENT(Y, n, name, lower, upper) \
    Y(ESPALIER_PLUS_2(n), MPI_##name##_init, mpi_##lower##_init, MPI_##upper##_INIT)
#else
#define ESPALIER_PERSISTENT(Y, n, name, lower, upper)
#endif
#if MPI_VERSION >= 4
/// The variants whose counts are of type MPI_Count.
#define ESPALIER_LARGE(Y, n, name, lower, upper) \
    Y(n, MPI_##name##_c, mpi_##lower##_c, MPI_##upper##_C)
#define ESPALIER_LARGE_NONBLOCKING(Y, n, name, lower, upper) \
    Y(ESPALIER_PLUS_1(n), MPI_I##lower##_c, mpi_i##lower##_c, MPI_I##upper##_C)
#define ESPALIER_LARGE_PERSISTENT(Y, n, name, lower, upper) \
    Y(ESPALIER_PLUS_2(n), MPI_##name##_init_c, mpi_##lower##_init_c, MPI_##upper##_INIT_C)
#else
#define ESPALIER_LARGE(Y, n, name, lower, upper)
#define ESPALIER_LARGE_NONBLOCKING(Y, n, name, lower, upper)
#define ESPALIER_LARGE_PERSISTENT(Y, n, name, lower, upper)
#endif

/// Y(number of parameters, MPI_Bcast, mpi_bcast, MPI_BCAST) for each call that is planned,
#define ESPALIER_PLANNED_CALLS(Y)             \
    ESPALIER_EACH_OF_DATA(ESPALIER_ITSELF, Y) \
    ESPALIER_COLLECTIVES_OF_NOTHING(ESPALIER_ITSELF, Y)
/// for each that is planned and returns at once,
#define ESPALIER_NONBLOCKING_CALLS(Y)              \
    ESPALIER_EACH_OF_DATA(ESPALIER_NONBLOCKING, Y) \
    ESPALIER_COLLECTIVES_OF_NOTHING(ESPALIER_NONBLOCKING, Y)
/// for each that makes a request to be started again and again, where the library has such,
#define ESPALIER_PERSISTENT_CALLS(Y)              \
    ESPALIER_EACH_OF_DATA(ESPALIER_PERSISTENT, Y) \
    ESPALIER_COLLECTIVES_OF_NOTHING(ESPALIER_PERSISTENT, Y)
/// and for those of all three whose counts are of type MPI_Count, where it has them.
#define ESPALIER_LARGE_CALLS(Y) ESPALIER_EACH_OF_DATA(ESPALIER_LARGE, Y)
#define ESPALIER_LARGE_NONBLOCKING_CALLS(Y) ESPALIER_EACH_OF_DATA(ESPALIER_LARGE_NONBLOCKING, Y)
#define ESPALIER_LARGE_PERSISTENT_CALLS(Y) ESPALIER_EACH_OF_DATA(ESPALIER_LARGE_PERSISTENT, Y)
#define ESPALIER_EACH_OF_DATA(X, Y)    \
    ESPALIER_COLLECTIVES_OF_DATA(X, Y) \
    ESPALIER_COLLECTIVES_OF_NEIGHBOURS(X, Y)

/// The library's own: PMPI_Bcast of MPI_Bcast.
#define ESPALIER_OWN(name) ESPALIER_JOIN(P, name)
/// Declares it as one that the library need not have: nullptr where it has none.
#define ESPALIER_MAY_LACK(name) \
    extern "C" decltype(ESPALIER_OWN(name)) ESPALIER_OWN(name) [[gnu::weak]];

#define ESPALIER_JOIN(a, b) ESPALIER_JOIN_NOW(a, b)
#define ESPALIER_JOIN_NOW(a, b) a##b
#define ESPALIER_TEXT(name) ESPALIER_TEXT_NOW(name)
#define ESPALIER_TEXT_NOW(name) #name

#define ESPALIER_PLUS_1(n) ESPALIER_JOIN(ESPALIER_AFTER_, n)
#define ESPALIER_PLUS_2(n) ESPALIER_PLUS_1(ESPALIER_PLUS_1(n))
#define ESPALIER_AFTER_1 2
#define ESPALIER_AFTER_2 3
#define ESPALIER_AFTER_3 4
#define ESPALIER_AFTER_5 6
#define ESPALIER_AFTER_6 7
#define ESPALIER_AFTER_7 8
#define ESPALIER_AFTER_8 9
#define ESPALIER_AFTER_9 10
#define ESPALIER_AFTER_10 11
#define ESPALIER_AFTER_11 12

#ifndef ESPALIER_MPI_SMPI
// Other versions of the library that this is built with, which a program may load under the same
// name, have other sets of these.
#define ESPALIER_MAY_LACK_ROW(n, name, lower, upper) ESPALIER_MAY_LACK(name)
ESPALIER_PERSISTENT_CALLS(ESPALIER_MAY_LACK_ROW)
ESPALIER_LARGE_CALLS(ESPALIER_MAY_LACK_ROW)
ESPALIER_LARGE_NONBLOCKING_CALLS(ESPALIER_MAY_LACK_ROW)
ESPALIER_LARGE_PERSISTENT_CALLS(ESPALIER_MAY_LACK_ROW)
#endif

namespace espalier::runtime {

/// An argument as Fortran hands it over.
using Address = void*;

template <typename Function>
struct ParametersOf;
template <typename... Parameters>
struct ParametersOf<int (*)(Parameters...)> {
    using Tuple = std::tuple<Parameters...>;
};

/// The type of a function's parameter `Index`.
template <auto Function, std::size_t Index>
using Parameter = std::tuple_element_t<Index, typename ParametersOf<decltype(Function)>::Tuple>;

}  // namespace espalier::runtime

/// Declarations of the first n parameters of `own`, and their names: a, b, c, …
#define ESPALIER_TYPED(n, own) ESPALIER_JOIN(ESPALIER_TYPED_, n)(own)
#define ESPALIER_NAMED(n) ESPALIER_JOIN(ESPALIER_NAMED_, n)
/// The parameters of a function all of whose arguments are pointers, as in Fortran.
#define ESPALIER_POINTERS(n) ESPALIER_JOIN(ESPALIER_POINTERS_, n)

#define ESPALIER_TYPED_1(f) espalier::runtime::Parameter<f, 0> a
#define ESPALIER_TYPED_2(f) ESPALIER_TYPED_1(f), espalier::runtime::Parameter<f, 1> b
#define ESPALIER_TYPED_3(f) ESPALIER_TYPED_2(f), espalier::runtime::Parameter<f, 2> c
#define ESPALIER_TYPED_4(f) ESPALIER_TYPED_3(f), espalier::runtime::Parameter<f, 3> d
#define ESPALIER_TYPED_5(f) ESPALIER_TYPED_4(f), espalier::runtime::Parameter<f, 4> e
#define ESPALIER_TYPED_6(f) ESPALIER_TYPED_5(f), espalier::runtime::Parameter<f, 5> g
#define ESPALIER_TYPED_7(f) ESPALIER_TYPED_6(f), espalier::runtime::Parameter<f, 6> h
#define ESPALIER_TYPED_8(f) ESPALIER_TYPED_7(f), espalier::runtime::Parameter<f, 7> i
#define ESPALIER_TYPED_9(f) ESPALIER_TYPED_8(f), espalier::runtime::Parameter<f, 8> j
#define ESPALIER_TYPED_10(f) ESPALIER_TYPED_9(f), espalier::runtime::Parameter<f, 9> k
#define ESPALIER_TYPED_11(f) ESPALIER_TYPED_10(f), espalier::runtime::Parameter<f, 10> l

#define ESPALIER_NAMED_1 a
#define ESPALIER_NAMED_2 ESPALIER_NAMED_1, b
#define ESPALIER_NAMED_3 ESPALIER_NAMED_2, c
#define ESPALIER_NAMED_4 ESPALIER_NAMED_3, d
#define ESPALIER_NAMED_5 ESPALIER_NAMED_4, e
#define ESPALIER_NAMED_6 ESPALIER_NAMED_5, g
#define ESPALIER_NAMED_7 ESPALIER_NAMED_6, h
#define ESPALIER_NAMED_8 ESPALIER_NAMED_7, i
#define ESPALIER_NAMED_9 ESPALIER_NAMED_8, j
#define ESPALIER_NAMED_10 ESPALIER_NAMED_9, k
#define ESPALIER_NAMED_11 ESPALIER_NAMED_10, l
#define ESPALIER_NAMED_12 ESPALIER_NAMED_11, m

#define ESPALIER_POINTERS_1 espalier::runtime::Address a
#define ESPALIER_POINTERS_2 ESPALIER_POINTERS_1, espalier::runtime::Address b
#define ESPALIER_POINTERS_3 ESPALIER_POINTERS_2, espalier::runtime::Address c
#define ESPALIER_POINTERS_4 ESPALIER_POINTERS_3, espalier::runtime::Address d
#define ESPALIER_POINTERS_5 ESPALIER_POINTERS_4, espalier::runtime::Address e
#define ESPALIER_POINTERS_6 ESPALIER_POINTERS_5, espalier::runtime::Address g
#define ESPALIER_POINTERS_7 ESPALIER_POINTERS_6, espalier::runtime::Address h
#define ESPALIER_POINTERS_8 ESPALIER_POINTERS_7, espalier::runtime::Address i
#define ESPALIER_POINTERS_9 ESPALIER_POINTERS_8, espalier::runtime::Address j
#define ESPALIER_POINTERS_10 ESPALIER_POINTERS_9, espalier::runtime::Address k
#define ESPALIER_POINTERS_11 ESPALIER_POINTERS_10, espalier::runtime::Address l
#define ESPALIER_POINTERS_12 ESPALIER_POINTERS_11, espalier::runtime::Address m
