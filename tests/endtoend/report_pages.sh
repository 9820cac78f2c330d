# Pages of runs, comparisons, rings, networks and plans, by what a browser shows of them.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1
command -v chromium >/dev/null || skip "no Chromium"
table4=$root/examples/table4/network.json

# shows PAGE [dark]: what is seen of it is in $out.
shows() {
    status=0
    python3 "$root/tests/endtoend/report_pages.py" "$@" >seen.json 2>"$err" || status=$?
    ((status == 0)) || complain "$* can't be looked at"
}
seen() { json_holds "$1" "$2" seen.json; }

# A run of all hosts of a network of SIZE hosts in its first cluster.
run_on() {
    python3 - "$table4" "$1" <<'PYTHON'
import json, sys
network = json.load(open(sys.argv[1]))
network["clusters"][0]["size"] = int(sys.argv[2])
json.dump(network, open("network.json", "w"))
hosts = [f"{cluster['name']}-{i}" for cluster in network["clusters"] for i in range(cluster["size"])]
def call(collective, size, calls, algorithm, each, **more):
    return {"collective": collective, "communicator_size": len(hosts), "root": 0, "bytes": size, "calls": calls,
            "algorithm": algorithm, "measured_s": {"min": each, "median": each, "sum": each * calls}} | more
calls = [call("broadcast", 65536, 100, "striped", 0.02, predicted_s=0.02, lower_bound_s=0.01,
              gain={"planned_s": 0.02, "native_s": 0.06, "measured": True}),
         call("allreduce", 8, 50, "ecef", 0.01, predicted_s=0.01, lower_bound_s=0.009,
              gain={"planned_s": 0.01, "native_s": 0.03, "measured": False}),
         call("scan", 8, 3, "native", 0.001, reason="<only> one rank")]
calls += [call("reduce", 1000 + i, 1, "ecef", 1e-6) for i in range(400)]
json.dump({"format": "espalier-run", "version": 1, "program": "simul<ation>", "mpi": "openmpi", "network": "sha256:0",
           "network_file": "/nowhere/net.json", "network_from": "cache", "start_s": 0.25, "elapsed_s": 10,
           "ranks": len(hosts), "hosts": hosts, "calls": calls, "passed_through": {"MPI_Ibcast": 7}},
          open("run.json", "w"))
PYTHON
}

run_on 31
accepts report run.json --network network.json -o run.html
shows run.html
seen 'the program and its ranks' '"simul<ation>: 88 ranks, openmpi" in d["text"]'
seen 'the verdict' '"Saved, about\n5 s" in d["text"] and "4 s by timing calls of both kinds, 1 s predicted" in d["text"]'
seen 'the cost' '"Cost at the start\n250 ms" in d["text"]'
seen 'the calls' '"20 ms by striped" in d["text"] and "~30 ms by MPI: 3 times as long" in d["text"]'
seen 'a bar three times as long as another' 'abs(max(d["bars"]["#d55e00"]) - 3 * max(d["bars"]["#0072b2"])) <= 4'
seen 'what was left to MPI' '"<only> one rank" in d["text"] and "MPI_Ibcast: always" in d["text"]'
seen 'the timeline of the plan, and the one of a library' \
    'd["text"].count("broadcast 64 KiB, 88 ranks, by ") == 2 and "by an MPI library" in d["text"]'
holds 'both on one scale, though one has bars for hundreds of messages' python3 - run.html <<'PYTHON'
import re, sys
pictures = re.findall(r"<svg.*?</svg>", open(sys.argv[1]).read(), re.S)
kinds = ["density" in picture for picture in pictures]
pairs = [(kinds[i - 1], kinds[i]) for i, picture in enumerate(pictures) if "by an MPI library" in picture]
sys.exit(0 if pairs and any(one for one, _ in pairs) and all(one == other for one, other in pairs) else 1)
PYTHON
seen 'what was timed beside what is simulated' '"Timed in the program: 20 ms by plan, 60 ms by MPI." in d["text"]'
seen 'bands of clusters' 'all(f"\nc{c}\n" in d["text"] for c in (0, 1, 5))'
seen 'the others fold' '"allreduce 8 B, 88 ranks" in d["folded"] and "383 kinds of calls more" in d["folded"]'
seen 'the map and its matrices' '"Latency (ms), from row to column" in d["text"] and "Shared capacities" in d["text"]'
seen 'where it comes from' '"Where it comes from" in d["text"] and "espalier compare COLLECTIVE network.json" in d["text"]'
seen 'stops for the tab key' 'd["focusable"] >= 8'
seen 'no page that is wider than its window' 'd["wide"] <= 0'
seen 'nothing but tables and pictures that scroll beyond a narrow window' 'd["beyond"] == []'
seen 'what was predicted, and the bound, beside what was measured' \
    '"one planned\tpredicted\tlower bound\tone by MPI" in d["text"] and "\t20 ms\t20 ms\t10 ms\t60 ms\t" in d["text"]'
