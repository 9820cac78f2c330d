#!/bin/bash
# What is wrong with a network is found on a testbed, under each MPI and over a host file; on a healthy one
# nothing is. Bad usage ends with one line and status 2.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"
unset "${!ESPALIER_@}"

rejects 2 'doctor: not under an MPI launcher, and no --hostfile' doctor
rejects 2 'nonesuch: No such file' doctor --hostfile "$work/nonesuch"
printf '# nobody\n\n' >"$work/nobody"
rejects 2 'nobody: it names no host' doctor --hostfile "$work/nobody"
printf 'a\nb slots=2\na\n' >"$work/twice"
rejects 2 "twice: line 3: 'a' is there twice" doctor --hostfile "$work/twice"
rejects 2 '\-\-mpi: ' doctor --hostfile "$work/twice" --mpi lam
rejects 2 'nonesuch.json: ' doctor --from "$work/nonesuch.json"
rejects 2 '\-\-hostfile: makes no sense with --from' doctor --from x.json --hostfile "$work/twice"
echo '{"format":"espalier-doctor","version":1,"findings":[],"hosts":[],"pairs":[]}' >"$work/empty.json"
rejects 2 'empty.json: hosts: there is none' doctor --from "$work/empty.json"

[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "a sanitizer's run time would have to be preloaded first"
[[ -e $build/espalier-doctor-openmpi ]] && command -v mpirun.openmpi >/dev/null || skip "no Open MPI"

status=0
OMPI_MCA_rmaps_base_oversubscribe=1 mpirun.openmpi -n 2 "$cli" doctor >"$out" 2>"$err" || status=$?
holds "one host is refused" ends_with 2
holds "with one line of ours" test "$(grep -c '^espalier: doctor: all ranks are on one host' "$err")" = 1
OMPI_MCA_rmaps_base_oversubscribe=1 mpirun.openmpi -n 2 "$cli" doctor --wrong >"$out" 2>"$err"
holds "one rank complains" test "$(grep -c '^espalier: --wrong: ' "$err")" = 1

for launcher in mpirun.openmpi mpiexec.mpich; do
    command -v "$launcher" >/dev/null || continue
    status=0
    OMPI_MCA_rmaps_base_oversubscribe=1 timeout 30 "$launcher" -n 2 "$cli" doctor -o "$work/none/d.json" >"$out" 2>"$err" ||
        status=$?
    holds "$launcher: a file that can't be written ends it" ends_with 2
    holds "$launcher: with one line of ours" test "$(grep -c '^espalier: .*none/d.json: ' "$err")" = 1
done

cat >"$work/bed.json" <<'END'
{"format":"espalier-testbed","version":1,
 "clusters":[{"name":"a","hosts":5,"rate":"200Mbit/s","latency":"100us"},
             {"name":"b","hosts":3,"rate":"200Mbit/s","latency":"100us"}],
 "latency":[["a","b","5ms"]]}
END
needs_testbed "$work/bed.json"
read -r congestion _ </proc/sys/net/ipv4/tcp_allowed_congestion_control

# examine FILE MPI: doctor's findings on the testbed that is up.
examine() { timeout 60 "$testbed" mpirun "$2" --eager -- "$cli" doctor -o "$1" >"$out" 2>"$err"; }
# faults FILE: `cause: host host`, a line each, in order.
faults() {
    python3 -c '
import json, sys
for finding in json.load(open(sys.argv[1]))["findings"]:
    if finding["kind"] == "fault":
        print(finding["cause"] + ":", *sorted(finding["hosts"]))' "$1" | sort
}
are() { [[ $(faults "$1") == "$2" ]] || { faults "$1"; false; }; }

testbed up "$work/bed.json" --congestion "$congestion"
holds "a testbed comes up" ends_with 0

examine "$work/healthy.json" openmpi
holds "a healthy network has no fault" are "$work/healthy.json" ""
holds "and its text says so" grep -q '^8 hosts, 1 network (tun0): nothing wrong was seen$' "$out"
holds "with a row for each host" test "$(grep -c ' tun0 ' "$out")" = 8

on() { timeout 60 "$testbed" on "$@"; }
timeout 60 "$testbed" change a-1 rate=20Mbit/s 'a-3 send' loss=3%
on b-1 -- sysctl -qw net.ipv4.tcp_rmem='4096 16384 65536'
printf '%s slots=1\n' a-0 a-1 a-2 a-3 a-4 b-0 b-1 b-2 >"$work/hosts"
agent=$(echo "$work"/espalier-testbed-*/default/espalier-testbed-ssh)
on a-0 -- env OMPI_MCA_plm_rsh_agent="$agent" OMPI_MCA_plm_rsh_no_tree_spawn=1 GLOO_SOCKET_IFNAME=eth7 \
    "$cli" doctor --hostfile "$work/hosts" -o "$work/faults.json" >"$out" 2>"$err"
holds "each fault is named over a host file" are "$work/faults.json" "buffers: b-1
loss: a-3
slow-card: a-1
wrong-card: a-0 a-1 a-2 a-3 a-4 b-0 b-1 b-2"
holds "with what mends it" grep -q 'mend: sysctl -w net.ipv4.tcp_rmem="4096 ' "$out"
accepts doctor --from "$work/faults.json" -o -
holds "a file is judged as the network was" diff "$out" "$work/faults.json"

if [[ -e $build/espalier-doctor-mpich ]] && command -v mpiexec.mpich >/dev/null; then
    timeout 60 "$testbed" change --reset
    on b-1 -- sysctl -qw net.ipv4.tcp_rmem="$(on b-0 -- sysctl -n net.ipv4.tcp_rmem)"
    address=$(timeout 60 "$testbed" hosts | awk '$1 == "a-4" {print $2}')
    [[ $address == 10.* ]] || address=10.77.0.5
    on b-2 -- ip address add "$address/16" dev tun0
    examine "$work/mpich.json" mpich
    holds "an address that two hosts bear is named under MPICH" are "$work/mpich.json" "duplicate-address: a-4 b-2"
fi
testbed down
holds "nothing is left" nothing_left
finish
