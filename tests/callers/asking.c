/* A program that asks the library under it. Words: `asks MPI NETWORK`, where collectives are
 * planned; `alone`, where there is no library that answers; `left`, where all is left to MPI. */
#include <espalier/espalier.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 1 << 17 };
static double values[count], sums[count];
static int numbers[count], totals[count];
static int rank, size, wrong;

#define HOLDS(what)                                                               \
    do {                                                                          \
        if (!(what)) {                                                            \
            fprintf(stderr, "rank %d, line %d: %s (%s)\n", rank, __LINE__, #what, \
                    espalier_last_error());                                       \
            ++wrong;                                                              \
        }                                                                         \
    } while (0)
#define SAYS(text) HOLDS(strstr(espalier_last_error(), text) != NULL)

/* A call's answer lives as long as what it was taken from, which is freed at the end. */
static espalier_run* asked[1000];
static size_t asked_so_far;

static espalier_status ask(MPI_Comm comm, const char* collective, MPI_Datatype type, int root,
                           espalier_call* call) {
    espalier_run* run = NULL;
    const espalier_status status =
        espalier_run_ask(MPI_Comm_c2f(comm), collective, sizeof values, root, MPI_Op_c2f(MPI_SUM),
                         MPI_Type_c2f(type), &run);
    if (status != ESPALIER_OK) return status;
    asked[asked_so_far++] = run;
    HOLDS(espalier_run_calls(run) == 1);
    return espalier_run_call(run, 0, call);
}

static espalier_status steer(MPI_Comm comm, const char* name, const char* value) {
    const espalier_option option = {name, value};
    return espalier_steer(MPI_Comm_c2f(comm), &option, 1);
}

/* All ranks have the same text. */
static int agreed(MPI_Comm comm, const char* text) {
    char first[64] = "";
    snprintf(first, sizeof first, "%s", text);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm);
    return strcmp(first, text) == 0;
}

/* The program's own calls; what they bring is checked. */
static void broadcasts(MPI_Comm comm, int root) {
    int own;
    MPI_Comm_rank(comm, &own);
    for (int i = 0; i < count; ++i) values[i] = own == root ? i : -1;
    MPI_Bcast(values, count, MPI_DOUBLE, root, comm);
    for (int i = 0; i < count; ++i)
        if (values[i] != i) {
            HOLDS(!"the root's values");
            return;
        }
}

static void adds(MPI_Comm comm) {
    for (int i = 0; i < count; ++i) values[i] = i % 1000 + rank;
    MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < count; ++i)
        if (sums[i] != size * (i % 1000) + size * (size - 1) / 2) {
            HOLDS(!"the sums");
            return;
        }
}

static void adds_integers(MPI_Comm comm) {
    for (int i = 0; i < count; ++i) numbers[i] = i + rank;
    MPI_Allreduce(numbers, totals, count, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < count; ++i)
        if (totals[i] != size * i + size * (size - 1) / 2) {
            HOLDS(!"the totals");
            return;
        }
}

