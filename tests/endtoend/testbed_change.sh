#!/bin/bash
# A testbed that changes while it runs: what programs on its hosts see of rates, latencies, losses,
# others' traffic and traces, under each carrier that this machine has for them.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"

cat >"$work/bed.json" <<'END'
{"format":"espalier-testbed","version":1,
 "sites":[{"name":"north","uplink":"80Mbit/s"},{"name":"south"}],
 "clusters":[{"name":"n","site":"north","hosts":1,"rate":"100Mbit/s"},
             {"name":"s","site":"south","hosts":2,"rate":"200Mbit/s","latency":"0s"}],
 "latency":[["n","s","0s"]]}
END
sed 's/\["n","s","0s"\]/["n","s","20ms"]/' "$work/bed.json" >"$work/far.json"

# On s-0: answers UDP, and counts what comes by TCP. On n-0: `ping N` prints the median round trip in
# ms and how many of N answers came; `flow SECONDS COMMAND...` sends all the time, runs the command
# after SECONDS, and prints the Mbit/s that came in the second half of SECONDS before it and after.
cat >"$work/peer.py" <<'END'
import select, socket, statistics, subprocess, sys, threading, time

def serve():
    echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    echo.bind(("", 7000))
    server = socket.create_server(("", 7000))
    print("ready", flush=True)
    def answer():
        while True:
            data, peer = echo.recvfrom(2048)
            echo.sendto(data, peer)
    threading.Thread(target=answer, daemon=True).start()
    def count(peer):
        got, begin = 0, time.monotonic()
        while True:
            if select.select([peer], [], [], 0.02)[0]:
                part = peer.recv(1 << 20)
                if not part:
                    return
                got += len(part)
            while time.monotonic() - begin > 0.02:
                peer.send(b"%d\n" % got)
                begin += 0.02
    while True:
        with server.accept()[0] as peer:
            try:
                count(peer)
            except OSError:
                pass  # it has seen enough

def ping(count):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.connect(("s-0", 7000))
    took = []
    for number in range(count):
        begin = time.monotonic()
        sock.send(b"%d" % number)
        sock.settimeout(0.3)
        try:
            while sock.recv(100) != b"%d" % number:
                pass
            took.append((time.monotonic() - begin) * 1e3)
        except TimeoutError:
            pass
    print(round(statistics.median(took), 2) if took else None, len(took))

def flow(seconds, command):
    sock = socket.create_connection(("s-0", 7000))
    # What has come, told by the other end: one line each 20 ms.
    told, stopped = [], threading.Event()
    def listen():
        with sock.makefile("rb") as lines:
            for line in lines:
                told.append((time.monotonic(), int(line)))
    def send():
        data = bytes(1 << 16)
        while not stopped.is_set():
            sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
    threads = [threading.Thread(target=work, daemon=True) for work in (listen, send)]
    for thread in threads:
        thread.start()
    def rate():
        time.sleep(seconds / 2)
        first = told[-1]
        time.sleep(seconds / 2)
        last = told[-1]
        return round((last[1] - first[1]) * 8e-6 / (last[0] - first[0]), 2)
    before = rate()
    subprocess.run(command, check=True)
    print(before, rate())
    stopped.set()

if sys.argv[1] == "serve":
    serve()
elif sys.argv[1] == "ping":
    ping(int(sys.argv[2]))
else:
    flow(float(sys.argv[2]), sys.argv[3:])
END

needs_testbed "$work/bed.json"

# up FILE ARGS...: a testbed with a server on s-0.
up() {
    testbed up "$work/$1" --sysctl net.ipv4.tcp_slow_start_after_idle=0 "${@:2}"
    holds "$1: it comes up" ends_with 0
    exec 3< <("$testbed" on s-0 -- python3 "$work/peer.py" serve 2>/dev/null)
    read -r _ <&3
}
peer() { testbed on n-0 -- python3 "$work/peer.py" "$@"; }
# in_force: what differs from the description, without the title.
in_force() {
    testbed change
    sed -i 1d "$out"
}
# numbers LOW HIGH [LOW HIGH]: what was printed are numbers in these bounds.
numbers() {
    awk -v bounds="$*" '{ n = split(bounds, b, " ")
        good = NF == n / 2
        for (i = 1; i <= NF; i++) good = good && $i + 0 >= b[2 * i - 1] && $i + 0 <= b[2 * i] }
        END { exit !good }' "$out"
}

up far.json --carrier emulator
testbed change
holds "nothing is changed" prints "all is as described"
peer ping 5
holds "the latency is as described" numbers 39 48 5 5

# Latency, of one direction.
testbed change n s latency=50ms
holds "a change says nothing" prints ""
peer ping 5
holds "a higher latency" numbers 69 78 5 5
testbed change n-0 s-0 latency=5ms s n latency=5ms jitter=4ms
peer ping 15
holds "a lower latency with jitter" numbers 10 16 15 15
in_force
holds "what is in force is told" prints "  n-0 s-0  latency 5 ms               latency 20 ms
  n-0 s-1  latency 50 ms              latency 20 ms
  s n      latency 5 ms, jitter 4 ms  latency 20 ms, jitter 0 s"

# Bad input changes nothing, whatever else stands in the line.
testbed change s n latency=7ms n s rate=1Mbit/s
holds "a path has no rate" refuses 2 'change: rate=1Mbit/s: a path has no rate'
testbed change s n latency=7ms elsewhere rate=1Mbit/s
holds "a name that is not there" refuses 2 "no queue, host or cluster is named 'elsewhere'"
testbed change --reset --trace "$work/trace.json"
holds "one thing at a time" refuses 2 'each by itself|trace.json'
testbed change --name elsewhere n s latency=1ms
holds "a testbed that is not there" refuses 2 'no testbed elsewhere is up'
in_force
holds "nothing of it was done" grep -q '^  s n  *latency 5 ms, jitter 4 ms ' "$out"

