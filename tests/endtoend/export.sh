# Tuning rules that Open MPI and MPICH really read, and programs for MSCCL that do their job.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"
cd "$work" || exit 1
interpreter=$root/tests/endtoend/msccl_interpreter.py

cat >four.json <<'JSON'
{"format":"espalier-network","version":1,"model":"grid",
 "clusters":[{"name":"a","nodes":["a-0","a-1"],"local":{"latency_s":0.0001,"gap_s":{"1":1e-6,"1048576":0.02}}},
             {"name":"b","nodes":["b-0","b-1"],"local":{"latency_s":0.0001,"gap_s":{"1":1e-6,"1048576":0.02}}}],
 "latency_s":[[0,0.005],[0.005,0]],"gap_s":[[0,{"1":1e-6,"1048576":0.02}],[{"1":1e-6,"1048576":0.02},0]]}
JSON

# What rules say is what is chosen, and by the measured network's uncertainty better than what is usual.
for target in openmpi-tuned mpich-json; do
    accepts export "$root/examples/table4/measured.json" --for "$target" --bytes 1KiB,1MiB --collectives broadcast,allreduce --json
    json_holds "$target: each size has its times" 'd["format"] == "espalier-tuning" and d["version"] == 1 and d["ranks"] == 88 and len(d["calls"]) == 4'
    json_holds "$target: no rule is worse" 'all(c.get("tuned_s", 0) < c["usual_s"] for c in d["calls"]) and d["gain"] >= 1'
    accepts export four.json --for "$target" -o "$target"
    holds "$target: says how to use it" grep -q "^Use it so: .*$target" "$out"
done

accepts export "$root/examples/table4/network.json" --for openmpi-tuned --slots 2 --bytes 1KiB --collectives broadcast --json
json_holds 'clusters of one host take several ranks on it' 'd["ranks"] == 176'
accepts export four.json --for openmpi-tuned --collectives allreduce,allgather -o rules
holds 'recursive doubling keeps the order' test "$(grep -c 'do not commute' "$err")" = 0
accepts export four.json --for openmpi-tuned --collectives reduce -o rules
holds 'what Open MPI would add up wrongly is said' grep -q '^espalier: warning: .* do not commute' "$err"

