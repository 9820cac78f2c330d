#!/usr/bin/env bash
# Other MPI libraries have files of the same name: one library serves the versions that it was tried
# with, and leaves all to any other, which it names in one line.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"

cat >"$work/program.c" <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
    int rank, size, sum = 0, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = rank == 1 ? 17 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", sum != 17 * size);
    MPI_Finalize();
    return 0;
}
C

# Turns this machine's MPI library into one without some calls, or into another. What names it stays
# as long, so that the file stays sound.
turn() { # EXPRESSION: of Perl
    mkdir -p "$work/turned"
    local file
    file=$(ldd "$program" | awk -v name="$soname" '$1 == name {print $3}')
    perl -0777 -pe "$1" "$file" >"$work/turned/$soname"
    expect "the MPI library can do without them" \
        test "$(nm -D --defined-only "$work/turned/$soname" | grep -cE "PMPIX_Bcast_init|PMPI_Bcast_c")" = 0
}

# What other systems have in another version, or not at all.
fmt_needed() { # how many files and functions of it
    { nm -D --undefined-only "$library" | grep '3fmt'; readelf -d "$library" | grep libfmt; } | wc -l
}

run_turned() { run "$library" -- LD_LIBRARY_PATH="$work/turned" "$@"; }

other_versions() {
    local given=ESPALIER_NETWORK=$network report=$work/run.json soname lacking version another
    case $flavour in
        openmpi)
            # Open MPI 5 has MPI_Bcast_init where 4.1 has MPIX_Bcast_init.
            soname=libmpi.so.40 lacking='s/PMPIX_(\w+)_init\0/PMPIY_$1_init\0/g'
            another='s/Open MPI v%d/Tree MPI v%d/'
            ;;
        mpich)
            # An MPI before version 4 has no calls with large counts.
            soname=libmpich.so.12 lacking='s/PMPI_(?!Type)(\w+)_c\0/PMPI_$1_d\0/g'
            another='s/MPICH Version:/TREES Version:/'
            ;;
    esac
    expect "the library needs no libfmt" test "$(fmt_needed)" = 0

    turn "$lacking"
    run_turned "$given" ESPALIER_REPORT="$report" ESPALIER_PLAN=always
    expect "a library without some calls that are never planned is served" right
    expect "without a word" lines 0
    expect "and the program's calls are planned" grep -q '"predicted_s"' "$report"

    turn "$lacking; $another"
    run_turned "$given"
    expect "under another library the program runs" right
    expect "one line names it" says "^espalier: the MPI library is 'T.*left to MPI$"
    expect "and only one" lines 1
    run_turned "$given" ESPALIER=off
    expect "switched off, it is not named" lines 0
}

with_each_mpi other_versions
