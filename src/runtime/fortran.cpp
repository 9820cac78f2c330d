#include "runtime/collective_table.hpp"

#if defined(ESPALIER_MPI_OPENMPI) || defined(ESPALIER_MPI_MPICH)

#include "runtime/communicators.hpp"
#include "runtime/fortran.hpp"
#include "runtime/neighbours.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

// Fortran's calls, where its bindings go past the C symbols: all of Open MPI's, and in MPICH those
// of mpi_f08 that have no buffer. (MPICH's others call MPI_Bcast and the like.) They do what the
// library's own do, with the C calls of this library in place of PMPI_.

namespace espalier::runtime::fortran {

namespace {

/// Logical values as C has them.
std::vector<int> truths(const void* logicals, int count) {
    const auto* values = static_cast<const MPI_Fint*>(logicals);
    std::vector<int> truths;
    for (int k = 0; k < count; ++k) truths.push_back(values[k] != 0 ? 1 : 0);
    return truths;
}

/// Hands over the communicator that `create` makes.
template <typename Create>
void make_communicator(void* argument, MPI_Fint* error, const Create& create) {
    MPI_Comm made = MPI_COMM_NULL;
    const int code = create(&made);
    if (code == MPI_SUCCESS) *static_cast<MPI_Fint*>(argument) = PMPI_Comm_c2f(made);
    if (error != nullptr) *error = code;
}

void create_grid(void* comm, void* dimensions, void* sides, void* wraps, void* reorders, void* grid,
                 MPI_Fint* error) {
    const int count = argument_of<int>(dimensions);
    const std::vector<int> all_wrap = truths(wraps, count);
    make_communicator(grid, error, [&](MPI_Comm* made) {
        return MPI_Cart_create(argument_of<MPI_Comm>(comm), count, static_cast<const int*>(sides),
                               all_wrap.data(), truths(reorders, 1).front(), made);
    });
}

void create_graph(void* comm, void* nodes, void* ends, void* others, void* reorders, void* graph,
                  MPI_Fint* error) {
    make_communicator(graph, error, [&](MPI_Comm* made) {
        return MPI_Graph_create(argument_of<MPI_Comm>(comm), argument_of<int>(nodes),
                                static_cast<const int*>(ends), static_cast<const int*>(others),
                                truths(reorders, 1).front(), made);
    });
}

/// Calls C with the requests at an address, which are Fortran's again when it has returned.
template <typename Call>
void with_requests(void* argument, int count, MPI_Fint* error, const Call& call) {
    auto* const handles = static_cast<MPI_Fint*>(argument);
    std::vector<MPI_Request> requests;
    for (int k = 0; k < count; ++k) requests.push_back(PMPI_Request_f2c(handles[k]));
    const int code = call(requests.data());
    for (int k = 0; k < count; ++k)
        handles[k] = PMPI_Request_c2f(requests[static_cast<std::size_t>(k)]);
    if (error != nullptr) *error = code;
}

void start(void* request, MPI_Fint* error) { with_requests(request, 1, error, MPI_Start); }

void start_all(void* count, void* requests, MPI_Fint* error) {
    const int all = argument_of<int>(count);
    with_requests(requests, all, error,
                  [&](MPI_Request* started) { return MPI_Startall(all, started); });
}

void free_request(void* request, MPI_Fint* error) {
    with_requests(request, 1, error, MPI_Request_free);
}

}  // namespace

}  // namespace espalier::runtime::fortran

#ifdef ESPALIER_MPI_OPENMPI

