#!/usr/bin/env bash
# Programs that are not C's: Fortran by each of its bindings, C++'s old bindings, Python; and other
# tools and GPUs beside the library. Each has to reach the library as a C program does.
source "$(dirname "$0")/lib.bash"
[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "a sanitizer's run time would have to be preloaded first"

programs=$root/tests/callers
tried=0
skipped=0
export ESPALIER_NETWORK=$root/tests/mpi/bcast-network.json ESPALIER_PLAN=always
export ESPALIER_TEST_HOSTS=a-0,b-0,c-0,b-1

# start LIBRARIES PROGRAM...: under MPI with those libraries preloaded; what it says is in $out and
# $err, its report in $work/run.json.
start() {
    local preload=$1
    shift
    rm -f "$work/run.json"
    status=0
    ESPALIER_REPORT=$work/run.json timeout 100 $launch env LD_PRELOAD="$preload" "$@" \
        >"$out" 2>"$err" </dev/null || status=$?
    ((status == 0)) || complain "$flavour: $* ends with $status"
}

prints() { grep -qx "$1" "$out"; }
says() { grep -q "^espalier: .*$1" "$err"; }
says_nothing() { ! grep -q '^espalier: ' "$err"; }

# What a program is to MPI: each call that was recorded, how often, and what was done with it.
seen='[{k: c.get(k) for k in ("collective", "communicator_size", "root", "bytes", "calls", "algorithm", "reason")} for c in d["calls"]], d["passed_through"]'

fortran_reaches_it() {
    local binding compiler=mpifort.$flavour extended=
    if echo OMPI_MAJOR_VERSION | mpicc.$flavour -E -include mpi.h - | tail -1 | grep -q '^4'; then
        extended=-DEXTENDED
    fi
    mpicc.$flavour -o "$work/collectives" "$programs/collectives.c" || exit 1
    start "$library" "$work/collectives"
    json "$seen" "$work/run.json" >"$work/by_c"
    json_holds "$flavour: C's calls are planned, but the one that is wrong" \
        'len({c["collective"] for c in d["calls"] if c["algorithm"] != "native"}) == 20 and sum(c["calls"] for c in d["calls"] if c["algorithm"] == "native") == 1' "$work/run.json"
    # MPICH lets nobody move nonblocking calls on.
    local handed_on=''
    [[ $flavour == mpich ]] &&
        handed_on='"MPI_Barrier_init": 1, "MPI_Bcast_init": 1, "MPI_Ibarrier": 1, "MPI_Ibcast": 1, '
    json_holds "$flavour: what is never planned is counted" \
        "d[\"passed_through\"] == {$handed_on\"MPI_Ineighbor_alltoall\": 1}" \
        "$work/run.json"
    for binding in MPIF_H USE_MPI USE_MPI_F08; do
        $compiler -cpp -w -fallow-argument-mismatch -ffree-line-length-none -J "$work" -D$binding $extended \
            -o "$work/$binding" "$programs/collectives.F90" || exit 1
        start "$library" "$work/$binding"
        holds "$flavour: Fortran by $binding gets what it should" prints '0 wrong'
        json "$seen" "$work/run.json" >"$work/by_fortran"
        holds "$flavour: Fortran by $binding is seen as C is" cmp "$work/by_c" "$work/by_fortran"
    done
}

# Of counts of the kind MPI_COUNT_KIND.
large_counts_of_fortran_reach_it() {
    [[ $flavour == mpich ]] || return # Open MPI's module has none, up to version 5
    mpifort.$flavour -cpp -w -ffree-line-length-none -J "$work" -o "$work/large_counts" \
        "$programs/large_counts.F90" || exit 1
    ESPALIER_PROGRESS=thread start "$library" "$work/large_counts"
    holds "$flavour: Fortran's large counts get what they should" prints '0 wrong'
    json_holds "$flavour: and all are planned" \
        'len({c["collective"] for c in d["calls"]}) == 9 and all(c["algorithm"] != "native" for c in d["calls"]) and d["passed_through"] == {}' \
        "$work/run.json"
}

old_cxx_bindings_reach_it() {
    if echo OMPI_MAJOR_VERSION | mpicc.$flavour -E -include mpi.h - | tail -1 | grep -q '^[5-9]'; then
        echo "skipped: $flavour: C++'s old bindings, which it has no more"
        return
    fi
    mpicxx.$flavour -w -o "$work/old_bindings" "$programs/old_bindings.cpp" || exit 1
    start "$library" "$work/old_bindings"
    holds "$flavour: C++ gets what it should" prints '0 wrong'
    json_holds "$flavour: C++'s broadcast is planned" \
        'any(c["collective"] == "broadcast" and c["algorithm"] != "native" for c in d["calls"])' \
        "$work/run.json"
}

# A tool before the library, and after it.
tools_get_on_with_it() {
    local some=$work/libsome.so all=$work/liball.so one_cluster=b-0,b-1,b-2,b-0
    mpicc.$flavour -shared -fPIC -o "$some" "$programs/tool.c" || exit 1
    mpicc.$flavour -shared -fPIC -DTAKES_ALL -o "$all" "$programs/tool.c" || exit 1
    mpicc.$flavour -o "$work/beside_tool" "$programs/beside_tool.c" || exit 1

    start "$some $library" "$work/beside_tool"
    holds "$flavour: a tool before the library sees its calls" \
        prints 'tool: 0 starts, 4 broadcasts, 1 exchanges, 0 gatherings'
    holds "$flavour: one line names the tool" \
        says 'MPI_Bcast is found in .*libsome.so, which is loaded before this library'
    holds "$flavour: and only one" test "$(grep -c '^espalier: ' "$err")" = 1

    start "$all $library" "$work/beside_tool"
    holds "$flavour: a tool that takes all calls sees them" \
        prints 'tool: 1 starts, 4 broadcasts, 1 exchanges, 1 gatherings'
    holds "$flavour: the library says that none came" \
        says 'MPI_Bcast and [0-9]* more are found in .*liball.so.*: no collective was planned'
    holds "$flavour: once" test "$(grep -c '^espalier: ' "$err")" = 1
    ESPALIER_LOG=quiet start "$all $library" "$work/beside_tool"
    holds "$flavour: quiet is quiet" says_nothing

    ESPALIER_PLAN=auto ESPALIER_TEST_HOSTS=$one_cluster start "$library $all" "$work/beside_tool"
    holds "$flavour: a tool after the library sees what is left to MPI" \
        prints 'tool: 1 starts, 4 broadcasts, 1 exchanges, 1 gatherings'
    holds "$flavour: nothing is to be said" says_nothing
    # MPICH lets nobody move nonblocking calls on.
    local handed_on=0
    [[ $flavour == mpich ]] && handed_on=1
    start "$library $all" "$work/beside_tool"
    holds "$flavour: a tool after the library does not see what is planned" \
        prints "tool: 1 starts, 0 broadcasts, $handed_on exchanges, 0 gatherings"
}

# Who does not see what is started can't do it.
starts_that_a_tool_takes_are_left_to_mpi() {
    cat >"$work/starts.c" <<'C'
#include <mpi.h>
int MPI_Start(MPI_Request* request) { return PMPI_Start(request); }
C
    mpicc.$flavour -shared -fPIC -o "$work/libstarts.so" "$work/starts.c" || exit 1
    mpicc.$flavour -o "$work/collectives" "$programs/collectives.c" || exit 1
    local call
    call=$(nm -D "$work/collectives" | grep -oE 'MPIX?_Bcast_init$')
    if ! nm -D --defined-only "$library" | grep -w "$call" >/dev/null; then
        echo "skipped: $flavour: persistent requests, whose names are others where the library was built"
        return
    fi
    local taken
    for taken in 0 1; do
        local before=$work/libstarts.so
        ((taken == 1)) || before=
        ESPALIER_PROGRESS=thread start "$before $library" "$work/collectives"
        json_holds "$flavour: persistent requests are MPI's own where a tool takes MPI_Start: $taken" \
            "sum('_init' in call for call in d['passed_through']) == $((2 * taken))" "$work/run.json"
    done
}

devices_are_left_to_mpi() {
    mkdir -p "$work/gpu"
    cc -shared -fPIC -o "$work/gpu/libcuda.so.1" "$programs/fake_cuda.c" || exit 1
    mpicc.$flavour -o "$work/devices" "$programs/devices.c" -ldl || exit 1
    start "$library" "$work/devices" "$work/gpu/libcuda.so.1" early
    holds "$flavour: a program with GPUs gets its bytes" prints '0 wrong'
    json_holds "$flavour: and all is MPI's own" \
        'all(c["algorithm"] == "native" and "GPU" in c["reason"] for c in d["calls"])' "$work/run.json"
    cc -shared -fPIC -DLEVEL_ZERO -o "$work/gpu/libze_loader.so.1" "$programs/fake_cuda.c" || exit 1
    local idle
    for idle in libcuda libze_loader; do
        start "$library" "$work/devices" "$work/gpu/$idle.so.1" idle
        holds "$flavour: a program that uses no GPU gets its bytes" prints '0 wrong'
        json_holds "$flavour: and is planned, with $idle loaded" \
            'all(c["algorithm"] != "native" for c in d["calls"])' "$work/run.json"
    done
    # What is freed is filled with other bytes, and calls that do not block are planned by either MPI.
    MALLOC_PERTURB_=165 ESPALIER_PROGRESS=thread start "$library" "$work/devices" "$work/gpu/libcuda.so.1" late
    holds "$flavour: memory of a GPU that comes late is brought where it should be" prints '0 wrong'
    holds "$flavour: by MPI" prints 'staged: yes'
    json_holds "$flavour: and the calls are planned" \
        'all(c["algorithm"] != "native" for c in d["calls"] if c["collective"] == "broadcast")' "$work/run.json"
}

for flavour in openmpi mpich; do
    library=$ESPALIER_BUILD/libespalier-$flavour.so
    if [[ ! -f $library ]] || ! command -v "mpicc.$flavour" >/dev/null; then continue; fi
    tried=1
    case $flavour in
        openmpi) launch="mpirun.openmpi --oversubscribe --allow-run-as-root -n 4" ;;
        mpich) launch="mpiexec.mpich -n 4" ;;
    esac
    if command -v gfortran >/dev/null && command -v "mpifort.$flavour" >/dev/null; then
        fortran_reaches_it
        large_counts_of_fortran_reach_it
    else
        echo "skipped: $flavour: Fortran, because gfortran is not installed"
        skipped=1
    fi
    old_cxx_bindings_reach_it
    tools_get_on_with_it
    starts_that_a_tool_takes_are_left_to_mpi
    devices_are_left_to_mpi
done

# Debian's mpi4py is Open MPI's.
flavour=openmpi
library=$ESPALIER_BUILD/libespalier-$flavour.so
launch="mpirun.openmpi --oversubscribe --allow-run-as-root -n 4"
if [[ -f $library ]] && /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
    start "$library" /usr/bin/python3 "$programs/collectives.py"
    holds "Python gets what it should" prints '0 wrong'
    json_holds "Python's broadcasts and all-gathers are planned" \
        '{"broadcast", "allgather"} <= {c["collective"] for c in d["calls"] if c["algorithm"] != "native"}' \
        "$work/run.json"
else
    echo "skipped: Python, because python3-mpi4py or Open MPI is not installed"
    skipped=1
fi

((tried == 1)) || skip "no MPI"
((failures > 0 || skipped == 0)) || exit 77
finish
