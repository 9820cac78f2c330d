# An MPI that has none of Debian's names is found by CMake's FindMPI, and one that is named is the only one.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "the same with a sanitizer"
command -v ninja >/dev/null || skip "no ninja"

# has FLAVOUR CONFIGURATION: whether that would build the library for it.
has() {
    [[ -n $(ninja -C "$2" -t query "libespalier-$1.so" 2>/dev/null) ]]
}
configure() {
    local folder=$1
    shift
    cmake -G Ninja -S "$root" -B "$folder" -DBUILD_TESTING=OFF "$@" >"$out" 2>"$err"
    holds "$folder is configured" test $? = 0
}
cd "$work" || exit 1

for mpi in openmpi mpich; do
    compiler=$(command -v mpicc.$mpi) || continue
    configure "only-$mpi" -DMPI_C_COMPILER="$compiler"
    for other in openmpi mpich; do
        expected=0
        [[ $mpi == "$other" ]] || expected=1
        has $other "only-$mpi"
        holds "mpicc.$mpi alone decides of $other" test $? = $expected
    done
done

if command -v mpicc >/dev/null; then
    configure nameless -DESPALIER_MPICXX_OPENMPI=NO -DESPALIER_MPICXX_MPICH=NO
    has openmpi nameless || has mpich nameless
    holds 'mpicc is found' test $? = 0
fi
configure without -DESPALIER_MPI=OFF
has openmpi without || has mpich without
holds 'none is wanted' test $? = 1
finish
