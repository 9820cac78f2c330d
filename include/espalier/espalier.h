/*
 * Espalier from C, and from whatever calls C: networks, plans, questions about them, and about the
 * run of the MPI program that asks.
 *
 * Link with libespalier-c (pkg-config espalier-c). Nothing of C++ is in the interface.
 *
 * Handles. A network, a plan or what is known of a run is an immutable value behind an opaque
 * pointer. The caller frees it, once; a text or an array that a function returns belongs to its
 * handle and lives as long. A plan does not need its network any more.
 *
 * Errors. A function that can fail returns an espalier_status, and sets its results only if that is
 * ESPALIER_OK; espalier_last_error() then says in one line what was wrong. Of a null handle and of
 * an index that is out of range, functions that can not fail return 0, NULL or NaN.
 *
 * Threads. Any function may be called by any thread at any time, also with one handle in several
 * threads at once, but for espalier_*_free(), which must be the last call with its handle. Errors
 * are kept for each thread by itself.
 *
 * Versions. ESPALIER_C_VERSION is what a program was compiled with, espalier_version() what runs. A
 * library of a greater version runs programs of all earlier ones; functions are added, never
 * changed.
 *
 * Units. Times are in seconds (in a sender network, in the network's own unit), sizes in bytes,
 * rates in bytes per second. Matrices are row by row, and row i, column j is from i to j.
 */
#ifndef ESPALIER_ESPALIER_H
#define ESPALIER_ESPALIER_H

#include <stddef.h>
#include <stdint.h>

#define ESPALIER_C_VERSION 1

#if defined(__GNUC__)
#define ESPALIER_C_API __attribute__((visibility("default")))
#else
#define ESPALIER_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum espalier_status {
    ESPALIER_OK = 0,
    ESPALIER_FAULT = 1,  /* a fault of espalier's own, or no memory */
    ESPALIER_INPUT = 2,  /* bad input: file, option or argument, and what is wrong with it */
    ESPALIER_INVALID = 3 /* something was checked, and does not hold */
} espalier_status;

typedef struct espalier_network espalier_network;
typedef struct espalier_plan espalier_plan;
typedef struct espalier_run espalier_run;

/* An option of `espalier plan`, without its dashes: {"root", "a"}, {"time-limit", "10ms"}. */
typedef struct espalier_option {
    const char* name;
    const char* value;
} espalier_option;

/* A send with its receive. */
typedef struct espalier_transfer {
    size_t sender;   /* a node of the plan, by its index */
    size_t receiver; /* likewise */
    size_t chunk;
    size_t chunks;   /* how many, from `chunk` on, travel as one message */
    int combine;     /* whether the receiver adds it to what it has; else it is a copy */
    uint64_t bytes;  /* of all segments */
    size_t segments; /* into which it is cut */
    double start;    /* the sender's port is busy from here */
    double sent;     /* to here */
    double arrival;  /* the receiver's port is busy from here */
    double end;      /* to here: the receiver holds it whole */
} espalier_transfer;

/* Calls of a running program that are alike. What is not known is NaN. */
typedef struct espalier_call {
    const char* collective; /* "broadcast", "alltoallv", "reduce-scatter-block", … */
    size_t ranks;           /* of the communicator */
    size_t root;
    uint64_t bytes; /* of one rank's operand or block, the largest; or of all that rank 0 sends */
    uint64_t calls; /* so far; 0: what follows is what the first one would find */
    const char* algorithm; /* "native": the MPI library's own */
    const char* reason;    /* why it is that; "" where calls follow a plan */
    const char* choice;    /* what was weighed, in words; "" where nothing was */
    int exact;        /* whether the order of operands can not change the result, as far as said */
    double predicted; /* until the last rank is done, as simulated */
    double lower_bound; /* that nothing beats, in the same model */
    double taken;       /* until the last rank is done, where ranks told each other */
    double own;         /* this rank's own time in all of them, where that is recorded */
    double planned;     /* until the last rank is done, by the plan */
    double native;      /* and by the MPI library's own algorithm */
    int timed;          /* whether both of these were measured; else one at least is predicted */
} espalier_call;