/* Before the first call, rank 0 alone can tell; after it all do, and what rank 0 told was right. */
static void what_is_foreseen_is_done(MPI_Comm comm, const char* collective, MPI_Datatype type,
                                     void (*performs)(MPI_Comm)) {
    espalier_call before, after;
    char foreseen[64] = "";
    int own;
    MPI_Comm_rank(comm, &own);
    if (own == 0) {
        HOLDS(ask(comm, collective, type, 0, &before) == ESPALIER_OK);
        HOLDS(before.calls == 0 && before.ranks == (size_t)size);
        HOLDS(strcmp(before.collective, collective) == 0);
        HOLDS((strcmp(before.algorithm, "native") == 0) == (strlen(before.reason) > 0));
        HOLDS(strcmp(before.algorithm, "native") == 0 || before.predicted > 0);
        snprintf(foreseen, sizeof foreseen, "%s", before.algorithm);
    } else {
        HOLDS(ask(comm, collective, type, 0, &before) == ESPALIER_INPUT);
        SAYS("rank 0 of the communicator alone knows");
    }
    performs(comm);
    espalier_run* run = NULL;
    HOLDS(espalier_run_of(MPI_Comm_c2f(comm), &run) == ESPALIER_OK);
    HOLDS(strlen(espalier_run_left_to_mpi(run)) == 0);
    int found = 0;
    for (size_t i = 0; i < espalier_run_calls(run); ++i) {
        HOLDS(espalier_run_call(run, i, &after) == ESPALIER_OK);
        found += strcmp(after.collective, collective) == 0 && after.bytes == sizeof values &&
                 after.calls == 1;
    }
    HOLDS(found == 1);
    HOLDS(espalier_run_call(run, espalier_run_calls(run), &after) == ESPALIER_INPUT);
    espalier_run_free(run);
    HOLDS(ask(comm, collective, type, 0, &after) == ESPALIER_OK);
    HOLDS(after.calls == 1);
    HOLDS(after.exact == (type == MPI_INT || strcmp(collective, "broadcast") == 0));
    HOLDS(agreed(comm, after.algorithm));
    if (own == 0) HOLDS(strcmp(after.algorithm, foreseen) == 0);
}

static void broadcasts_from_0(MPI_Comm comm) { broadcasts(comm, 0); }

static void the_network_is_told(const char* mpi, const char* file) {
    espalier_network *stated = NULL, *used = NULL;
    espalier_run* run = NULL;
    HOLDS(espalier_network_read(file, &stated) == ESPALIER_OK);
    HOLDS(espalier_network_in_use(&used) == ESPALIER_OK);
    HOLDS(strcmp(espalier_network_json(stated), espalier_network_json(used)) == 0);
    HOLDS(espalier_run_so_far(&run) == ESPALIER_OK);
    HOLDS(strcmp(espalier_run_mpi(run), mpi) == 0);
    HOLDS(espalier_run_ranks(run) == (size_t)size);
    HOLDS(strcmp(espalier_run_network_from(run), rank == 0 ? "file" : "") == 0);
    HOLDS(strcmp(espalier_run_network(run), espalier_network_fingerprint(stated)) == 0);
    HOLDS(strstr(espalier_run_json(run), "\"espalier-run\"") != NULL);
    espalier_run_free(run);
    espalier_network_free(used);
    espalier_network_free(stated);
}

