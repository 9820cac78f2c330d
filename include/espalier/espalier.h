/*
 * Espalier from C, and from whatever calls C: networks, plans, and questions about them.
 *
 * Link with libespalier-c (pkg-config espalier-c). Nothing of C++ is in the interface.
 *
 * Handles. A network or a plan is an immutable value behind an opaque pointer. The caller frees it,
 * once; a text or an array that a function returns belongs to its handle and lives as long. A plan
 * does not need its network any more.
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

#ifdef __cplusplus
}
#endif

#endif
