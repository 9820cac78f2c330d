# `run` starts a program under its own MPI with the library preloaded; `measure` becomes the
# measuring program of the launcher that started it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1
[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "a sanitizer's run time would have to be preloaded first"
unset LD_PRELOAD "${!ESPALIER_@}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

rejects 2 '\-n: ' run -n 0 -- true
rejects 2 '\-n: ' run -n -3 -- true
rejects 2 '\-n: ' run -np many -- true
rejects 2 'run: no program' run -n 2
rejects 2 'run: no program' run -n 2 --
rejects 2 'run: no program; -- stands between .* such as --oversubscribe' run -n 2 --oversubscribe true
rejects 2 'true: is not linked with Open MPI or MPICH' run -n 2 true --hostfile none
for option in --hostfile -machinefile -f; do
    rejects 2 'missing: No such file' run -n 2 "$option" missing -- true
done
rejects 2 'no-such-program: no such program' run -n 2 -- no-such-program
rejects 2 'true: is not linked with Open MPI or MPICH' run -n 2 -- true
rejects 2 '\-\-mpi: ' run --mpi lam -n 2 -- true
rejects 2 'measure: not under an MPI launcher' measure -o net.json

# What an argument names is not run, whatever it says that it is to be loaded with.
printf '#!/bin/sh\ntouch "%s"\n' "$PWD/loaded" >loader
chmod +x loader
echo 'int main(void) { return 0; }' >data.c
cc "-Wl,--dynamic-linker=$PWD/loader" -o data data.c || exit 1
rejects 2 'true: is not linked with Open MPI or MPICH' run -n 2 -- true ./data
holds "the loader of an argument is left alone" test ! -e loaded

# Who starts a program that has more rights than he has tells it nothing by variables; PATH is one.
cp "$(command -v id)" as_another
cp "$cli" espalier_as_another
if chown 65534 as_another espalier_as_another 2>/dev/null && chmod u+s as_another espalier_as_another &&
    [[ $(./as_another -u) == 65534 ]]; then
    own=$cli cli=./espalier_as_another
    rejects 2 'true: no such program' run -n 2 -- true
    cli=$own
else
    echo "programs with other rights than their user's: not here, skipped"
fi

cat >program.c <<'PROGRAM'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size, sum = 0;
    char text[4096] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; rank == 0 && i < (int)sizeof text; ++i) text[i] = (char)(i * 7);
    MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < (int)sizeof text; ++i) sum += text[i] == (char)(i * 7);
    const char* preload = getenv("LD_PRELOAD");
    const char* log = getenv("ESPALIER_LOG");
    printf("rank %d of %d, %d good, %s, %s, %s\n", rank, size, sum, preload ? preload : "-",
           log ? log : "-", argc > 1 ? argv[1] : "-");
    MPI_Finalize();
    return argc > 2 ? atoi(argv[2]) : 0;
}
PROGRAM

# Each rank believes that it has a machine of its own; only root may do that without keeping
# processes from sharing memory.
cat >as_host.sh <<'SCRIPT'
#!/bin/sh
exec unshare --uts sh -c 'hostname "n$0" && exec "$@"' "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" "$@"
SCRIPT
chmod +x as_host.sh