static void a_communicator_is_steered(MPI_Comm comm) {
    espalier_call call;
    HOLDS(steer(comm, "plan", "never") == ESPALIER_OK);
    broadcasts(comm, 0);
    HOLDS(ask(comm, "broadcast", MPI_DOUBLE, 0, &call) == ESPALIER_OK);
    HOLDS(strcmp(call.algorithm, "native") == 0);
    HOLDS(strcmp(call.reason, "the program asked for MPI's own") == 0);
    HOLDS(isnan(call.predicted) && isnan(call.taken));

    const espalier_option flat[] = {{"plan", "always"}, {"algorithm", "broadcast:flat"}};
    HOLDS(espalier_steer(MPI_Comm_c2f(comm), flat, 2) == ESPALIER_OK);
    for (int calls = 1; calls <= 3; ++calls) {
        broadcasts(comm, 0);
        HOLDS(ask(comm, "broadcast", MPI_DOUBLE, 0, &call) == ESPALIER_OK);
        HOLDS(strcmp(call.algorithm, "flat") == 0 && call.calls == (uint64_t)calls);
        HOLDS(strcmp(call.reason, "") == 0 && call.predicted > 0);
    }
    adds(comm);

    /* What ranks don't agree on changes nothing. */
    HOLDS(steer(comm, "plan", rank == 0 ? "never" : "auto") == ESPALIER_INPUT);
    SAYS("its ranks ask for different settings; nothing has changed");
    HOLDS(steer(comm, "plan", rank == size - 1 ? "sometimes" : "never") == ESPALIER_INPUT);
    if (rank == size - 1)
        SAYS("ESPALIER_PLAN: 'sometimes' is none of auto, always, never");
    else
        SAYS("what another rank asks for makes no sense");
    HOLDS(steer(comm, rank == 0 ? NULL : "plan", "never") == ESPALIER_INPUT);
    HOLDS(espalier_steer(MPI_Comm_c2f(comm), NULL, 1) == ESPALIER_INPUT);
    SAYS("options: a name or a value is NULL");
    HOLDS(steer(comm, "network", "other.json") == ESPALIER_INPUT);
    SAYS("network: a communicator has no such setting");
    HOLDS(steer(comm, "algorithm", "broadcast:none") == ESPALIER_INPUT);
    HOLDS(ask(comm, "broadcast", MPI_DOUBLE, 0, &call) == ESPALIER_OK);
    HOLDS(strcmp(call.algorithm, "flat") == 0);

    /* A duplicate begins with the same settings. */
    MPI_Comm other;
    MPI_Comm_dup(comm, &other);
    HOLDS(ask(other, "broadcast", MPI_DOUBLE, 0, &call) == ESPALIER_OK);
    HOLDS(strcmp(call.algorithm, "flat") == 0 && call.calls == 0);
    broadcasts(other, 0);
    HOLDS(ask(other, "broadcast", MPI_DOUBLE, 0, &call) == ESPALIER_OK);
    HOLDS(strcmp(call.algorithm, "flat") == 0 && call.calls == 1);
    MPI_Comm_free(&other);

    /* What was begun before is over, and right. */
    MPI_Request request;
    for (int i = 0; i < count; ++i) sums[i] = rank == 0 ? i : -1;
    MPI_Ibcast(sums, count, MPI_DOUBLE, 0, comm, &request);
    HOLDS(espalier_steer(MPI_Comm_c2f(comm), NULL, 0) == ESPALIER_OK);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    HOLDS(sums[count - 1] == count - 1);
    espalier_run* run = NULL;
    HOLDS(espalier_run_of(MPI_Comm_c2f(comm), &run) == ESPALIER_OK);
    HOLDS(espalier_run_calls(run) == 0 && strlen(espalier_run_left_to_mpi(run)) == 0);
    espalier_run_free(run);
}

static void what_makes_no_sense_is_refused(void) {
    espalier_call call;
    HOLDS(ask(MPI_COMM_WORLD, "broadcast", MPI_DOUBLE, size, &call) == ESPALIER_INPUT);
    SAYS("is no rank of the communicator");
    HOLDS(ask(MPI_COMM_WORLD, "bcast", MPI_DOUBLE, 0, &call) == ESPALIER_INPUT);
    SAYS("collective: 'bcast' is none");
    HOLDS(ask(MPI_COMM_WORLD, "broadcastv", MPI_DOUBLE, 0, &call) == ESPALIER_INPUT);
    HOLDS(ask(MPI_COMM_WORLD, "alltoallv", MPI_DOUBLE, 0, &call) == ESPALIER_INPUT);
    SAYS("is decided at its first call");
    HOLDS(ask(MPI_COMM_NULL, "broadcast", MPI_DOUBLE, 0, &call) == ESPALIER_INPUT);
    SAYS("communicator: it is MPI_COMM_NULL");
    HOLDS(ask(MPI_COMM_WORLD, "allreduce", MPI_DATATYPE_NULL, 0, &call) == ESPALIER_OK);
    HOLDS(strcmp(call.algorithm, "native") == 0 && strlen(call.reason) > 0);
    HOLDS(espalier_run_of(MPI_Comm_c2f(MPI_COMM_WORLD), NULL) == ESPALIER_INPUT);
    SAYS("run: it is NULL");
    HOLDS(ask(MPI_COMM_SELF, "broadcast", MPI_DOUBLE, 0, &call) == ESPALIER_OK);
    HOLDS(strcmp(call.reason, "only one rank") == 0);
    HOLDS(steer(MPI_COMM_SELF, "plan", "never") == ESPALIER_OK);
    HOLDS(steer(MPI_COMM_SELF, "plan", "always") == ESPALIER_INPUT);
    SAYS("MPI's own whatever its settings are: only one rank");
}