/* ESPALIER_C_VERSION of the library that runs. */
ESPALIER_C_API int espalier_version(void);
/* The library's own version, such as "0.1.0". */
ESPALIER_C_API const char* espalier_version_text(void);
/* What was wrong in this thread's last call that failed: one line, until the next that does. Never
 * NULL. */
ESPALIER_C_API const char* espalier_last_error(void);

/* Reads a network file. */
ESPALIER_C_API espalier_status espalier_network_read(const char* file, espalier_network** network);
/* The network of a text of format espalier-network; errors call it `name`. */
ESPALIER_C_API espalier_status espalier_network_parse(const char* json, const char* name,
                                                      espalier_network** network);
/* The start-up and the bandwidth of each ordered pair of nodes: two matrices of nodes * nodes
 * numbers, in which NaN is not known and the diagonal is not looked at. names: of the nodes; NULL:
 * n0, n1, … */
ESPALIER_C_API espalier_status espalier_network_pairwise(size_t nodes, const char* const* names,
                                                         const double* startup_s,
                                                         const double* bandwidth_Bps,
                                                         espalier_network** network);
/* The network that this process's MPI program is planned on, as it was measured: see
 * espalier_run_of(). */
ESPALIER_C_API espalier_status espalier_network_in_use(espalier_network** network);
/* Frees it; NULL is nothing. */
ESPALIER_C_API void espalier_network_free(espalier_network* network);

/* "sender", "pairwise", "grid" or "links". */
ESPALIER_C_API const char* espalier_network_model(const espalier_network* network);
/* "sha256:…": networks that say the same have the same. */
ESPALIER_C_API const char* espalier_network_fingerprint(const espalier_network* network);
/* The nodes that take part in a collective: in a grid those of all clusters. */
ESPALIER_C_API size_t espalier_network_nodes(const espalier_network* network);
ESPALIER_C_API const char* espalier_network_node(const espalier_network* network, size_t node);
/* Its file, as a text of format espalier-network. */
ESPALIER_C_API const char* espalier_network_json(const espalier_network* network);

/* Plans a collective operation: "broadcast", "reduce", "alltoall", … Options beside those of one
 * word of `espalier plan`: {"algorithm", NAME} (auto), {"ranks", "yes"} (no), {"relays", "yes"}
 * (no). Takes no longer than the time limit says, roughly. */
ESPALIER_C_API espalier_status espalier_plan_make(const espalier_network* network,
                                                  const char* collective,
                                                  const espalier_option* options, size_t count,
                                                  espalier_plan** plan);
/* The plan that a text of format espalier-schedule states, with its times; espalier_plan_check()
 * tells whether it holds. Errors call it `name`. */
ESPALIER_C_API espalier_status espalier_plan_parse(const char* json, const char* name,
                                                   espalier_plan** plan);
/* Frees it; NULL is nothing. */
ESPALIER_C_API void espalier_plan_free(espalier_plan* plan);

ESPALIER_C_API const char* espalier_plan_collective(const espalier_plan* plan);
ESPALIER_C_API const char* espalier_plan_algorithm(const espalier_plan* plan);
/* What transfers number: nodes, or the clusters of a grid. */
ESPALIER_C_API size_t espalier_plan_nodes(const espalier_plan* plan);
ESPALIER_C_API const char* espalier_plan_node(const espalier_plan* plan, size_t node);
/* The root's index; the number of nodes where there is none. */
ESPALIER_C_API size_t espalier_plan_root(const espalier_plan* plan);
/* When the last transfer is over. */
ESPALIER_C_API double espalier_plan_makespan(const espalier_plan* plan);
/* No schedule of the same scope ends before that; 0: not known. */
ESPALIER_C_API double espalier_plan_lower_bound(const espalier_plan* plan);
/* "whole-message" or "any": the schedules that the bound is about. */
ESPALIER_C_API const char* espalier_plan_bound_scope(const espalier_plan* plan);
/* Whether it is proven that none of that scope is faster. */
ESPALIER_C_API int espalier_plan_optimal(const espalier_plan* plan);
/* The transfers, in their order. */
ESPALIER_C_API size_t espalier_plan_transfers(const espalier_plan* plan);
ESPALIER_C_API espalier_status espalier_plan_transfer(const espalier_plan* plan, size_t index,
                                                      espalier_transfer* transfer);