tried=0
for mpi in openmpi mpich; do
    library=$(dirname "$cli")/libespalier-$mpi.so
    compiler=$(command -v mpicc.$mpi || true)
    if [[ -z $compiler || ! -e $library ]]; then
        echo "$mpi: not here, skipped"
        continue
    fi
    tried=$((tried + 1))
    "$compiler" -o "program-$mpi" program.c || exit 1
    export ESPALIER_LOG=quiet
    accepts_run() {
        run run "$@"
        ((status == 0)) || complain "$mpi: espalier run $* ends with $status"
    }
    accepts_run -n 2 -- "./program-$mpi" --flag
    for rank in 0 1; do
        holds "$mpi: rank $rank runs, with the library and the variables" \
            grep -Eq "^rank $rank of 2, 4096 good, [^ ]*libespalier-$mpi.so, quiet, --flag" "$out"
    done
    accepts_run -n 1 "./program-$mpi" -n
    holds "$mpi: what stands behind a program is its own" grep -Eq '^rank 0 of 1, .*, -n$' "$out"
    accepts_run -np 1 -- env "./program-$mpi"
    holds "$mpi: found behind env" grep -q "^rank 0 of 1, 4096 good, .*libespalier-$mpi.so" "$out"
    printf '#!/bin/sh\nexec "./program-%s" script\n' "$mpi" >script.sh
    chmod +x script.sh
    accepts_run "--mpi=$mpi" -n 1 -- ./script.sh
    holds "$mpi: a script runs when told which" grep -q 'script$' "$out"
    if [[ $mpi == openmpi ]]; then other=mpich; else other=openmpi; fi
    rejects 2 "\-\-mpi: .*program-$mpi' is linked with" run --mpi "$other" -n 1 -- "./program-$mpi"
    if [[ $mpi == openmpi ]]; then passed=(--tag-output) shape='^\[1,0\]<stdout>'; else passed=(-prepend-rank) shape='^\[0\]'; fi
    accepts_run "${passed[@]}" -n 1 -- "./program-$mpi"
    holds "$mpi: the launcher's own options reach it" grep -Eq "$shape" "$out"
    run run -n 1 -- "./program-$mpi" x 7
    holds "$mpi: the program's status is ours, not $status" test "$status" = 7
    ESPALIER=off accepts_run -n 2 -- "./program-$mpi"
    holds "$mpi: switched off, it still runs" grep -q '^rank 1 of 2, 4096 good' "$out"

    measurer=$(dirname "$cli")/espalier-measure-$mpi
    launcher=$(command -v "mpirun.$mpi" || command -v "mpiexec.$mpi")
    if [[ -x $measurer ]]; then
        unset ESPALIER_LOG
        "$launcher" -n 2 "$cli" measure --budget 2s -o net.json >"$out" 2>"$err" </dev/null
        holds "$mpi: measure succeeds" test $? = 0
        accepts convert net.json --json
        json_holds "$mpi: it writes a network" 'd["model"] == "grid" and "at" in d["measured"]' net.json
        rm -f net.json
        for ranks in 1 2 3; do
            rm -f net.json dir.db
            "$launcher" -n $ranks "$cli" measure --budget 1s -o net.json --into dir.db --by me \
                >"$out" 2>"$err" </dev/null
            holds "$mpi: measure --into succeeds on $ranks ranks" test $? = 0
            if ((ranks == 1)); then
                rejects 2 'no pair was measured' directory export dir.db
                continue
            fi
            accepts directory export dir.db -o from.json
            holds "$mpi: the directory says what the file does, $ranks ranks" \
                python3 "$root/tests/endtoend/same_costs.py" net.json from.json
            json_holds "$mpi: it says who measured" 'd["measured"]["measured_by"] == ["me"]' from.json
            accepts plan broadcast dir.db --bytes 1MiB
        done
        if PMI_RANK=0 ./as_host.sh true 2>/dev/null; then
            rm -f net.json dir.db
            "$launcher" -n 3 ./as_host.sh "$cli" measure --budget 2s -o net.json --into dir.db \
                >"$out" 2>"$err" </dev/null
            holds "$mpi: measure --into succeeds on three hosts" test $? = 0
            accepts directory export dir.db -o from.json
            holds "$mpi: the directory says what the file does, three hosts" \
                python3 "$root/tests/endtoend/same_costs.py" net.json from.json
            json_holds "$mpi: there are three" \
                'sum(len(c.get("nodes", "x" * c.get("size", 0))) for c in d["clusters"]) == 3' from.json
        fi
        "$launcher" -n 2 "$cli" measure --into net.json >"$out" 2>"$err" </dev/null
        holds "$mpi: measure ends with 2 where the directory is none" test $? = 2
        holds "$mpi: one line says that, too" \
            test "$(grep -c '^espalier: net.json: is no directory of measurements' "$err")" = 1
        rm -f net.json from.json dir.db*
        "$launcher" -n 2 "$cli" measure -o nowhere/net.json >"$out" 2>"$err" </dev/null
        holds "$mpi: measure ends with 2 where it can't write" test $? = 2
        holds "$mpi: one line says so" test "$(grep -c '^espalier: nowhere/net.json: ' "$err")" = 1
    fi
done
((tried > 0)) || skip "no MPI"
finish
