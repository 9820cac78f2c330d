#!/bin/bash
# What the testbed says of a network, whether it is what was asked for, the kernel as its carrier,
# and what it says where it can't work.
set -uo pipefail

build=${ESPALIER_BUILD:?the build folder}
testbed=$build/espalier-testbed
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR=$work
unset ESPALIER_TESTBED
failures=0

# testbed ARGS...: its status is in $status, what it says in $work/out and $work/err.
testbed() {
    status=0
    timeout 60 "$testbed" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}
holds() {
    local what=$1
    shift
    if ! "$@"; then
        echo "FAILED: $what (status $status)"
        sed 's/^/    stdout: /' "$work/out" | head -5
        sed 's/^/    stderr: /' "$work/err" | head -5
        failures=$((failures + 1))
    fi
}
ends_with() { [[ $status == "$1" ]]; }
complains() {
    [[ $status == 2 && $(wc -l <"$work/err") == 1 && ! -s $work/out ]] &&
        grep -Eq "^espalier-testbed: .*($1)" "$work/err"
}
nothing_left() { [[ -z $(ls "$work"/espalier-testbed-* 2>/dev/null) ]]; }
# as_python EXPRESSION: holds of what was printed as JSON, which is `it`.
as_python() { python3 -c "import json, sys; it = json.load(open('$work/out')); sys.exit(not ($1))"; }

# What would be built.
testbed describe "$root/testbed/examples/three-sites.json"
holds "three sites are described" grep -q '^25 hosts in 6 clusters on 3 sites$' "$work/out"
testbed describe "$root/tests/endtoend/networks/sites.json"
holds "a network is described" grep -q '^8 hosts in 4 clusters on 1 site$' "$work/out"
testbed describe --kernel "$root/testbed/examples/two-regions.json"
cp "$work/out" "$work/script"
holds "the script is one" sh -n "$work/script"
holds "netem delays" grep -q '^tc -n router qdisc add dev d[0-9]* root netem delay 71000.00us ' "$work/script"

# bad FIELD TEXT REPLACEMENT: the example with a mistake.
bad() {
    sed "s|$2|$3|" "$root/testbed/examples/two-regions.json" >"$work/bad.json"
    testbed run "$work/bad.json" -- touch "$work/ran"
    holds "$3: one line" complains "bad.json: $1"
    holds "$3: nothing was brought up" test ! -e "$work/ran"
}
bad 'clusters\[0\].site: no site is named' '"site":"frankfurt","hosts":4' '"site":"nowhere","hosts":4'
bad 'sites\[1\].uplink: the rate is 0' '"uplink":"100Mbit/s"' '"uplink":"0Mbit/s"'
bad "latency: nothing is said from 'fra-a' to 'fra-b'" '\["fra-a","fra-b","400us"\],' ''
bad 'clusters\[1\].name: the name' '"fra-b"' '"fra-a"'
testbed describe "$root/tests/endtoend/networks/sender.json"
holds "a network of senders" complains "sender.json: model: 'sender' says nothing of latencies"

cat >"$work/bed.json" <<'END'
{"format":"espalier-testbed","version":1,
 "sites":[{"name":"north","uplink":"20Mbit/s","downlink":"20Mbit/s"},
          {"name":"south","uplink":"20Mbit/s","downlink":"20Mbit/s"}],
 "clusters":[{"name":"n","site":"north","hosts":2,"rate":"50Mbit/s","latency":"0s"},
             {"name":"s","site":"south","hosts":["x","y"],"rate":"50Mbit/s","latency":"0s"}],
 "latency":[["n","s","0s"]]}
END

# Where it can't work, it says why.
without_privileges='echo 0 >/proc/sys/user/max_user_namespaces &&
    exec setpriv --bounding-set=-all --inh-caps=-all -- "$@"'
if unshare -Ur bash -c "$without_privileges" - true 2>/dev/null; then
    status=0
    unshare -Ur bash -c "$without_privileges" - "$testbed" run "$work/bed.json" -- true \
        >"$work/out" 2>"$work/err" || status=$?
    holds "no privileges" complains 'neither root nor a user whom this kernel lets make'
    holds "no privileges: nothing is left" nothing_left
fi
# shellcheck disable=SC2016
if ((UID == 0)) && unshare -m mount -t tmpfs none /dev/net 2>/dev/null; then
    status=0
    unshare -m bash -c 'mount -t tmpfs none /dev/net && exec "$@"' - "$testbed" run \
        "$work/bed.json" --carrier emulator -- true >"$work/out" 2>"$work/err" || status=$?
    holds "no TUN device" complains '/dev/net/tun'
    holds "no TUN device: nothing is left" nothing_left
fi
testbed run "$work/bed.json" --carrier pigeon -- true
holds "an unknown carrier" complains "--carrier: 'pigeon' is not"

testbed run "$work/bed.json" -- true
if ((status == 2)) && grep -Eq 'namespaces|/dev/net/tun|TUN' "$work/err"; then
    echo "skipped: $(cat "$work/err")"
    exit 77
fi

# Asked and got: how near they are depends on how busy the machine is, which is not looked at here.
checked='it["format"] == "espalier-testbed-check" and it["version"] == 1
    and len(it["round_trips"]) == 3 and all(trip["got_s"] > 0 for trip in it["round_trips"])
    and [goodput.get("shared", "") for goodput in it["goodputs"]]
        == ["", "", "", "north uplink", "north downlink", "south uplink", "south downlink"]
    and all(0.01 < goodput["got_Bps"] / goodput["asked_Bps"] < 1.5 for goodput in it["goodputs"])
    and [len(goodput["flows"]) for goodput in it["goodputs"]] == [1, 1, 1, 2, 2, 2, 2]
    and abs(it["goodputs"][1]["asked_Bps"] - 20e6 / 8 * 1448 / 1538) < 1'
checked=$(tr '\n' ' ' <<<"$checked")
carriers=(emulator)
if ((UID == 0)) && command -v tc >/dev/null &&
    unshare -n sh -c 'ip link add a1 type veth peer name a2 &&
        tc qdisc add dev a1 root handle 1: htb' 2>/dev/null; then
    carriers+=(kernel)  # no latency is asked for, so that it needs no netem
fi
for carrier in "${carriers[@]}"; do
    testbed check "$work/bed.json" --carrier "$carrier" --time 0.2s --json
    good=$(as_python 'it["good"]' && echo 0 || echo 3)
    holds "$carrier: the status says whether it is good" ends_with "$good"
    holds "$carrier: what was asked and got is told" as_python "$checked"
    holds "$carrier: nothing is left" nothing_left
done
# More than any machine can do.
cat >"$work/bed.json" <<'END'
{"format":"espalier-testbed","version":1,
 "clusters":[{"name":"n","hosts":2,"rate":"9000Gbit/s","latency":"1ms"}]}
END
testbed check "$work/bed.json" --time 0.2s
holds "what is off is told" ends_with 3
holds "what is off is named" grep -Eq '^  n-0 .* OFF$' "$work/out"

if ((failures > 0)); then
    echo "$failures failed"
    exit 1
fi
echo "all held"