/* Its file, as a text of format espalier-schedule. */
ESPALIER_C_API const char* espalier_plan_json(const espalier_plan* plan);

/* Whether it does its job on the network: ESPALIER_INVALID, and what is wrong, or ESPALIER_OK, and
 * its makespan as simulated anew. `makespan` may be NULL. */
ESPALIER_C_API espalier_status espalier_plan_check(const espalier_plan* plan,
                                                   const espalier_network* network,
                                                   double* makespan);

/*
 * What the library under this process's MPI program (libespalier-openmpi.so, libespalier-mpich.so:
 * preloaded or linked) knows of its run, between MPI_Init and MPI_Finalize. ESPALIER_INPUT where
 * there is no such library. Communicators, operators and types are what MPI_Comm_c2f, MPI_Op_c2f
 * and MPI_Type_c2f make of them. Nothing but espalier_steer() is collective: what a rank is told is
 * what it knows, and rank 0 of a communicator, which plans, knows most. Of one communicator no
 * thread may ask while another is in a call on it.
 */

/* What this process saw of the whole run so far, as its report would say it: calls are counted
 * where one is written (ESPALIER_REPORT, on rank 0 of MPI_COMM_WORLD), or metrics are. */
ESPALIER_C_API espalier_status espalier_run_so_far(espalier_run** run);
/* The calls of a communicator of which this rank knows by what they are done. Persistent ones are
 * not counted. */
ESPALIER_C_API espalier_status espalier_run_of(int communicator, espalier_run** run);
/* The same of calls of `collective` alone, with operands or blocks of `bytes` on each rank: by what
 * the next one is done. Where there was none, rank 0 of the communicator plans for one (which can
 * take as long as the first call would) and keeps nothing; other ranks can't tell (ESPALIER_INPUT).
 * root: where there is one. op and type: of a reduction. Of blocks that differ, and between
 * neighbours, only what was called is known; where sizes are not known to all, bytes don't matter.
 */
ESPALIER_C_API espalier_status espalier_run_ask(int communicator, const char* collective,
                                                uint64_t bytes, int root, int op, int type,
                                                espalier_run** run);
/* Frees it; NULL is nothing. */
ESPALIER_C_API void espalier_run_free(espalier_run* run);

/* "openmpi" or "mpich". */
ESPALIER_C_API const char* espalier_run_mpi(const espalier_run* run);
/* The ranks of MPI_COMM_WORLD. */
ESPALIER_C_API size_t espalier_run_ranks(const espalier_run* run);
/* How the run came to its network: "file", "cache", "measured", …; "" but on rank 0 of
 * MPI_COMM_WORLD, which alone knows. */
ESPALIER_C_API const char* espalier_run_network_from(const espalier_run* run);
/* "sha256:…", the fingerprint of that network; "" where there is none. */
ESPALIER_C_API const char* espalier_run_network(const espalier_run* run);
/* Why all collectives, of the run or the communicator, are left to MPI; "" where they are not. */
ESPALIER_C_API const char* espalier_run_left_to_mpi(const espalier_run* run);
ESPALIER_C_API size_t espalier_run_calls(const espalier_run* run);
ESPALIER_C_API espalier_status espalier_run_call(const espalier_run* run, size_t index,
                                                 espalier_call* call);
/* All of it, as a text of format espalier-run. */
ESPALIER_C_API const char* espalier_run_json(const espalier_run* run);

/* Settings of a communicator's own, in place of those that it had by an earlier call: "plan",
 * "algorithm" and "robust", with the values of ESPALIER_PLAN, ESPALIER_ALGORITHM and
 * ESPALIER_ROBUST; what is not named is as those say. All begins anew: calls that follow are
 * planned by them. To be called by all ranks of the communicator, with the same options, at the
 * same place in the order of their collective calls on it; waits for its nonblocking ones.
 * ESPALIER_INPUT on all ranks, and nothing has changed, where one of them asks for what makes no
 * sense, or for something else than the others. */
ESPALIER_C_API espalier_status espalier_steer(int communicator, const espalier_option* options,
                                              size_t count);

#ifdef __cplusplus
}
#endif

#endif
