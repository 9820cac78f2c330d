#include "runtime/calls.hpp"
#include "runtime/communicator.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/passing.hpp"

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>

// The MPI calls that a program finds here before it finds the library's own.

namespace {

/// The communicator is the last of a collective's parameters; the request of one that returns at
/// once comes behind it, and the info of a persistent one between them.
template <std::size_t behind, typename... Arguments>
bool is_known_native(Arguments... arguments) {
    return espalier::runtime::Communicator::is_known_native(
        std::get<sizeof...(arguments) - 1 - behind>(std::tie(arguments...)));
}

/// Makes a persistent request by `Nonblocking`, which has the same parameters but for the info.
template <auto Nonblocking, typename Arguments, std::size_t... I>
int initialize(const espalier::runtime::Initialization& own, const Arguments& arguments,
               std::index_sequence<I...>) {
    return Nonblocking(std::get<I>(arguments)..., std::get<sizeof...(I) + 1>(arguments), &own);
}

}  // namespace

// First of all, and with nothing else to do after it: a few nanoseconds count here.
#define ESPALIER_INTERPOSE_FORM(behind, n, name, lower, has_own)                     \
    extern "C" int name(ESPALIER_TYPED(n, ESPALIER_OWN(name))) {                     \
        has_own;                                                                     \
        if (is_known_native<behind>(ESPALIER_NAMED(n)))                              \
            return espalier::runtime::native<ESPALIER_OWN(name)>(ESPALIER_NAMED(n)); \
        return espalier::runtime::lower(ESPALIER_NAMED(n));                          \
    }
#define ESPALIER_DEMAND(name) espalier::runtime::demand<ESPALIER_OWN(name)>(ESPALIER_TEXT(name))

#define ESPALIER_INTERPOSE(n, name, lower, upper) \
    ESPALIER_INTERPOSE_FORM(0, n, name, lower, static_cast<void>(0))
#define ESPALIER_INTERPOSE_NONBLOCKING(n, name, lower, upper) \
    ESPALIER_INTERPOSE_FORM(1, n, name, lower, static_cast<void>(0))
#define ESPALIER_INTERPOSE_LARGE(n, name, lower, upper) \
    ESPALIER_INTERPOSE_FORM(0, n, name, lower, ESPALIER_DEMAND(name))
#define ESPALIER_INTERPOSE_LARGE_NONBLOCKING(n, name, lower, upper) \
    ESPALIER_INTERPOSE_FORM(1, n, name, lower, ESPALIER_DEMAND(name))

ESPALIER_PLANNED_CALLS(ESPALIER_INTERPOSE)
ESPALIER_NONBLOCKING_CALLS(ESPALIER_INTERPOSE_NONBLOCKING)
ESPALIER_LARGE_CALLS(ESPALIER_INTERPOSE_LARGE)
ESPALIER_LARGE_NONBLOCKING_CALLS(ESPALIER_INTERPOSE_LARGE_NONBLOCKING)

#ifdef ESPALIER_INITIALIZATION

#define ESPALIER_INTERPOSE_INITIALIZATION(n, name, nonblocking)                             \
    extern "C" int name(ESPALIER_TYPED(n, ESPALIER_OWN(name))) {                            \
        ESPALIER_DEMAND(name);                                                              \
        const auto own = [&] {                                                              \
            return espalier::runtime::native<ESPALIER_OWN(name)>(ESPALIER_NAMED(n));        \
        };                                                                                  \
        if (is_known_native<2>(ESPALIER_NAMED(n))) {                                        \
            espalier::runtime::note_passed(ESPALIER_TEXT(name));                            \
            return own();                                                                   \
        }                                                                                   \
        return initialize<espalier::runtime::nonblocking>(                                  \
            {ESPALIER_TEXT(name), std::ref(own)}, std::forward_as_tuple(ESPALIER_NAMED(n)), \
            std::make_index_sequence<(n)-2>());                                             \
    }
#define ESPALIER_INTERPOSE_PERSISTENT(Y, n, name, lower, upper)                          \
    ESPALIER_INTERPOSE_INITIALIZATION(ESPALIER_PLUS_2(n), ESPALIER_INITIALIZATION(name), \
                                      mpi_i##lower)
#define ESPALIER_INTERPOSE_LARGE_PERSISTENT(Y, n, name, lower, upper) \
    ESPALIER_INTERPOSE_INITIALIZATION(ESPALIER_PLUS_2(n), MPI_##name##_init_c, mpi_i##lower##_c)

ESPALIER_EACH_OF_DATA(ESPALIER_INTERPOSE_PERSISTENT, )
ESPALIER_COLLECTIVES_OF_NOTHING(ESPALIER_INTERPOSE_PERSISTENT, )
#if MPI_VERSION >= 4
ESPALIER_EACH_OF_DATA(ESPALIER_INTERPOSE_LARGE_PERSISTENT, )
#endif

#endif
