# Networks from a real Prometheus server, which scrapes an exporter: as they are and as they were,
# by our metrics and by others, and what is said of servers that are down, hang, lie or cut off.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
command -v prometheus >/dev/null || skip "no Prometheus"
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
python=$(command -v python3)
servers=()
stop_servers() {
    ((${#servers[@]} == 0)) && return
    kill "${servers[@]}" 2>/dev/null
    wait "${servers[@]}" 2>/dev/null
    servers=()
}
trap 'stop_servers; rm -rf "$work"' EXIT

# patiently COMMAND...: until it succeeds, or 100 seconds have passed.
patiently() {
    local end=$((SECONDS + 100))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || return 1
        sleep 0.1
    done
}

# expose A_TO_B B_TO_A: latencies of two nodes in seconds; all else stays as it is.
expose() {
    cat >"$work/metrics.new" <<METRICS
espalier_latency_seconds{from="a",to="b"} $1
espalier_latency_seconds{from="b",to="a"} $2
espalier_latency_seconds{from="a",to="a"} 1e-6
espalier_bandwidth_bytes_per_second{from="a",to="b"} 1e6
espalier_bandwidth_bytes_per_second{from="b",to="a"} 2e6
probe_rtt_seconds{source="a",target="b"} $1
probe_rtt_seconds{source="b",target="a"} $2
probe_rtt_seconds{source="c",target="a"} NaN
iperf_bits_per_second{client="a",server="b"} 8e6
iperf_bits_per_second{client="b",server="a"} 4e6
gap_seconds{from="a",to="b",size="1024"} 0.001
gap_seconds{from="b",to="a",size="1024"} 0.002
gap_seconds{from="a",to="b",size="1048576"} 1
gap_seconds{from="b",to="a",size="1048576"} 0.5
gap_seconds{from="a",to="b",size="2097152"} 3
gap_seconds{from="b",to="a",size="2097152"} 1.5
faulty{from="a",to="b"} -1
METRICS
    mv "$work/metrics.new" "$work/metrics"
}

expose 0.01 0.02
"$python" "$root/tests/endtoend/metrics_server.py" "$work/metrics" "$work/port" &
servers+=($!)
patiently test -e "$work/port" || { echo 'the exporter does not start'; exit 1; }
other=http://127.0.0.1:$(<"$work/port")
cat >"$work/prometheus.yml" <<CONFIGURATION
global: {scrape_interval: 2s, scrape_timeout: 2s} # a scrape that is late leaves a hole
scrape_configs: [{job_name: test, static_configs: [{targets: ["127.0.0.1:$(<"$work/port")"]}]}]
CONFIGURATION
free_port='import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
url=http://127.0.0.1:$("$python" -c "$free_port")
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" \
    --web.listen-address="${url#http://}" --web.route-prefix=/metrics-of/all --log.level=error \
    >"$work/log" 2>&1 &
servers+=($!)
url+=/metrics-of/all
now() { date -u +%Y-%m-%dT%H:%M:%S.%6NZ; }
export_of() { accepts directory export "$@" --json; }

# One value after the other, each at its time.
if ! patiently "$cli" directory export "$url"; then
    cat "$work/log"
    run directory export "$url"
    complain 'no measurement arrives'
    finish
fi
first=$(now)
expose 0.03 0.04
holds_now() { # times of day have such digits, too
    "$cli" directory export "$url" --json | grep -Eq '(^|[^0-9:.])0\.03([^0-9]|$)'
}
holds 'a changed value arrives' patiently holds_now
second=$(now)
export_of "$url" --at "$first"
json_holds 'the network as it was' \
    'd["nodes"] == [{"name": "a"}, {"name": "b"}] and d["startup_s"] == [[0, 0.01], [0.02, 0]]'
json_holds 'where it comes from' 'd["measured"]["measured_by"] == ["'"${other#http://}"'"]'
export_of "$url" --at "$second"
json_holds 'the network later' 'd["startup_s"] == [[0, 0.03], [0.04, 0]]'
json_holds 'bandwidths' 'd["bandwidth_Bps"] == [[0, 1e6], [2e6, 0]]'
export_of "$url"
json_holds 'the network now' 'd["startup_s"] == [[0, 0.03], [0.04, 0]]'
export_of "$url" --old p0:1h
json_holds 'the best of an hour: every sample counts' 'd["startup_s"] == [[0, 0.01], [0.02, 0]]'
export_of "$url" --old p100:1h
json_holds 'the worst of an hour' 'd["startup_s"] == [[0, 0.03], [0.04, 0]]'

# Somebody else's metrics.
ping='latency=probe_rtt_seconds&latency_factor=0.5&from=source&to=target&bandwidth='
export_of "$url?$ping" --at "$second"
json_holds 'half of round trips; what is not a number is none' \
    'd["startup_s"] == [[0, 0.015], [0.02, 0]]'
export_of "$url?latency=&bandwidth=iperf_bits_per_second&bandwidth_factor=0.125&from=client&to=server"
json_holds 'bits per second' 'd["bandwidth_Bps"] == [[0, 1e6], [500000, 0]]'
export_of "$url?gap=gap_seconds&bytes=size&bandwidth="
json_holds 'gaps by size' \
    'd["clusters"][0]["local"]["gap_s"] == {"1024": 0.001, "1048576": 1, "2097152": 3}'
sleep 0.5 # an expression is evaluated at whole steps
export_of "$url?latency=sum by (from, to) (espalier_latency_seconds) * 2&step=100ms"
json_holds 'an expression of PromQL' 'd["startup_s"] == [[0, 0.06], [0.08, 0]]'

export_of "${url/\/\//\/\/user:secret@}"
json_holds 'a file names its server, and no password' 'd["measured"]["source"] == "'"$url"'"'

# Commands that take a network.
accepts plan alltoall "$url" --bytes 1MB --at "$first" --json
json_holds 'a plan of an exchange' 'abs(d["makespan"] - 1.01) < 1e-9'
accepts plan broadcast "$url" --bytes 1MB --root b --json
json_holds 'a plan of a broadcast' 'abs(d["makespan"] - 0.54) < 1e-9'
accepts convert "$url" --json
json_holds 'a network file' 'd["format"] == "espalier-network"'
accepts plan broadcast "$url" --bytes 1MB --root b -o "$work/plan.json"
accepts check "$work/plan.json" --network "$url"

# What Prometheus refuses, and samples that make no sense.
rejects 2 "$url: latency: refuses: bad_data: .*parse error" directory export "$url?latency=rate("
rejects 2 "latency: .*faulty.* was -1 at 2.*, which is not a latency" \
    directory export "$url?latency=faulty"
rejects 2 "latency: .*source=.* has no label 'from'; name another one with from=LABEL" \
    directory export "$url?latency=probe_rtt_seconds"
rejects 2 "gap: .*gap_seconds.* has no label 'bytes'" directory export "$url?gap=gap_seconds"
rejects 2 'no pair was measured' directory export "$url?latency=nothing&bandwidth="
rejects 2 "no pair was measured" directory export "$url" --at 2020-01-01
rejects 2 "there is no parameter 'latenzy'" directory export "$url?latenzy=x"

# Servers that are no Prometheus, or a bad one.
rejects 2 "$other/nowhere: latency: answers 404" plan broadcast "$other/nowhere" --bytes 1
rejects 2 "$other/fails: latency: answers with HTTP status 500" directory export "$other/fails"
rejects 2 "$other/pages: latency: its answer \(text/html.*\) is not JSON" convert "$other/pages"
rejects 2 "$other/cuts: its answer was cut off" directory export "$other/cuts"
rejects 2 "$other/stops: .* is not JSON, or is cut off" directory export "$other/stops"
rejects 2 "$other/circles: .*redirects" directory export "$other/circles"
rejects 2 "$other/lies: .*was -1 at" directory export "$other/lies"
rejects 2 "$other/floods: its answer is longer than 64 MiB" directory export "$other/floods?timeout=60s"
rejects 2 "$other/hangs: no whole answer within 300 ms" directory export "$other/hangs?timeout=300ms"
rejects 2 "$other/drips: no whole answer within 300 ms" directory export "$other/drips?timeout=300ms"
rejects 2 'not an URL' directory export 'http://user:secret@:x/'
holds 'no password is shown' test -z "$(grep secret "$err")"

stop_servers
rejects 2 "$url: can't be reached: Connection refused" directory export "$url"
rejects 2 "$url: can't be reached" plan alltoall "$url" --bytes 1
finish
