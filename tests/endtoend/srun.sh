# Slurm's srun starts programs of either MPI, and its variables don't tell which one's.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
unset "${!PMI_@}" "${!PMIX_@}" "${!OMPI_@}" "${!SLURM_@}" MPI_LOCALNRANKS

# A command whose measuring programs only say their name and what they were given.
mkdir "$work/bin"
cp "$cli" "$work/bin/espalier"
cli=$work/bin/espalier
for mpi in openmpi mpich; do
    printf '#!/bin/sh\necho %s "$@"\n' "$mpi" >"$work/bin/espalier-measure-$mpi"
    chmod +x "$work/bin/espalier-measure-$mpi"
done

# becomes WHAT ARGS...: the program, and what it was given.
becomes() {
    local expected=$1
    shift
    accepts measure "$@"
    holds "measure $* becomes $expected" test "$(<"$out")" = "$expected"
}

export PMI_RANK=0 PMI_SIZE=2
becomes 'mpich -o x' -o x
export MPI_LOCALNRANKS=2 SLURM_STEP_ID=0 # MPICH's own launcher, started by srun
becomes 'mpich -o x' -o x
unset MPI_LOCALNRANKS
for started in 'PMI_RANK=0' 'PMIX_RANK=0'; do
    unset PMI_RANK PMI_SIZE PMIX_RANK
    export "${started?}"
    rejects 2 'measure: started by srun, .* say which with --mpi openmpi.mpich' measure -o x
    becomes 'openmpi -o x' --mpi openmpi -o x
    becomes 'mpich -o x --json' -o x --mpi=mpich --json
    rejects 2 "mpi: 'mvapich' is not openmpi or mpich" measure --mpi mvapich
    rejects 2 'mpi: openmpi or mpich was expected' measure --mpi
    export OMPI_COMM_WORLD_SIZE=2 # Open MPI's own launcher, started by srun
    becomes 'openmpi -o x' -o x
    unset OMPI_COMM_WORLD_SIZE
done
rm "$work/bin/espalier-measure-openmpi"
becomes 'mpich -o x' -o x
rejects 2 'espalier-measure-openmpi: not found beside espalier' measure --mpi openmpi
rm "$work/bin/espalier-measure-mpich"
rejects 2 'espalier-measure-openmpi: not found beside espalier' measure
unset PMIX_RANK PMI_RANK
rejects 2 'not under an MPI launcher' measure --mpi openmpi

# Where Slurm alone starts programs, `run` says how it would.
printf '#!/bin/sh\nPATH=%s exec %s "$@"\n' "$work/none" "$cli" >"$work/without_launchers"
chmod +x "$work/without_launchers"
cli=$work/without_launchers
rejects 2 'no launcher of MPICH was found .mpirun.$' run --mpi mpich -n 1 -- /bin/true
export SLURM_JOB_ID=1
rejects 2 'no launcher of MPICH was found .mpirun.; srun starts programs with LD_PRELOAD set' run --mpi mpich -n 1 -- /bin/true
finish
