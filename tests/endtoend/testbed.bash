# Shared by scripts that work on a testbed; source it instead of lib.bash. Needs ESPALIER_BUILD, the
# build folder, too.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

build=${ESPALIER_BUILD:?the build folder}
testbed=$build/espalier-testbed
export XDG_RUNTIME_DIR=$work
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset ESPALIER_TESTBED LD_PRELOAD

# testbed ARGS...: its status is in $status, what it says in $out and $err.
testbed() {
    status=0
    timeout 60 "$testbed" "$@" >"$out" 2>"$err" </dev/null || status=$?
}

ends_with() { [[ $status == "$1" ]]; }
prints() { [[ $(cat "$out") == "$1" ]]; }

# refuses STATUS PATTERN: it ended with that status and one line that fits, and printed nothing.
refuses() {
    [[ $status == "$1" && $(wc -l <"$err") == 1 && ! -s $out ]] &&
        grep -Eq "^espalier-testbed: .*($2)" "$err"
}

# No files, and no process that has ours in its command line.
nothing_left() {
    local try
    for try in {1..50}; do
        if [[ ! -e $(echo "$work"/espalier-testbed-*) ]] && ! pgrep -f "$work/" >/dev/null; then
            return 0
        fi
        sleep 0.1
    done
    return 1
}

# The kernel can be the network, where no latency is asked for, so that it needs no netem.
kernel_carries() {
    ((UID == 0)) && command -v tc >/dev/null &&
        unshare -n sh -c 'ip link add a1 type veth peer name a2 &&
            tc qdisc add dev a1 root handle 1: htb' 2>/dev/null
}

# needs_testbed FILE: skips where this system lets nobody have one; elsewhere it has to come up.
needs_testbed() {
    [[ -x $testbed ]] || skip "no testbed on this system"
    testbed run "$1" -- true
    if ((status == 2)) && grep -Eq 'namespaces|/dev/net/tun|TUN' "$err"; then
        skip "$(cat "$err")"
    fi
    holds "a testbed comes up" ends_with 0
}

# needs_three_sites: a job of Open MPI's can run on $work/sites.json under $congestion: three sites of two
# hosts, the middle one on the shortest way between the others.
needs_three_sites() {
    [[ -z ${ESPALIER_SANITIZE:-} ]] || skip "a sanitizer can't be preloaded into ranks"
    command -v mpirun.openmpi >/dev/null || skip "no Open MPI"
    cat >"$work/sites.json" <<'JSON'
{"format":"espalier-testbed","version":1,
 "sites":[{"name":"first","uplink":"80Mbit/s","downlink":"80Mbit/s"},
          {"name":"middle","uplink":"80Mbit/s","downlink":"80Mbit/s"},
          {"name":"last","uplink":"80Mbit/s","downlink":"80Mbit/s"}],
 "clusters":[{"name":"a","site":"first","hosts":2,"latency":"100us","rate":"400Mbit/s"},
             {"name":"b","site":"middle","hosts":2,"latency":"100us","rate":"400Mbit/s"},
             {"name":"c","site":"last","hosts":2,"latency":"100us","rate":"400Mbit/s"}],
 "latency":[["first","middle","4ms"],["middle","last","4ms"],["first","last","10ms"]]}
JSON
    needs_testbed "$work/sites.json"
    read -r congestion _ </proc/sys/net/ipv4/tcp_allowed_congestion_control
}
