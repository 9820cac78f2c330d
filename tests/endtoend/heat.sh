#!/usr/bin/env bash
# examples/heat: what a serial run makes, bit by bit, whatever the slices and when they change; the
# step time that was predicted, on SMPI, on platforms that convert writes; and what it refuses.
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

export ESPALIER_TEST_HOSTS=a,b,d,c,a,b,c
heat=$ESPALIER_BUILD/examples/heat/heat
small="--network tests/mpi/ring-network.json --rows 40 --columns 60 --steps 20 --planning 0.1"

# heat FLAVOUR RANKS ARGS...: its status is in $status.
heat() {
    local flavour=$1 ranks=$2 launch
    shift 2
    case $flavour in
        openmpi) launch="mpirun.openmpi --oversubscribe --allow-run-as-root -np $ranks" ;;
        mpich) launch="mpiexec.mpich -n $ranks" ;;
        smpi)
            launch="smpirun -np $ranks -platform ${platform:-tests/mpi/smpi-platform.xml}"
            launch+=" -hostfile ${hostfile:-tests/mpi/smpi-hosts.txt}"
            launch+=" --cfg=smpi/simulate-computation:no --log=root.thresh:critical ${factors:-}"
            ;;
    esac
    status=0
    # shellcheck disable=SC2086
    $launch "$heat"_"$flavour" "$@" >"$out" 2>"$err" </dev/null || status=$?
}

# is_identical WHAT
is_identical() {
    holds "$1" grep -qx 'check identical' "$out"
    holds "$1: ends with $status" test "$status" = 0
}

# value KEY
value() { awk -v key="$1" '$1 == key { print $2 }' "$out"; }

# near A B: within 10%.
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0.9 * b && a < 1.1 * b) }'; }

tried=0
for flavour in openmpi mpich smpi; do
    [[ -e ${heat}_$flavour ]] || continue
    tried=$((tried + 1))
    for ranks in 1 2 3 7; do
        # shellcheck disable=SC2086
        heat $flavour $ranks $small --check
        is_identical "$flavour, $ranks ranks"
    done
    # shellcheck disable=SC2086
    heat $flavour 4 $small --order random:3 --check
    is_identical "$flavour, a random order"
    # shellcheck disable=SC2086
    heat $flavour 3 $small --columns 3 --order speed --check
    is_identical "$flavour, a column each"

    heat $flavour 2 --network nowhere.json
    holds "$flavour: says once that there is no network" \
        test "$(grep -c '^heat: nowhere.json' "$err")" = 1
    heat $flavour 1 --network tests/mpi/ring-network.json --rows 0
    holds "$flavour: refuses 0 rows" grep -q '^heat: --rows' "$err"
done

if [[ -e ${heat}_smpi ]]; then
    unset ESPALIER_TEST_HOSTS
    for latencies in "" --latencies; do
        # shellcheck disable=SC2086
        accepts generate tiers --hosts 8 --seed 2 --bandwidth-factor 125000 $latencies \
            -o "$work/net.json"
        accepts convert "$work/net.json" --to simgrid -o "$work/net.xml" \
            --hostfile "$work/hosts"
        platform=$work/net.xml hostfile=$work/hosts
        # SMPI's own factors would make latencies 12 times what the platform says, and traffic that
        # goes back counts by weights, too.
        neutral="--cfg=smpi/lat-factor:0:1;1:1 --cfg=smpi/bw-factor:0:1;1:1"
        factors="$neutral --cfg=network/crosstraffic:0"
        run_here="--network $work/net.json --rows 16384 --columns 400 --work 3 --planning 1"
        # shellcheck disable=SC2086
        heat smpi 8 $run_here --steps 30
        holds "predicts the step time ($latencies)" \
            near "$(value predicted_step_time)" "$(value executed_step_time)"
        # shellcheck disable=SC2086
        heat smpi 8 $run_here --steps 30 --order random:1
        holds "predicts the step time of a random order ($latencies)" \
            near "$(value predicted_step_time)" "$(value executed_step_time)"
    done
    # shellcheck disable=SC2086
    heat smpi 8 $run_here --steps 80 --work 30 --rows 1024 --slow "$(head -1 "$hostfile"):20:8" --check
    is_identical "a host that slows down"
    stays=$(value total_time)
    # shellcheck disable=SC2086
    heat smpi 8 $run_here --steps 80 --work 30 --rows 1024 --slow "$(head -1 "$hostfile"):20:8" --adapt 5 \
        --check
    is_identical "slices that change"
    holds "slices anew" test "$(value sliced_anew)" -ge 1
    holds "gains by slicing anew" \
        awk -v a="$(value total_time)" -v b="$stays" 'BEGIN { exit !(a < 0.8 * b) }'
fi

((tried > 0)) || skip "no MPI"
finish
