/* A program in C99 that uses all of the C interface. Arguments: a network file. */
#include <espalier/espalier.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define HOLDS(what)                                                                        \
    do {                                                                                   \
        if (!(what)) {                                                                     \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #what, espalier_last_error()); \
            ++failures;                                                                    \
        }                                                                                  \
    } while (0)

/* What programs of version 1 were compiled with: a change here breaks them. */
static void layouts_are_those_of_version_1(void) {
    HOLDS(ESPALIER_C_VERSION == 1 && espalier_version() == 1);
    HOLDS(ESPALIER_OK == 0 && ESPALIER_FAULT == 1 && ESPALIER_INPUT == 2 && ESPALIER_INVALID == 3);
    HOLDS(sizeof(espalier_option) == 2 * sizeof(char*));
    HOLDS(offsetof(espalier_transfer, combine) == 4 * sizeof(size_t));
    HOLDS(offsetof(espalier_transfer, bytes) == 40);
    HOLDS(offsetof(espalier_transfer, start) == 56 && offsetof(espalier_transfer, end) == 80);
    HOLDS(sizeof(espalier_transfer) == 88);
}

static espalier_network* three_nodes(void) {
    static const char* const names[] = {"a", "b", "c"};
    static const double startup[] = {0, 1e-4, 1e-2, 1e-4, 0, 1e-2, 1e-2, 1e-2, 0};
    static const double bandwidth[] = {0, 1e9, 1e7, 1e9, 0, 1e7, 1e7, 1e7, 0};
    espalier_network* network = NULL;
    HOLDS(espalier_network_pairwise(3, names, startup, bandwidth, &network) == ESPALIER_OK);
    return network;
}

static espalier_plan* planned(const espalier_network* network, const char* collective,
                              const char* algorithm) {
    const espalier_option options[] = {
        {"bytes", "1MB"}, {"algorithm", algorithm}, {"time-limit", "2s"}};
    espalier_plan* plan = NULL;
    HOLDS(espalier_plan_make(network, collective, options, 3, &plan) == ESPALIER_OK);
    return plan;
}

static void a_plan_says_what_it_does(void) {
    espalier_network* network = three_nodes();
    espalier_plan* plan = planned(network, "broadcast", "ecef");
    HOLDS(strcmp(espalier_network_model(network), "pairwise") == 0);
    HOLDS(strncmp(espalier_network_fingerprint(network), "sha256:", 7) == 0);
    HOLDS(espalier_network_nodes(network) == 3);
    HOLDS(strcmp(espalier_network_node(network, 2), "c") == 0);
    HOLDS(strcmp(espalier_plan_collective(plan), "broadcast") == 0);
    HOLDS(strcmp(espalier_plan_algorithm(plan), "ecef") == 0);
    HOLDS(strcmp(espalier_plan_bound_scope(plan), "whole-message") == 0);
    HOLDS(espalier_plan_nodes(plan) == 3 && espalier_plan_root(plan) == 0);
    HOLDS(strcmp(espalier_plan_node(plan, 1), "b") == 0);
    HOLDS(espalier_plan_transfers(plan) == 2);
    double last = 0;
    for (size_t i = 0; i < espalier_plan_transfers(plan); ++i) {
        espalier_transfer transfer;
        HOLDS(espalier_plan_transfer(plan, i, &transfer) == ESPALIER_OK);
        HOLDS(transfer.bytes == 1000000 && transfer.combine == 0 && transfer.segments == 1);
        const double took = transfer.receiver == 2 ? 0.11 : 0.0011;
        HOLDS(fabs(transfer.end - transfer.start - took) < 1e-9);
        if (transfer.end > last) last = transfer.end;
    }
    HOLDS(last == espalier_plan_makespan(plan));
    HOLDS(espalier_plan_lower_bound(plan) > 0);
    HOLDS(espalier_plan_lower_bound(plan) <= last * (1 + 1e-9));
    double again = 0;
    HOLDS(espalier_plan_check(plan, network, &again) == ESPALIER_OK);
    HOLDS(fabs(again - last) < 1e-12);
    espalier_network_free(network);
    HOLDS(espalier_plan_makespan(plan) == last);
    espalier_plan_free(plan);
}

static void texts_come_back(void) {
    espalier_network* network = three_nodes();
    espalier_network* same = NULL;
    HOLDS(espalier_network_parse(espalier_network_json(network), "copy", &same) == ESPALIER_OK);
    HOLDS(strcmp(espalier_network_fingerprint(same), espalier_network_fingerprint(network)) == 0);
    espalier_plan* plan = planned(network, "reduce", "ecef");
    espalier_plan* again = NULL;
    HOLDS(espalier_plan_parse(espalier_plan_json(plan), "copy", &again) == ESPALIER_OK);
    HOLDS(espalier_plan_makespan(again) == espalier_plan_makespan(plan));
    HOLDS(espalier_plan_check(again, same, NULL) == ESPALIER_OK);
    espalier_transfer transfer;
    HOLDS(espalier_plan_transfer(again, 0, &transfer) == ESPALIER_OK && transfer.combine == 1);
    espalier_plan* exchange = planned(network, "alltoall", "auto");
    HOLDS(espalier_plan_root(exchange) == 3);
    espalier_plan_free(exchange);
    espalier_plan_free(again);
    espalier_plan_free(plan);
    espalier_network_free(same);
    espalier_network_free(network);
}

