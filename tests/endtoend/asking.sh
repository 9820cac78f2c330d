#!/usr/bin/env bash
# A program in C asks the library under it what its calls are done by and why, and steers
# communicators; where there is no such library, or nothing to plan, it hears so in one line.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"

flags=(-Iinclude "-L$build" -lespalier-c "-Wl,-rpath,$build")
cp tests/callers/asking.c "$work/program.c"

asks() { # RANKS [VARIABLE=value...]
    ranks=$1
    run "$library" asks "$flavour" "$network" -- ESPALIER_NETWORK=$network \
        ESPALIER_CACHE="$work/cache-$flavour-$ranks" "${@:2}"
}

asking() {
    local of
    for of in 2 3 5; do
        asks $of
        expect "$of ranks hear what their calls are done by, and steer them" right
        asks $of
        expect "and again, as recorded" right
        asks $of ESPALIER_PROGRESS=thread ESPALIER_REPORT="$work/report"
        expect "with nonblocking calls under way, and a report" right
    done
    ranks=3
    run "" alone
    expect "without the library one line says so" right
    run "$library" alone -- ESPALIER_NETWORK=$network ESPALIER=off
    expect "and where it is off" right
    run "$library" left -- ESPALIER_NETWORK=$network ESPALIER_TEST_HOSTS=a-0,a-0,a-0
    expect "where all is left to MPI, that is told" right
    run "$library" left -- ESPALIER_NETWORK=$network ESPALIER_PLAN=never
    expect "and by which setting" right
}

hosts=a-0,b-0,c-0,b-1,a-1
with_each_mpi asking