seen 'that timelines are plans made anew' '"a plan made anew from the network" in d["text"]'
seen 'the critical path of both' 'd["text"].count("critical path: what all wait for") == 2'
seen 'algorithms over sizes, of the collectives that were called' \
    'all(f"{name} on network.json, 3 sizes" in d["text"] for name in ("Broadcast", "Allreduce", "Reduce"))'
seen 'by which command the page was made, and when' \
    '"UTC, by espalier report run.json --network network.json --output run.html." in d["text"]'
seen 'paper' 'd["background"] == "rgb(255, 255, 255)"'
shows run.html dark
seen 'the dark' 'd["background"] == "rgb(20, 24, 28)"'

accepts report run.json -o run.html
shows run.html
seen 'that the network is not there' '"holds no network" in d["text"] and "MPI library" not in d["text"]'
python3 - <<'PYTHON'
import json
run = json.load(open("run.json")) | {"network_described": json.load(open("network.json"))}
json.dump(run, open("whole.json", "w"))
PYTHON
accepts report whole.json -o run.html
shows run.html
seen 'a map of the network that a run holds, and timelines' \
    '"Latency (ms), from row to column" in d["text"] and "by an MPI library" in d["text"]'
accepts plan broadcast whole.json --bytes 8
accepts report whole.json --network "$table4" -o run.html
holds 'a network that is not that of the run is told' grep -q 'not the network that the program ran on' "$err"

run_on 943
accepts report run.json --network network.json -o run.html
shows run.html
seen '1000 ranks' '"1000 ranks" in d["text"] and "by an MPI library" in d["text"]'
seen 'why nothing is compared' '"1000 ranks are more than 128" in d["text"]'
seen 'on 2 MB' 'd["bytes"] < 2e6'

accepts compare broadcast "$table4" --bytes 64KiB --time-limit 200ms -o comparison.json
accepts report comparison.json -o comparison.html
shows comparison.html
seen 'what is compared' '"Broadcast of 64 KiB on " in d["text"] and "espalier plan broadcast " in d["text"]'
seen 'the fastest' '" is the fastest of " in d["text"] and "no schedule of any kind takes less than" in d["text"]'
seen 'the whole command that compared' \
    '"by espalier compare broadcast " in d["text"] and "--bytes 64KiB --time-limit 200ms --output comparison.json" in d["text"]'
seen 'one that plans alike' '"--bytes 64KiB --time-limit 200ms --explain" in d["text"]'
seen 'a narrow window' 'd["beyond"] == []'
seen 'a bar for each algorithm' 'sum(len(bars) for bars in d["bars"].values()) >= 15'
rejects 2 'is written as .html' report comparison.json -o comparison.svg
rejects 2 'is a comparison' report comparison.json --network "$table4" -o comparison.html
rejects 2 '--view' report comparison.json --view lanes -o comparison.html

accepts generate tiers --hosts 6 --seed 3 -o six.json
accepts ring six.json --work 1 --exchange 0.1 --time-limit 200ms --algorithm greedy -o ring.json
accepts report ring.json --network six.json -o ring.html
shows ring.html
seen 'the step time once, above' 'd["text"].count("step time") == 1 and d["text"].index("step time") < d["text"].index("host of the ring")'
seen 'units, and that little is not nothing' '"unit of the hosts" in d["text"] and "\t0.0%" not in d["text"].split("Links, the fullest first")[1]'
seen 'a narrow window' 'd["beyond"] == []'
seen 'where a ring comes from' '"espalier check ring.json --network six.json" in d["text"]'
seen 'the ring' '"Ring of " in d["text"] and "Links, the fullest first" in d["text"] and "step time" in d["text"]'

accepts report "$table4" -o network.html
shows network.html
seen 'a network' '"Grid of 6 clusters, 88 nodes" in d["text"]'
seen 'how far apart and how fast it is, first' '"27.5 us to 12.2 ms" in d["text"] and d["text"].index("100 to 1000 Mbit/s") < d["text"].index("from row to column")'
seen 'by which command' '"by espalier report " in d["text"] and d["beyond"] == []'
seen 'where a network comes from' '"In a terminal: espalier network " in d["text"]'
accepts directory add grid.db "$root/examples/table4/measured.json"
accepts report grid.db -o directory.html
shows directory.html
seen 'a directory' '"Grid of 6 clusters, 88 nodes" in d["text"] and "by espalier directory from " in d["text"]'
seen 'what is not known and what helps' '"What helps: state it (shared)" in d["text"] and "1 thing" in d["text"]'
accepts plan broadcast "$table4" --bytes 64KiB -o plan.json
accepts report plan.json --network "$table4" -o plan.html
shows plan.html
seen 'a plan' '"Broadcast of 64 KiB" in d["text"] and "Critical path, step by step" in d["text"]'
seen 'where a plan comes from' '"plan.json, written by espalier plan" in d["text"]'
holds 'the bands of its clusters' grep -q '"groups":\[{"name":"c0","nodes":31}' plan.html