# Open MPI follows the rules: it cuts what it usually sends whole.
cat >calls.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks = 0, rank = 0, wrong = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int count = argc > 1 ? 131072 : 1; count <= 131072; count *= 32) {
        double* in = calloc((size_t)(count * ranks), sizeof *in);
        double* out = calloc((size_t)(count * ranks), sizeof *out);
        for (int i = 0; i < count * ranks; ++i) in[i] = rank == 0 ? 7 : 0;
        MPI_Bcast(in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        wrong += in[count - 1] != 7;
        if (argc == 1) {
            for (int i = 0; i < count * ranks; ++i) in[i] = rank + 1;
            MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            wrong += out[count - 1] != ranks * (ranks + 1) / 2;
            MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
            MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
            wrong += out[count * ranks - 1] != ranks || out[0] != 1;
            MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
            wrong += out[count * ranks - 1] != ranks || out[0] != 1;
            MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            wrong += out[count - 1] != ranks * (ranks + 1) / 2;
            MPI_Gather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
            MPI_Scatter(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
            MPI_Scan(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            wrong += out[count - 1] != (rank + 1) * (rank + 2) / 2;
            MPI_Exscan(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Request all[12];
            double* more = calloc((size_t)(12 * count * ranks), sizeof *more);
            double* to[12];
            for (int r = 0; r < 12; ++r) to[r] = more + (size_t)r * (size_t)(count * ranks);
            MPI_Ibcast(to[0], count, MPI_DOUBLE, 0, MPI_COMM_WORLD, all);
            MPI_Iallreduce(in, to[1], count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, all + 1);
            MPI_Ireduce(in, to[2], count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, all + 2);
            MPI_Iallgather(in, count, MPI_DOUBLE, to[3], count, MPI_DOUBLE, MPI_COMM_WORLD, all + 3);
            MPI_Ialltoall(in, count, MPI_DOUBLE, to[4], count, MPI_DOUBLE, MPI_COMM_WORLD, all + 4);
            MPI_Ireduce_scatter_block(in, to[5], count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, all + 5);
            MPI_Igather(in, count, MPI_DOUBLE, to[6], count, MPI_DOUBLE, 0, MPI_COMM_WORLD, all + 6);
            MPI_Iscatter(in, count, MPI_DOUBLE, to[7], count, MPI_DOUBLE, 0, MPI_COMM_WORLD, all + 7);
            MPI_Iscan(in, to[8], count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, all + 8);
            MPI_Iexscan(in, to[9], count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, all + 9);
            MPI_Ibarrier(MPI_COMM_WORLD, all + 10);
            MPI_Iallreduce(in, to[11], count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, all + 11);
            MPI_Waitall(12, all, MPI_STATUSES_IGNORE);
            wrong += to[11][count - 1] != ranks;
            free(more);
        }
        free(in);
        free(out);
    }
    MPI_Finalize();
    return wrong != 0;
}
C
if [[ -z ${ESPALIER_SANITIZE:-} ]] && command -v mpirun.openmpi mpicc.openmpi >/dev/null; then
    mpicc.openmpi calls.c -o calls.openmpi
    # messages SWITCH: how many messages rank 0 sends rank 1 in a broadcast of 1 MiB, by Open MPI's own count.
    messages() {
        rm -f prof.*
        timeout 60 mpirun.openmpi --oversubscribe --mca btl tcp,self --mca pml ^ucx,cm --mca pml_monitoring_enable 1 --mca pml_monitoring_enable_output 3 \
            --mca pml_monitoring_filename "$work/prof" --mca coll_tuned_use_dynamic_rules "$1" --mca coll_tuned_dynamic_rules_filename "$work/openmpi-tuned" \
            -n 4 ./calls.openmpi broadcast >"$out" 2>"$err" || return
        awk '$1 == "E" && $2 == 0 && $3 == 1 { print $6 }' prof.0.prof
    }
    holds 'the rule from 64 KiB on is the chain in segments' grep -q '^65536 3 0 8192 # pipeline' openmpi-tuned
    holds 'with the rules there are 128 messages of 8 KiB' test "$(messages 1)" = 128
    holds 'without them there is one' test "$(messages 0)" = 1
    timeout 100 mpirun.openmpi --oversubscribe --mca btl tcp,self --mca pml ob1 --mca coll_tuned_use_dynamic_rules 1 \
        --mca coll_tuned_dynamic_rules_filename "$work/openmpi-tuned" -n 4 ./calls.openmpi >"$out" 2>"$err" || complain 'all is right under the rules'
fi
if [[ -z ${ESPALIER_SANITIZE:-} ]] && command -v mpiexec.mpich mpicc.mpich >/dev/null; then
    mpicc.mpich -w calls.c -o calls.mpich
    for ranks in 3 4 5; do
        MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$work/mpich-json timeout 100 mpiexec.mpich -n $ranks ./calls.mpich >"$out" 2>"$err" ||
            complain "MPICH does all right under the selection on $ranks ranks"
    done
    # It is read: of an algorithm that there is not, MPICH complains.
    sed 's/MPIR_Bcast_intra_binomial/MPIR_Bcast_intra_nothing/' mpich-json >broken
    ! MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$work/broken timeout 100 mpiexec.mpich -n 4 ./calls.mpich >"$out" 2>&1 || complain 'MPICH does not read the selection'
fi

# Plans as programs for MSCCL: of each collective, by several algorithms, on networks of three models.
check_msccl() {
    local collective=$1 network=$2 position=0
    shift 2
    accepts plan "$collective" "$network" --ranks -o plan.json "$@"
    [[ $(json 'd.get("root")' plan.json) == None ]] || position=$(json 'd["nodes"].index(d["root"])' plan.json)
    accepts export plan.json --for msccl-xml -o program.xml
    timeout 100 python3 "$interpreter" program.xml "$position" 10 >"$out" 2>"$err" || complain "$collective on $network, $*: the program is wrong"
}
for collective in broadcast reduce allreduce allgather reduce-scatter alltoall; do
    for network in four.json "$networks/cluster.json" "$networks/pairwise.json"; do
        [[ $network != *pairwise.json ]] || python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
d["startup_s"] = [[0.01 * (i != j) for j in range(4)] for i in range(4)]
d["bandwidth_Bps"] = [[1e6 for j in range(4)] for i in range(4)]
json.dump(d, open("pairs.json", "w"))' "$network"
        [[ $network != *pairwise.json ]] || network=pairs.json
        for bytes in 8 1MiB; do check_msccl "$collective" "$network" --bytes $bytes; done
    done
done
check_msccl broadcast four.json --bytes 1MiB --root b-1
check_msccl reduce "$networks/cluster.json" --bytes 64KiB --algorithm binomial

accepts plan scan four.json --bytes 8 --ranks -o scan.json
rejects 2 'scan.json: collective: MSCCL has no scan' export scan.json --for msccl-xml
accepts plan broadcast "$root/examples/table4/network.json" --algorithm ecef --bytes 1MiB -o clusters.json
rejects 2 'clusters.json: local: its nodes are clusters' export clusters.json --for msccl-xml
rejects 2 "--for: 'nccl' is none of openmpi-tuned, mpich-json, msccl-xml" export four.json --for nccl
rejects 2 '--slots: only of a network' export plan.json --for msccl-xml --slots 2
rejects 2 'openmpi-tuned takes no rules for gather' export four.json --for openmpi-tuned --collectives gather
rejects 2 "--collectives: 'sum' is none" export four.json --for mpich-json --collectives sum
rejects 2 'sender network does not say' export "$networks/sender.json" --for mpich-json
finish