testbed change s n loss=50%
peer ping 20
holds "half is lost" numbers 9 18 3 17
testbed change s n loss=100%
peer ping 3
holds "all is lost" prints "None 0"
testbed change s n reset n s reset
testbed change
holds "a path is reset" prints "all is as described"
peer ping 5
holds "a path is as it was" numbers 39 48 5 5

# A trace that plays, and is replaced by its end.
cat >"$work/trace.json" <<'END'
{"format":"espalier-testbed-trace","version":1,
 "changes":[{"at":"0s","every":"1s","what":["n","s"],"latency":["60ms","1ms"]},
            {"at":"3s","what":["s","n"],"latency":"0s"}]}
END
testbed change --trace "$work/trace.json"
holds "a trace is taken" prints ""
peer ping 4
holds "its first latency" numbers 79 90 4 4
sleep 1
peer ping 4
holds "its second latency" numbers 20 29 4 4
testbed change
holds "a trace that plays is told" grep -q '^a trace plays, and goes on in ' "$out"
testbed change --reset
testbed change
holds "no trace plays, and nothing is changed" prints "all is as described"
sleep 1.2
peer ping 4
holds "the trace does not go on" numbers 39 48 4 4
sed 's/1s/1x/' "$work/trace.json" >"$work/bad.json"
testbed change --trace "$work/bad.json"
holds "a bad trace" refuses 2 "bad.json: changes\[0\].every: '1x' is not a time"
testbed down

sed 's/"n","s"\]/"n","nobody"]/' "$work/trace.json" >"$work/bad.json"
testbed run "$work/far.json" --trace "$work/bad.json" -- touch "$work/ran"
holds "a bad trace at the start" refuses 2 "bad.json: changes\[0\].what: .*'nobody'"
holds "nothing is brought up for it" test ! -e "$work/ran"
# shellcheck disable=SC2016
testbed run "$work/far.json" --carrier emulator --trace "$work/trace.json" -- \
    sh -c '"$0" change; sleep 1.3; "$0" change' "$testbed"
holds "a trace begins with the testbed" grep -q '^  n s  *latency 60 ms ' "$out"
holds "and goes on" grep -q '^  n s  *latency 1 ms ' "$out"

# Rates under a flow, by all carriers: no latency is described, so that the kernel needs no netem.
cat >"$work/slower.json" <<'END'
{"format":"espalier-testbed-trace","version":1,
 "changes":[{"at":"200ms","what":["north uplink"],"rate":"20Mbit/s"}]}
END
carriers=(emulator)
kernel_carries && carriers+=(kernel)
for carrier in "${carriers[@]}"; do
    up bed.json --carrier "$carrier"
    peer flow 1 "$testbed" change --trace "$work/slower.json"
    holds "$carrier: an uplink gets slower under a flow, by a trace" numbers 60 79 14 20
    peer flow 1 "$testbed" change north uplink reset n-0 rate=40Mbit/s
    holds "$carrier: a card is the slowest then" numbers 14 20 30 40
    peer flow 3 "$testbed" change n-0 rate=180Mbit/s north uplink rate=150Mbit/s
    holds "$carrier: all get faster than described" numbers 30 40 105 150
    peer flow 1 "$testbed" change north uplink cross=105Mbit/s
    holds "$carrier: others take their share" numbers 105 150 10 60
    in_force
    holds "$carrier: rates in force are told" prints \
        "  north uplink  rate 150 Mbit/s, cross 105 Mbit/s  rate 80 Mbit/s, cross 0 bit/s
  n-0 send      rate 180 Mbit/s                    rate 100 Mbit/s
  n-0 receive   rate 180 Mbit/s                    rate 100 Mbit/s"
    if [[ $carrier == kernel ]]; then
        testbed change north uplink loss=1%
        holds "the kernel's queues lose nothing" refuses 2 'north uplink: .* --carrier emulator'
        testbed change n s latency=1ms
        holds "the kernel delays no path without latency" refuses 2 "from 'n-0' to 's-0': "
    fi
    testbed down
done
exec 3<&-
holds "nothing is left" nothing_left

# Without root, with a TUN device that others may open.
nobody='mknod "$1/tun" c 10 200 && chmod 666 "$1/tun" && mount --bind "$1/tun" /dev/net/tun &&
    export XDG_RUNTIME_DIR=$1 && cd "$1" && shift &&
    exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"'
if ((EUID == 0)); then
    chmod 755 "$work" && mkdir "$work/nobody" && chown 65534:65534 "$work/nobody"
fi
if ((EUID == 0)) && unshare -m sh -c "$nobody" - "$work/nobody" \
    sh -c 'unshare --user true && test -x "$0" && : <>/dev/net/tun' "$testbed" 2>/dev/null; then
    rm "$work/nobody/tun"
    status=0
    unshare -m sh -c "$nobody" - "$work/nobody" timeout 60 "$testbed" run "$work/bed.json" \
        --carrier emulator -- sh -c '"$0" change n-0 rate=20Mbit/s && "$0" change | sed 1d' \
        "$testbed" >"$out" 2>"$err" </dev/null || status=$?
    holds "it needs no root" prints "  n-0 send     rate 20 Mbit/s  rate 100 Mbit/s
  n-0 receive  rate 20 Mbit/s  rate 100 Mbit/s"
    rm -f "$work/nobody/tun"
else
    echo "not tried without root: already so, or not allowed here"
fi

finish