// Common blocks of Open MPI's mpif.h and of its modules, as the compilers that it may have been
// built for spell them: it has those of one. Whatever object the loader takes them from, all
// objects of a process have the same.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): Open MPI's names
extern int mpi_fortran_bottom [[gnu::weak]];
extern int mpi_fortran_bottom_ [[gnu::weak]];
extern int mpi_fortran_bottom__ [[gnu::weak]];
extern int MPI_FORTRAN_BOTTOM [[gnu::weak]];
extern int mpi_fortran_in_place [[gnu::weak]];
extern int mpi_fortran_in_place_ [[gnu::weak]];
extern int mpi_fortran_in_place__ [[gnu::weak]];
extern int MPI_FORTRAN_IN_PLACE [[gnu::weak]];
extern int mpi_fortran_unweighted [[gnu::weak]];
extern int mpi_fortran_unweighted_ [[gnu::weak]];
extern int mpi_fortran_unweighted__ [[gnu::weak]];
extern int MPI_FORTRAN_UNWEIGHTED [[gnu::weak]];
extern int mpi_fortran_weights_empty [[gnu::weak]];
extern int mpi_fortran_weights_empty_ [[gnu::weak]];
extern int mpi_fortran_weights_empty__ [[gnu::weak]];
extern int MPI_FORTRAN_WEIGHTS_EMPTY [[gnu::weak]];
// NOLINTEND(readability-identifier-naming)
}

namespace espalier::runtime::fortran {

namespace {

/// Whether an argument is one of the addresses that mean something of their own.
bool is_one_of(const void* argument, std::initializer_list<const int*> spellings) {
    return argument != nullptr && std::ranges::find(spellings, argument) != spellings.end();
}

/// Weights of edges, where Fortran's MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY become C's.
const int* weights_of(void* argument) {
    if (is_one_of(argument, {&mpi_fortran_unweighted, &mpi_fortran_unweighted_,
                             &mpi_fortran_unweighted__, &MPI_FORTRAN_UNWEIGHTED}))
        return MPI_UNWEIGHTED;
    if (is_one_of(argument, {&mpi_fortran_weights_empty, &mpi_fortran_weights_empty_,
                             &mpi_fortran_weights_empty__, &MPI_FORTRAN_WEIGHTS_EMPTY}))
        return MPI_WEIGHTS_EMPTY;
    return static_cast<const int*>(argument);
}

}  // namespace

void* buffer_of(void* argument) {
    const auto is = [&](std::initializer_list<const int*> spellings) {
        return is_one_of(argument, spellings);
    };
    if (is({&mpi_fortran_in_place, &mpi_fortran_in_place_, &mpi_fortran_in_place__,
            &MPI_FORTRAN_IN_PLACE}))
        return MPI_IN_PLACE;
    if (is({&mpi_fortran_bottom, &mpi_fortran_bottom_, &mpi_fortran_bottom__, &MPI_FORTRAN_BOTTOM}))
        return MPI_BOTTOM;
    return argument;
}

namespace {

/// The library's own `symbol`, or that of a tool that is loaded after us. Where the bindings were
/// loaded for one library only, as Python does for its extensions, they are among what that one
/// depends on: `caller` is in it.
void* find_own(const char* symbol, void* caller) {
    if (void* own = dlsym(RTLD_NEXT, symbol)) return own;
    Dl_info info{};
    if (dladdr(caller, &info) != 0) {
        if (void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) {
            void* own = dlsym(library, symbol);
            dlclose(library);
            if (own != nullptr) return own;
        }
    }
    std::fprintf(stderr, "espalier: the MPI library of %s has no %s\n",
                 info.dli_fname != nullptr ? info.dli_fname : "this program", symbol);
    std::abort();
}

template <typename... Pointers>
void pass(const char* symbol, void* caller, std::atomic<void*>& own, Pointers... arguments) {
    void* function = own.load(std::memory_order_relaxed);
    if (function == nullptr) own.store(function = find_own(symbol, caller));
    reinterpret_cast<void (*)(Pointers...)>(function)(arguments...);
}

}  // namespace

}  // namespace espalier::runtime::fortran

