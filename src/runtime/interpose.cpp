#include "runtime/calls.hpp"
#include "runtime/communicator.hpp"
#include "runtime/neighbours.hpp"

#include <mpi.h>

#include <tuple>

// The MPI calls that a program finds here before it finds the library's own.

namespace {

/// The communicator is the last of a collective's parameters; the request of one that returns at
/// once comes behind it.
template <std::size_t behind, typename... Arguments>
bool is_known_native(Arguments... arguments) {
    return espalier::runtime::Communicator::is_known_native(
        std::get<sizeof...(arguments) - 1 - behind>(std::tie(arguments...)));
}

}  // namespace

// First of all, and with nothing else to do after it: a few nanoseconds count here.
#define ESPALIER_INTERPOSE(n, name, lower, upper)                                    \
    extern "C" int name(ESPALIER_TYPED(n, ESPALIER_OWN(name))) {                     \
        if (is_known_native<0>(ESPALIER_NAMED(n)))                                   \
            return espalier::runtime::native<ESPALIER_OWN(name)>(ESPALIER_NAMED(n)); \
        return espalier::runtime::lower(ESPALIER_NAMED(n));                          \
    }

ESPALIER_PLANNED_CALLS(ESPALIER_INTERPOSE)

#define ESPALIER_INTERPOSE_NONBLOCKING(n, name, lower, upper)                        \
    extern "C" int name(ESPALIER_TYPED(n, ESPALIER_OWN(name))) {                     \
        if (is_known_native<1>(ESPALIER_NAMED(n)))                                   \
            return espalier::runtime::native<ESPALIER_OWN(name)>(ESPALIER_NAMED(n)); \
        return espalier::runtime::lower(ESPALIER_NAMED(n));                          \
    }

ESPALIER_NONBLOCKING_CALLS(ESPALIER_INTERPOSE_NONBLOCKING)