static void asks(const char* mpi, const char* file) {
    the_network_is_told(mpi, file);
    what_is_foreseen_is_done(MPI_COMM_WORLD, "broadcast", MPI_DOUBLE, broadcasts_from_0);
    MPI_Comm turned;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    what_is_foreseen_is_done(turned, "allreduce", MPI_DOUBLE, adds);
    MPI_Comm_free(&turned);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &turned);
    what_is_foreseen_is_done(turned, "allreduce", MPI_DOUBLE, adds);
    what_is_foreseen_is_done(turned, "broadcast", MPI_DOUBLE, broadcasts_from_0);
    a_communicator_is_steered(turned);
    adds_integers(turned);
    a_communicator_is_steered(turned);
    MPI_Comm_free(&turned);
    a_communicator_is_steered(MPI_COMM_WORLD);
    what_makes_no_sense_is_refused();
}

static void alone(void) {
    espalier_run* run = NULL;
    espalier_network* network = NULL;
    HOLDS(espalier_run_so_far(&run) == ESPALIER_INPUT && run == NULL);
    HOLDS(strstr(espalier_last_error(), "no library of this version of espalier is loaded") !=
              NULL ||
          strcmp(espalier_last_error(), "espalier is off in this process") == 0);
    HOLDS(espalier_run_of(MPI_Comm_c2f(MPI_COMM_WORLD), &run) == ESPALIER_INPUT);
    HOLDS(espalier_network_in_use(&network) == ESPALIER_INPUT && network == NULL);
    HOLDS(steer(MPI_COMM_WORLD, "plan", "never") == ESPALIER_INPUT);
    HOLDS(espalier_run_calls(NULL) == 0 && espalier_run_mpi(NULL) == NULL);
    espalier_run_free(NULL);
}

static void left(void) {
    espalier_run* run = NULL;
    espalier_call call;
    HOLDS(espalier_run_so_far(&run) == ESPALIER_OK);
    HOLDS(strlen(espalier_run_left_to_mpi(run)) > 0);
    broadcasts(MPI_COMM_WORLD, 0);
    HOLDS(ask(MPI_COMM_WORLD, "broadcast", MPI_DOUBLE, 0, &call) == ESPALIER_OK);
    HOLDS(strcmp(call.algorithm, "native") == 0);
    HOLDS(strcmp(call.reason, espalier_run_left_to_mpi(run)) == 0);
    HOLDS(steer(MPI_COMM_WORLD, "plan", "never") == ESPALIER_OK);
    HOLDS(espalier_steer(MPI_Comm_c2f(MPI_COMM_WORLD), NULL, 0) == ESPALIER_OK);
    HOLDS(steer(MPI_COMM_WORLD, "plan", "always") == ESPALIER_INPUT);
    SAYS(espalier_run_left_to_mpi(run));
    espalier_run_free(run);
}

int main(int argc, char** argv) {
    espalier_run* run = NULL;
    const int is_alone = argc > 1 && strcmp(argv[1], "alone") == 0;
    HOLDS(espalier_run_so_far(&run) == ESPALIER_INPUT);
    if (!is_alone) SAYS("MPI is not initialised");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 4)
        asks(argv[2], argv[3]);
    else if (is_alone)
        alone();
    else
        left();
    int all_wrong = 0;
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    while (asked_so_far > 0) espalier_run_free(asked[--asked_so_far]);
    MPI_Finalize();
    HOLDS(espalier_run_so_far(&run) == ESPALIER_INPUT);
    if (rank == 0) printf("%d wrong\n", all_wrong);
    return wrong == 0 ? 0 : 1;
}