// `lower`_ is gfortran's spelling, for mpif.h and `use mpi`; others are those of other compilers;
// the module mpi_f08 calls ompi_…_f.
#define ESPALIER_SPELLINGS(n, lower, upper)                                                \
    extern "C" {                                                                           \
    void lower(ESPALIER_POINTERS(n), MPI_Fint*) __attribute__((alias(#lower "_")));        \
    void lower##__(ESPALIER_POINTERS(n), MPI_Fint*) __attribute__((alias(#lower "_")));    \
    void upper(ESPALIER_POINTERS(n), MPI_Fint*) __attribute__((alias(#lower "_")));        \
    void o##lower##_f(ESPALIER_POINTERS(n), MPI_Fint*) __attribute__((alias(#lower "_"))); \
    }

#define ESPALIER_FORTRAN(n, name, lower, upper)                           \
    extern "C" void lower##_(ESPALIER_POINTERS(n), MPI_Fint* error) {     \
        espalier::runtime::fortran::call<name>(error, ESPALIER_NAMED(n)); \
    }                                                                     \
    ESPALIER_SPELLINGS(n, lower, upper)

#define ESPALIER_FORTRAN_AFTER(n, prepare, lower, upper)                                  \
    extern "C" void lower##_(ESPALIER_POINTERS(n), MPI_Fint* error) {                     \
        static std::atomic<void*> own = nullptr;                                          \
        espalier::runtime::prepare(espalier::runtime::fortran::argument_of<MPI_Comm>(a)); \
        espalier::runtime::fortran::pass(#lower "_", __builtin_return_address(0), own,    \
                                         ESPALIER_NAMED(n), error);                       \
    }                                                                                     \
    ESPALIER_SPELLINGS(n, lower, upper)

ESPALIER_FORTRAN_AFTER(3, leave_while_duplicated, mpi_comm_idup, MPI_COMM_IDUP)
ESPALIER_FORTRAN_AFTER(1, complete_before_the_end, mpi_comm_free, MPI_COMM_FREE)
ESPALIER_FORTRAN_AFTER(1, complete_before_the_end, mpi_comm_disconnect, MPI_COMM_DISCONNECT)

ESPALIER_PLANNED_CALLS(ESPALIER_FORTRAN)
ESPALIER_NONBLOCKING_CALLS(ESPALIER_FORTRAN)
ESPALIER_PERSISTENT_CALLS(ESPALIER_FORTRAN)

extern "C" void mpi_start_(void* request, MPI_Fint* error) {
    espalier::runtime::fortran::start(request, error);
}
ESPALIER_SPELLINGS(1, mpi_start, MPI_START)

extern "C" void mpi_startall_(void* count, void* requests, MPI_Fint* error) {
    espalier::runtime::fortran::start_all(count, requests, error);
}
ESPALIER_SPELLINGS(2, mpi_startall, MPI_STARTALL)

extern "C" void mpi_request_free_(void* request, MPI_Fint* error) {
    espalier::runtime::fortran::free_request(request, error);
}
ESPALIER_SPELLINGS(1, mpi_request_free, MPI_REQUEST_FREE)

extern "C" void mpi_cart_create_(ESPALIER_POINTERS(6), MPI_Fint* error) {
    espalier::runtime::fortran::create_grid(ESPALIER_NAMED(6), error);
}
ESPALIER_SPELLINGS(6, mpi_cart_create, MPI_CART_CREATE)

extern "C" void mpi_graph_create_(ESPALIER_POINTERS(6), MPI_Fint* error) {
    espalier::runtime::fortran::create_graph(ESPALIER_NAMED(6), error);
}
ESPALIER_SPELLINGS(6, mpi_graph_create, MPI_GRAPH_CREATE)

extern "C" void mpi_dist_graph_create_(ESPALIER_POINTERS(9), MPI_Fint* error) {
    using namespace espalier::runtime::fortran;
    make_communicator(j, error, [&](MPI_Comm* made) {
        return MPI_Dist_graph_create(
            argument_of<MPI_Comm>(a), argument_of<int>(b), static_cast<const int*>(c),
            static_cast<const int*>(d), static_cast<const int*>(e), weights_of(g),
            PMPI_Info_f2c(*static_cast<const MPI_Fint*>(h)), truths(i, 1).front(), made);
    });
}
ESPALIER_SPELLINGS(9, mpi_dist_graph_create, MPI_DIST_GRAPH_CREATE)

extern "C" void mpi_dist_graph_create_adjacent_(ESPALIER_POINTERS(10), MPI_Fint* error) {
    using namespace espalier::runtime::fortran;
    make_communicator(k, error, [&](MPI_Comm* made) {
        return MPI_Dist_graph_create_adjacent(
            argument_of<MPI_Comm>(a), argument_of<int>(b), static_cast<const int*>(c),
            weights_of(d), argument_of<int>(e), static_cast<const int*>(g), weights_of(h),
            PMPI_Info_f2c(*static_cast<const MPI_Fint*>(i)), truths(j, 1).front(), made);
    });
}
ESPALIER_SPELLINGS(10, mpi_dist_graph_create_adjacent, MPI_DIST_GRAPH_CREATE_ADJACENT)

extern "C" void mpi_init_(MPI_Fint* error) {
    const int code = MPI_Init(nullptr, nullptr);
    if (error != nullptr) *error = code;
}

extern "C" void mpi_init_thread_(void* required, void* provided, MPI_Fint* error) {
    const int code = MPI_Init_thread(nullptr, nullptr, *static_cast<const MPI_Fint*>(required),
                                     static_cast<MPI_Fint*>(provided));
    if (error != nullptr) *error = code;
}

extern "C" {
void mpi_init(MPI_Fint*) __attribute__((alias("mpi_init_")));
void mpi_init__(MPI_Fint*) __attribute__((alias("mpi_init_")));
void MPI_INIT(MPI_Fint*) __attribute__((alias("mpi_init_")));
void ompi_init_f(MPI_Fint*) __attribute__((alias("mpi_init_")));
}
ESPALIER_SPELLINGS(2, mpi_init_thread, MPI_INIT_THREAD)

#else

namespace espalier::runtime::fortran {

void* buffer_of(void* argument) { return argument; }

}  // namespace espalier::runtime::fortran

extern "C" void mpi_init_f08_(MPI_Fint* error) {
    const int code = MPI_Init(nullptr, nullptr);
    if (error != nullptr) *error = code;
}

extern "C" void mpi_init_thread_f08_(void* required, void* provided, MPI_Fint* error) {
    const int code = MPI_Init_thread(nullptr, nullptr, *static_cast<const MPI_Fint*>(required),
                                     static_cast<MPI_Fint*>(provided));
    if (error != nullptr) *error = code;
}

extern "C" void mpi_barrier_f08_(void* comm, MPI_Fint* error) {
    espalier::runtime::fortran::call<MPI_Barrier>(error, comm);
}

extern "C" void mpi_cart_create_f08_(void* comm, void* dimensions, void* sides, void* wraps,
                                     void* reorders, void* grid, MPI_Fint* error) {
    espalier::runtime::fortran::create_grid(comm, dimensions, sides, wraps, reorders, grid, error);
}

extern "C" void mpi_graph_create_f08_(void* comm, void* nodes, void* ends, void* others,
                                      void* reorders, void* graph, MPI_Fint* error) {
    espalier::runtime::fortran::create_graph(comm, nodes, ends, others, reorders, graph, error);
}

extern "C" void mpi_comm_free_f08_(MPI_Fint* comm, MPI_Fint* error) {
    MPI_Comm freed = PMPI_Comm_f2c(*comm);
    const int code = MPI_Comm_free(&freed);
    *comm = PMPI_Comm_c2f(freed);
    if (error != nullptr) *error = code;
}

extern "C" void mpi_ibarrier_f08_(void* comm, void* request, MPI_Fint* error) {
    espalier::runtime::fortran::call<MPI_Ibarrier>(error, comm, request);
}

extern "C" void mpi_start_f08_(void* request, MPI_Fint* error) {
    espalier::runtime::fortran::start(request, error);
}

extern "C" void mpi_startall_f08_(void* count, void* requests, MPI_Fint* error) {
    espalier::runtime::fortran::start_all(count, requests, error);
}

extern "C" void mpi_request_free_f08_(void* request, MPI_Fint* error) {
    espalier::runtime::fortran::free_request(request, error);
}

#if MPI_VERSION >= 4
extern "C" void mpi_barrier_init_f08_(void* comm, void* info, void* request, MPI_Fint* error) {
    espalier::runtime::fortran::call<MPI_Barrier_init>(error, comm, info, request);
}
#endif

#endif

#endif
