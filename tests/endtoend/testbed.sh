#!/bin/bash
# The testbed: hosts with a network of their own, commands and MPI jobs on them, and nothing left
# behind, whatever ends first.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"

cat >"$work/bed.json" <<'END'
{"format":"espalier-testbed","version":1,
 "sites":[{"name":"north","uplink":"200Mbit/s","downlink":"200Mbit/s"},
          {"name":"south","uplink":"200Mbit/s","downlink":"200Mbit/s"}],
 "clusters":[{"name":"n","site":"north","hosts":2,"rate":"1Gbit/s","latency":"60us"},
             {"name":"s","site":"south","hosts":2,"rate":"1Gbit/s","latency":"60us"}],
 "latency":[["n","s","5ms"]]}
END

needs_testbed "$work/bed.json"

# What a command on hosts sees, and what its caller sees of it.
# shellcheck disable=SC2016
testbed run "$work/bed.json" --sysctl net.ipv4.tcp_slow_start_after_idle=0 -- bash -c '
    on() { "$0" on "$@"; }
    on s-1 -- sh -c "hostname; getent hosts n-0; cat /proc/sys/net/ipv4/tcp_slow_start_after_idle"
    cd /usr/lib && on n-0 -- pwd
    echo words | on n-1 -- cat
    WORD=of-mine on n-1 -- sh -c "echo \$WORD"
    on n-0 -- sh -c "exit 7"; echo "status $?"
    on n-0 -- sh -c "kill -TERM \$\$"; echo "status $?"
    on n-0 -- nonesuch 2>/dev/null; echo "status $?"
    on n-1 -- sleep 1000 & sleep 0.3; kill $!; wait $!; echo "status $?"
    "$0" hosts | cut -f 1,2,4 | tail -1
    exit 3' "$testbed"
holds "the status is the command's" ends_with 3
holds "commands see their host" prints "s-1
10.77.0.1       n-0
0
/usr/lib
words
of-mine
status 7
status 143
status 127
status 143
s-1	10.77.0.4	south"
holds "nothing is left" nothing_left

# Data arrive as they were, no sooner than light allows; what crosses is cut, queued and delayed.
cat >"$work/peer.py" <<'END'
import hashlib, socket, sys, time
data = bytes(i * 7 % 251 for i in range(100_003)) * 30
if sys.argv[1] == "serve":
    server = socket.create_server(("", 7000))
    print("ready", flush=True)
    with server.accept()[0] as peer:
        digest = hashlib.sha256()
        while part := peer.recv(1 << 16):
            digest.update(part)
        peer.sendall(digest.digest())
else:
    begin = time.monotonic()
    with socket.create_connection(("s-0", 7000)) as peer:
        connected = time.monotonic() - begin
        peer.sendall(data)
        peer.shutdown(socket.SHUT_WR)
        answer = peer.recv(32)
    took = time.monotonic() - begin
    print("same" if answer == hashlib.sha256(data).digest() else "different",
          "after a round trip" if 9.7e-3 < connected else f"connected in {connected}",
          "at the rate" if len(data) / 25e6 < took else f"done in {took}")
END
# shellcheck disable=SC2016
testbed run "$work/bed.json" -- bash -c '
    exec 3< <("$0" on s-0 -- python3 "$1/peer.py" serve)
    read -r _ <&3
    "$0" on n-0 -- python3 "$1/peer.py" send' "$testbed" "$work"
holds "3 MB cross whole" prints "same after a round trip at the rate"

# Whatever ends first: one line, and nothing is left. The keeper is the parent of the hosts.
# shellcheck disable=SC2016
find_hosts='keeper=$(pgrep -P "$PPID" -f "$1/bed.json"); hosts=($(pgrep -P "$keeper"))'
# shellcheck disable=SC2016
testbed run "$work/bed.json" -- bash -c "$find_hosts"'
    "$0" on n-0 -- sleep 1000 & sleep 0.2; kill -9 "${hosts[2]}"; sleep 1000' "$testbed" "$work"
holds "a host that dies is named" refuses 2 'host s-0: died'
holds "nothing is left when a host dies" nothing_left
# shellcheck disable=SC2016
testbed run "$work/bed.json" -- bash -c "$find_hosts"'
    "$0" on n-0 -- sleep 1000 & sleep 0.2; kill -9 "$keeper"; sleep 1000' "$testbed" "$work"