static void errors_have_a_code_and_a_text(void) {
    espalier_network* network = three_nodes();
    espalier_network* none = NULL;
    HOLDS(espalier_network_read("no such file", &none) == ESPALIER_INPUT && none == NULL);
    HOLDS(strstr(espalier_last_error(), "no such file: ") == espalier_last_error());
    HOLDS(espalier_network_parse("{", "mine", &none) == ESPALIER_INPUT);
    HOLDS(strncmp(espalier_last_error(), "mine: ", 6) == 0);
    HOLDS(espalier_network_read(NULL, &none) == ESPALIER_INPUT);
    HOLDS(strcmp(espalier_last_error(), "file: it is NULL") == 0);
    espalier_plan* plan = NULL;
    const espalier_option options[] = {{"bytes", "8"}, {"root", "z"}, {"colour", "red"}};
    HOLDS(espalier_plan_make(network, "broadcast", options, 1, NULL) == ESPALIER_INPUT);
    HOLDS(espalier_plan_make(NULL, "broadcast", options, 1, &plan) == ESPALIER_INPUT);
    HOLDS(espalier_plan_make(network, "broadcast", options, 2, &plan) == ESPALIER_INPUT);
    HOLDS(strcmp(espalier_last_error(), "--root: network has no cluster or node named 'z'") == 0);
    HOLDS(espalier_plan_make(network, "broadcast", options, 3, &plan) == ESPALIER_INPUT);
    HOLDS(strcmp(espalier_last_error(), "--colour: there is no such option") == 0);
    HOLDS(plan == NULL);
    plan = planned(network, "broadcast", "flat");
    espalier_transfer transfer;
    HOLDS(espalier_plan_transfer(plan, 2, &transfer) == ESPALIER_INPUT);
    HOLDS(espalier_network_node(network, 3) == NULL && espalier_plan_node(plan, 3) == NULL);
    HOLDS(espalier_network_model(NULL) == NULL && espalier_plan_transfers(NULL) == 0);
    HOLDS(isnan(espalier_plan_makespan(NULL)));
    espalier_network_free(NULL);
    espalier_plan_free(NULL);
    /* A message that arrives before it can have crossed its link. */
    char* text = malloc(strlen(espalier_plan_json(plan)) + 1);
    strcpy(text, espalier_plan_json(plan));
    char* end = strstr(text, "\"end\":");
    HOLDS(end != NULL);
    end[6] = '0';
    for (char* digit = end + 7; *digit != ',' && *digit != '}' && *digit != '\n'; ++digit)
        *digit = ' ';
    espalier_plan* wrong = NULL;
    HOLDS(espalier_plan_parse(text, "wrong", &wrong) == ESPALIER_OK);
    HOLDS(espalier_plan_check(wrong, network, NULL) == ESPALIER_INVALID);
    HOLDS(strncmp(espalier_last_error(), "wrong: ", 7) == 0);
    espalier_plan_free(wrong);
    free(text);
    espalier_plan_free(plan);
    espalier_network_free(network);
}

struct work {
    const espalier_network* network;
    pthread_barrier_t* all_failed;
    double makespan;
    int own_error;
};

static void* plans_and_fails(void* argument) {
    struct work* work = argument;
    char name[32];
    sprintf(name, "thread %p", argument);
    espalier_plan* plan = planned(work->network, "broadcast", "ecef");
    work->makespan = espalier_plan_makespan(plan);
    espalier_plan_free(plan);
    espalier_network* none = NULL;
    const int refused = espalier_network_parse("{", name, &none) == ESPALIER_INPUT;
    pthread_barrier_wait(work->all_failed);
    work->own_error = refused && strncmp(espalier_last_error(), name, strlen(name)) == 0;
    return NULL;
}

static void threads_share_a_network_and_keep_their_own_errors(const char* file) {
    enum { threads = 4 };
    espalier_network* network = NULL;
    HOLDS(espalier_network_read(file, &network) == ESPALIER_OK);
    struct work work[threads];
    pthread_t thread[threads];
    pthread_barrier_t all_failed;
    HOLDS(pthread_barrier_init(&all_failed, NULL, threads) == 0);
    for (int i = 0; i < threads; ++i) {
        work[i].network = network;
        work[i].all_failed = &all_failed;
        HOLDS(pthread_create(&thread[i], NULL, plans_and_fails, &work[i]) == 0);
    }
    for (int i = 0; i < threads; ++i) {
        HOLDS(pthread_join(thread[i], NULL) == 0);
        HOLDS(work[i].own_error && work[i].makespan == work[0].makespan && work[i].makespan > 0);
    }
    pthread_barrier_destroy(&all_failed);
    espalier_network_free(network);
}

int main(int count, char** words) {
    if (count != 2) return 2;
    layouts_are_those_of_version_1();
    a_plan_says_what_it_does();
    texts_come_back();
    errors_have_a_code_and_a_text();
    threads_share_a_network_and_keep_their_own_errors(words[1]);
    printf("%s: %d failures\n", espalier_version_text(), failures);
    return failures == 0 ? 0 : 1;
}
