# Hosts in an order that suits the network: the files, and that launchers number ranks by them.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"
cd "$work" || exit 1
network=$root/examples/table4/measured.json

# shuffled SEED: the hosts of the network, a line each.
shuffled() {
    python3 -c 'import json, random, sys
hosts = [host for c in json.load(open(sys.argv[1]))["clusters"] for host in c["nodes"]]
random.Random(int(sys.argv[2])).shuffle(hosts)
print("\n".join(hosts))' "$network" "$1"
}
shuffled 1 >shuffled
holds 'there are 88' test "$(wc -l <shuffled)" = 88

for target in openmpi openmpi-rankfile mpich slurm torchrun; do
    accepts order "$network" --for "$target" --hosts shuffled --collectives allreduce --bytes 1MiB --time-limit 1s -o "for-$target"
    holds "$target: says how to use it" grep -q "^Use it so: .*for-$target" "$out"
    holds "$target: has all hosts" test "$(grep -Eo 'c[0-5]-[0-9]+' "for-$target" | sort -u | wc -l)" = 88
done
holds 'a task a line' test "$(wc -l <for-slurm)" = 88

# No call is slower than in the given order, and what was shuffled gains.
accepts order "$network" --for mpich --hosts shuffled --bytes 1KiB,64KiB..256KiB:4 --collectives broadcast,allreduce --time-limit 2s --json
json_holds 'the same as JSON' 'd["format"] == "espalier-order" and d["version"] == 1 and d["library"] == "mpich" and d["slots"] == 1 and len(set(d["hosts"])) == 88'
json_holds 'each call has its gain' '[(c["collective"], c["bytes"]) for c in d["calls"]] == [(k, b) for k in ("broadcast", "allreduce") for b in (1024, 65536, 262144)]'
json_holds 'no call is slower' 'all(c["ordered_s"] <= c["given_s"] * 1.000001 for c in d["calls"]) and d["gain"] > 1.5'
accepts order "$network" --for openmpi --hosts shuffled --time-limit 1s -o -
holds 'a file on standard output stands alone' test "$(wc -l <"$out")" = 88
accepts order "$networks/cluster.json" --for openmpi
holds 'hosts that are alike stay' grep -q 'in the given order' "$out"

rejects 2 "--for: 'pbs' is none of openmpi" order "$network" --for pbs
rejects 2 "did you mean slurm" order "$network" --for slrum
rejects 2 "--collectives: 'sum' is none" order "$network" --for openmpi --collectives sum
rejects 2 'not known how Gloo does a reduce' order "$network" --for torchrun --collectives reduce
rejects 2 "--bytes: '1MiB..1KiB' is no range" order "$network" --for openmpi --bytes 1MiB..1KiB
rejects 2 '--bytes: a word of the list is empty' order "$network" --for openmpi --bytes 1KiB,
rejects 2 'sender network does not say' order "$networks/sender.json" --for openmpi
printf 'c0-1\n\n# the others\nnobody slots=1\n' >hosts
rejects 2 "hosts: line 4: the network has no host 'nobody'" order "$network" --for openmpi --hosts hosts
printf 'c0-1\nc0-1\n' >hosts
rejects 2 "hosts: line 2: 'c0-1' is there twice" order "$network" --for openmpi --hosts hosts
printf 'c0-1 slots=2\nc0-2:3\n' >hosts
rejects 2 'hosts: line 2: all hosts need the same number of slots' order "$network" --for openmpi --hosts hosts
printf 'c0-1 slots=0\n' >hosts
rejects 2 'hosts: line 1' order "$network" --for openmpi --hosts hosts
: >hosts
rejects 2 'hosts: it names no host' order "$network" --for openmpi --hosts hosts

# Jobs on real hosts have their ranks in the file's order, wherever they are started.
[[ -z ${ESPALIER_SANITIZE:-} ]] || finish
cat >sites.json <<'JSON'
{"format":"espalier-testbed","version":1,
 "clusters":[{"name":"a","hosts":2,"latency":"100us","rate":"400Mbit/s"},
             {"name":"b","hosts":2,"latency":"100us","rate":"400Mbit/s"}],
 "latency":[["a","b","5ms"]]}
JSON
needs_testbed sites.json
printf '%s\n' a-0 b-0 a-1 b-1 >mixed
cat >sites-network.json <<'JSON'
{"format":"espalier-network","version":1,"model":"grid",
 "clusters":[{"name":"a","nodes":["a-0","a-1"],"local":{"latency_s":0.0001,"gap_s":{"1":1e-6,"1048576":0.02}}},
             {"name":"b","nodes":["b-0","b-1"],"local":{"latency_s":0.0001,"gap_s":{"1":1e-6,"1048576":0.02}}}],
 "latency_s":[[0,0.005],[0.005,0]],"gap_s":[[0,{"1":1e-6,"1048576":0.02}],[{"1":1e-6,"1048576":0.02},0]]}
JSON
accepts order sites-network.json --for slurm --slots 2 --collectives broadcast --bytes 1KiB -o -
holds 'two tasks a host' test "$(sort "$out" | uniq -c | grep -c '^ *2 ')" = 4
accepts order "$network" --for openmpi --slots 2 --collectives broadcast --bytes 1KiB --time-limit 10ms --json
json_holds 'clusters of one host take several ranks on it, too' 'd["slots"] == 2 and len(d["hosts"]) == 88'
cat >two-hosts.json <<'JSON'
{"format":"espalier-network","version":1,"model":"pairwise","nodes":[{"name":"a"},{"name":"b"}],"startup_s":[[0,2e-3],[1e-3,0]],"bandwidth_Bps":[[0,1e300],[1e300,0]]}
JSON
accepts order two-hosts.json --for openmpi --slots 2 --collectives broadcast --bytes 8 --json
json_holds 'ranks of a host talk as over the fastest link' 'abs(d["calls"][0]["given_s"] - 3e-3) < 1e-6'
testbed up sites.json
agent=$(echo "$work"/espalier-testbed-*/default/espalier-testbed-ssh)
for target in openmpi openmpi-rankfile mpich; do
    accepts order sites-network.json --for "$target" --hosts mixed --collectives broadcast,allreduce --bytes 1KiB -o "file-$target"
    accepts order sites-network.json --for "$target" --hosts mixed --collectives broadcast,allreduce --bytes 1KiB --json
    json 'list(d["hosts"])' >wanted
    case $target in
        openmpi) launcher=(mpirun.openmpi --map-by seq --hostfile "file-$target") ;;
        openmpi-rankfile) launcher=(mpirun.openmpi --rankfile "file-$target") ;;
        mpich) launcher=(mpiexec.mpich -launcher ssh -launcher-exec "$agent" -iface tun0 -f "file-$target") ;;
    esac
    command -v "${launcher[0]}" >/dev/null || continue
    [[ $target == mpich ]] || launcher+=(--mca plm_rsh_agent "$agent" --mca plm_rsh_no_tree_spawn 1 --mca btl tcp,self --mca oob_tcp_if_include tun0)
    testbed on b-1 -- "${launcher[@]}" sh -c 'echo ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} $(hostname)'
    sort -n "$out" | python3 -c 'import sys; print([line.split()[1] for line in sys.stdin])' >got
    holds "$target: ranks are where the file says" cmp -s wanted got
done
testbed down
finish