holds "a testbed that ends is told" refuses 2 'taken down before its command ended'
holds "nothing is left when the keeper is killed" nothing_left
# shellcheck disable=SC2016
testbed run "$work/bed.json" -- bash -c 'kill -9 "$PPID"; sleep 1000'
holds "nothing is left when the one who runs it is killed" nothing_left

# One that stays.
testbed up "$work/bed.json" --name stays
holds "it comes up" ends_with 0
testbed up "$work/bed.json" --name stays
holds "a name is used once" refuses 2 '--name: a testbed stays is already up'
testbed on n-1 --name stays -- hostname
holds "it stays up" prints n-1
testbed on elsewhere --name stays -- true
holds "a host that is not there" refuses 2 'has no host elsewhere'
testbed down --name stays
holds "it goes down" ends_with 0
holds "nothing is left of it" nothing_left
testbed on n-1 --name stays -- true
holds "it is gone" refuses 2 'no testbed stays is up'

testbed run "$work/bed.json" --congestion nonesuch -- true
holds "an unknown congestion control" refuses 2 '--congestion: this kernel has no nonesuch'
testbed run "$work/bed.json" --sysctl net.ipv4.nonesuch=1 -- true
holds "an unknown sysctl" refuses 2 'net.ipv4.nonesuch'
testbed run "$work/nonesuch.json" -- true
holds "a file that is not there" refuses 2 'nonesuch.json'
testbed run "$work/bed.json"
holds "no command" refuses 2 'COMMAND'
holds "nothing is left of what did not come up" nothing_left

# Without root, where the kernel lets users have namespaces and the build folder can be read.
if ((EUID == 0)) && nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups) &&
    "${nobody[@]}" unshare --user true 2>/dev/null && "${nobody[@]}" test -x "$testbed"; then
    chmod 755 "$work" && mkdir "$work/nobody" && chown 65534:65534 "$work/nobody"
    status=0
    # shellcheck disable=SC2016
    (cd / && XDG_RUNTIME_DIR=$work/nobody timeout 60 "${nobody[@]}" "$testbed" run "$work/bed.json" \
        -- sh -c '"$0" on n-0 -- sh -c "id -u; hostname"' "$testbed") \
        >"$out" 2>"$err" </dev/null || status=$?
    if "${nobody[@]}" test -w /dev/net/tun; then
        holds "it needs no root" prints "65534
n-0"
    else
        holds "it says what others may not open" refuses 2 '/dev/net/tun, which --carrier kernel does without: Permission denied'
    fi
    holds "nothing is left without root" test -z "$(ls -A "$work/nobody")"
else
    echo "not tried without root: already so, or not allowed here"
fi

# MPI jobs; a sanitizer's run time would have to come before the shim that they preload.
cat >"$work/names.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int count, char** words) {
    char name[64], names[4][64];
    int rank = 0, size = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    gethostname(name, sizeof name);
    MPI_Gather(name, 64, MPI_CHAR, names, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; ++i) printf("%s\n", names[i]);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(0);
}
END
for flavour in openmpi mpich; do
    if [[ -n ${ESPALIER_SANITIZE:-} ]] || ! command -v "mpicc.$flavour" >/dev/null; then continue; fi
    "mpicc.$flavour" -o "$work/names-$flavour" "$work/names.c" || exit 1
    testbed run "$work/bed.json" -- "$testbed" mpirun "$flavour" -n 3 -- "$work/names-$flavour"
    holds "$flavour: a rank on each host, in order" prints "n-0
n-1
s-0"
    preloaded=(-x LD_PRELOAD=libm.so.6)
    [[ $flavour == mpich ]] && preloaded=(-genv LD_PRELOAD libm.so.6)
    # shellcheck disable=SC2016
    testbed run "$work/bed.json" -- "$testbed" mpirun "$flavour" -n 1 "${preloaded[@]}" -- \
        sh -c 'echo "$LD_PRELOAD"'
    holds "$flavour: what is preloaded besides stays" prints "$build/libespalier-patient.so:libm.so.6"
done

finish