accepts plan broadcast "$table4" --bytes 64KiB --timeline timeline.html
shows timeline.html
seen 'by which command a plan was made' '"--bytes 64KiB --timeline timeline.html." in d["text"] and d["beyond"] == []'
accepts report plan.json -o alone.html
shows alone.html
seen 'what a file of a plan does not say' '"it is drawn as long as the next one leaves room" in d["text"]'
holds 'without a network, the same bands, and no messages over each other' python3 - alone.html plan.html <<'PYTHON'
import json, re, sys
alone, known = (json.loads(re.search(r'id="plan">(.*?)</script>', open(page).read(), re.S).group(1))
                for page in sys.argv[1:])
sys.exit(alone["groups"] != known["groups"] or max(alone["sendTracks"] + alone["receiveTracks"]) > 1)
PYTHON

accepts generate gusto --nodes 5 --seed 1 -o gusto.json
accepts plan alltoall gusto.json --bytes 64KiB -o exchange.json
accepts report exchange.json -o exchange.html
shows exchange.html
seen 'an exchange' '"Alltoall of 64 KiB" in d["text"] and "send, labelled with its receiver" in d["text"] and d["wide"] <= 0'

# What doctor saw: h1 loses packets, h3 has small buffers.
python3 - <<'PYTHON'
import json
hosts = [f"h{i}" for i in range(6)]
address = {host: f"10.0.0.{i + 1}" for i, host in enumerate(hosts)}
def card(name, address, bits):
    return {"name": name, "addresses": [[address, bits]], "hardware": "", "mtu": 1500, "speed_Bps": 0, "up": True,
            "loopback": name == "lo"}
def seen(host):
    rmem = "4096 16384 65536" if host == "h3" else "4096 131072 6291456"
    return {"name": host, "place": host, "machine": host, "present": True,
            "interfaces": [card("lo", "127.0.0.1", 8), card("eth0", address[host], 24)],
            "settings": {"net.ipv4.tcp_rmem": rmem, "net.ipv4.tcp_slow_start_after_idle": "0"}, "environment": {},
            "names": {name: [address[name]] for name in hosts}, "work_s": 0.04, "overflowed": 0}
pairs = [{"from": a, "to": b, "network": 0, "small": [160, 150 if a == 1 else 160], "large": [40, 40], "misled": 0,
          "connects": None, "round_trip_s": 1e-4, "spread_s": 4e-5, "rate_Bps": 40e6}
         for a in range(6) for b in range(6) if a != b]
json.dump({"format": "espalier-doctor", "version": 1, "findings": [], "hosts": [seen(host) for host in hosts],
           "pairs": pairs}, open("doctor.json", "w"))
PYTHON
TERM=xterm python3 "$root/tests/endtoend/columns.py" 80 "$cli" doctor --from doctor.json >"$out"
holds 'its table keeps to 80 columns' test "$(awk '{ if (length($0) > most) most = length($0) } END { print most }' "$out")" -le 80
accepts doctor --from doctor.json
holds 'a host is a line for programs' grep -Eq '^  h3 .* 10.0.0.4 .* ms' "$out"
accepts report doctor.json -o doctor.html
holds 'it says what was found' grep -q '^doctor.html: 6 hosts, 1 network (eth0): 2 faults$' "$out"
shows doctor.html
seen 'the verdict on the network first' 'd["text"].startswith("6 hosts, 1 network (eth0): 2 faults\n") and "loss: h1; buffers: h3" in d["text"]'
seen 'a finding, its evidence and what mends it' '"1. loss: h1\n" in d["text"] and "5% of 1000 packets lost" in d["text"] and "sysctl -w net.ipv4.tcp_rmem=\"4096 131072 6291456\"" in d["text"]'
seen 'the ways between hosts' 'all(f"{title}, from row to column" in d["text"] for title in ("Packets lost (%)", "Rate (MB/s)", "Round trip (us)", "Jitter (us)"))'
seen 'a row for each host' '"h3\tbuffers\teth0\t10.0.0.4" in d["text"]'
seen 'settings, folded' '"Settings and variables" in d["folded"]'
seen 'no page of findings that is wider than its window' 'd["wide"] <= 0 and d["focusable"] >= 5'
shows doctor.html dark
seen 'findings in the dark' 'd["background"] == "rgb(20, 24, 28)"'
rejects 2 'is written as .html' report doctor.json -o doctor.svg
rejects 2 'is what doctor saw' report doctor.json --network "$table4" -o doctor.html
head -c 900 doctor.json >cut.json
rejects 2 'cut.json' report cut.json -o cut.html

head -c 400 run.json >short.json
rejects 2 'short.json' report short.json -o short.html
sed 's/"version": 1/"version": 9/' run.json >newer.json
rejects 2 'newer.json: version' report newer.json -o newer.html

finish
