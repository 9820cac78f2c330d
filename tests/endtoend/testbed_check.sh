#!/bin/bash
# What the testbed says of a network, whether it is what was asked for, the kernel as its carrier,
# and what it says where it can't work.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"

# What would be built.
testbed describe "$root/testbed/examples/three-sites.json"
holds "three sites are described" grep -q '^25 hosts in 6 clusters on 3 sites$' "$out"
testbed describe "$root/tests/endtoend/networks/sites.json"
holds "a network is described" grep -q '^8 hosts in 4 clusters on 1 site$' "$out"
testbed describe --kernel "$root/testbed/examples/two-regions.json"
cp "$out" "$work/script"
holds "the script is one" sh -n "$work/script"
holds "netem delays" grep -q '^tc -n router qdisc add dev d[0-9]* root netem delay 71000.00us ' "$work/script"

# bad FIELD TEXT REPLACEMENT: the example with a mistake.
bad() {
    sed "s|$2|$3|" "$root/testbed/examples/two-regions.json" >"$work/bad.json"
    testbed run "$work/bad.json" -- touch "$work/ran"
    holds "$3: one line" refuses 2 "bad.json: $1"
    holds "$3: nothing was brought up" test ! -e "$work/ran"
}
bad 'clusters\[0\].site: no site is named' '"site":"frankfurt","hosts":4' '"site":"nowhere","hosts":4'
bad 'sites\[1\].uplink: the rate is 0' '"uplink":"100Mbit/s"' '"uplink":"0Mbit/s"'
bad "latency: nothing is said from 'fra-a' to 'fra-b'" '\["fra-a","fra-b","400us"\],' ''
bad 'clusters\[1\].name: the name' '"fra-b"' '"fra-a"'
testbed describe "$root/tests/endtoend/networks/sender.json"
holds "a network of senders" refuses 2 "sender.json: model: 'sender' says nothing of latencies"

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
        >"$out" 2>"$err" || status=$?
    holds "no privileges" refuses 2 'neither root nor a user whom this kernel lets make'
    holds "no privileges: nothing is left" nothing_left
fi
# shellcheck disable=SC2016
if ((UID == 0)) && unshare -m mount -t tmpfs none /dev/net 2>/dev/null; then
    status=0
    unshare -m bash -c 'mount -t tmpfs none /dev/net && exec "$@"' - "$testbed" run \
        "$work/bed.json" --carrier emulator -- true >"$out" 2>"$err" || status=$?
    holds "no TUN device" refuses 2 '/dev/net/tun'
    holds "no TUN device: nothing is left" nothing_left
fi
testbed run "$work/bed.json" --carrier pigeon -- true
holds "an unknown carrier" refuses 2 "--carrier: 'pigeon' is not"

needs_testbed "$work/bed.json"

# Asked and got: how near they are depends on how busy the machine is, which is not looked at here.
checked='(d["format"] == "espalier-testbed-check" and d["version"] == 1
    and len(d["round_trips"]) == 3 and all(trip["got_s"] > 0 for trip in d["round_trips"])
    and [goodput.get("shared", "") for goodput in d["goodputs"]]
        == ["", "", "", "north uplink", "north downlink", "south uplink", "south downlink"]
    and all(0.01 < goodput["got_Bps"] / goodput["asked_Bps"] < 1.5 for goodput in d["goodputs"])
    and [len(goodput["flows"]) for goodput in d["goodputs"]] == [1, 1, 1, 2, 2, 2, 2]
    and abs(d["goodputs"][1]["asked_Bps"] - 20e6 / 8 * 1448 / 1538) < 1)'
carriers=(emulator)
kernel_carries && carriers+=(kernel)
for carrier in "${carriers[@]}"; do
    testbed check "$work/bed.json" --carrier "$carrier" --time 0.2s --json
    holds "$carrier: the status says whether it is good" ends_with "$(json '0 if d["good"] else 3')"
    json_holds "$carrier: what was asked and got is told" "$checked"
    holds "$carrier: nothing is left" nothing_left
done
# More than any machine can do.
cat >"$work/bed.json" <<'END'
{"format":"espalier-testbed","version":1,
 "clusters":[{"name":"n","hosts":2,"rate":"9000Gbit/s","latency":"1ms"}]}
END
testbed check "$work/bed.json" --time 0.2s
holds "what is off is told" ends_with 3
holds "what is off is named" grep -Eq '^  n-0 .* OFF$' "$out"

finish
