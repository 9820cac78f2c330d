# Shared by scripts that preload the library under a program in C; source it. Needs ESPALIER_BUILD,
# the build folder.
set -uo pipefail

if [[ -n ${ESPALIER_SANITIZE:-} ]]; then
    echo "skipped: a sanitizer's run time has to be loaded before a preloaded library"
    exit 77
fi

build=${ESPALIER_BUILD:?the build folder}
network=tests/mpi/bcast-network.json
hosts=a-0,b-0,c-0,b-1
ranks=4
flags=()  # of the compiler, for $work/program.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe  # the same to Open MPI 5
unset LD_PRELOAD "${!ESPALIER_@}"

# expect WHAT CONDITION...: a command that must succeed.
expect() {
    local what=$1
    shift
    if "$@"; then
        echo "ok: $flavour: $what"
    else
        echo "FAILED: $flavour: $what"
        echo "    status $status"
        sed 's/^/    /' "$work/out" "$work/err" | head -10
        failures=$((failures + 1))
    fi
}

# run LIBRARY [WORD...] [-- VARIABLE=value...]: the program with these words on $ranks ranks, one on
# each of $hosts, the library preloaded (empty: not); its status is in $status, what it says in
# $work/out and $work/err.
run() {
    local library=$1 words=()
    shift
    while (($# > 0)) && [[ $1 != -- ]]; do
        words+=("$1")
        shift
    done
    status=0
    env ESPALIER_TEST_HOSTS=$hosts ESPALIER_MEASURE=off "${@:2}" timeout 100 "${launcher[@]}" -n "$ranks" \
        env LD_PRELOAD="$library" "$program" "${words[@]}" >"$work/out" 2>"$work/err" </dev/null ||
        status=$?
}

right() { [[ $status == 0 && $(cat "$work/out") == "0 wrong" ]]; }
# MPICH's transport may add lines of its own about what a peer never answered.
gets() { [[ $status == 0 ]] && grep -qx '0 wrong' "$work/out"; }
lines() { [[ $(grep -c '^espalier: ' "$work/err") == "$1" ]]; }
at_most_one_line() { [[ $(grep -c '^espalier: ' "$work/err") -le 1 ]]; }
says() { grep -q "$1" "$work/err"; }

# at_once FUNCTION...: in a process of its own, whose id is added to $jobs.
at_once() {
    (
        failures=0
        work=$work/$BASHPID
        mkdir "$work"
        "$@"
        exit "$failures"
    ) &
    jobs+=($!)
}

# with_each_mpi FUNCTION: builds $work/program.c for each MPI that is here, and calls the function;
# $flavour, $library, $program and $launcher are those of this MPI. Ends the script.
with_each_mpi() {
    local tried=0
    for flavour in openmpi mpich; do
        library=$build/libespalier-$flavour.so
        if [[ ! -f $library ]] || ! command -v "mpicc.$flavour" >/dev/null; then continue; fi
        tried=1
        program=$work/program_$flavour
        "mpicc.$flavour" -O1 -o "$program" "$work/program.c" "${flags[@]}" || exit 1
        case $flavour in
        openmpi) launcher=(mpirun.openmpi) ;;
        mpich) launcher=(mpiexec.mpich) ;;
        esac
        "$1"
    done
    ((tried == 1)) || exit 77
    exit $((failures > 0))
}
