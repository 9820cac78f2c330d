"""Faults that are planted on a testbed, each with what has to be said of it.

A `Plant` is made by a seed: which host, which site, how bad. `plant` does it on a testbed that is up;
`causes` and `hosts` are what a finding has to name, all of it and nothing else.
"""

import os
import random
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

CPU_GROUPS = Path("/sys/fs/cgroup/cpu")


@dataclass
class Bed:
    """A testbed that is up, and its hosts as `espalier-testbed hosts --json` has them."""
    testbed: str
    name: str
    hosts: list
    work: Path
    leftovers: list = field(default_factory=list)

    def call(self, *words):
        subprocess.run([self.testbed, *words], check=True, stdout=subprocess.DEVNULL)

    def change(self, *words):
        self.call("change", "--name", self.name, *words)

    def on(self, host, *words):
        done = subprocess.run([self.testbed, "on", host, "--name", self.name, "--", *words],
                              check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout.strip()

    def names(self):
        return [host["name"] for host in self.hosts]

    def site_of(self, name):
        """The site, or the cluster where there is no site."""
        host = next(host for host in self.hosts if host["name"] == name)
        return host.get("site") or host["cluster"]

    def clusters(self):
        return sorted({host["cluster"] for host in self.hosts})

    def members(self, site):
        return [name for name in self.names() if self.site_of(name) == site]

    def process_of(self, host):
        """The number of a process that lives in the host's network, as seen from here."""
        inode = self.on(host, "readlink", "/proc/self/ns/net")
        for entry in sorted((entry for entry in os.listdir("/proc") if entry.isdigit()), key=int):
            try:
                if os.readlink(f"/proc/{entry}/ns/net") == inode:
                    return int(entry)
            except OSError:
                continue
        raise RuntimeError(f"no process of {host}")

    def set_variable(self, host, name, value):
        """Of the environment of what is started on the host by `wrapped`."""
        with open(self.work / f"environment-{host}", "a", encoding="utf-8") as file:
            file.write(f"export {name}='{value}'\n")

    def wrapped(self, words):
        return ["/bin/sh", "-c", f'f={self.work}/environment-$(hostname); [ -e "$f" ] && . "$f"; exec "$@"',
                "doctor", *words]


def second_network(bed, rate, slow=None):
    """A card eth1 for each host, at one switch; `slow` is a host whose card has another rate."""
    switch = subprocess.Popen(["unshare", "-n", "sleep", "1000"])
    bed.leftovers.append(switch.terminate)
    inside = ["nsenter", "-t", str(switch.pid), "-n"]
    while os.readlink(f"/proc/{switch.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
        pass
    subprocess.run([*inside, "ip", "-b", "-"], input="link add br0 type bridge\nlink set br0 up\n", text=True, check=True)
    for i, host in enumerate(bed.names()):
        process = bed.process_of(host)
        own = slow[1] if slow and slow[0] == host else rate
        subprocess.run([*inside, "ip", "-b", "-"], text=True, check=True,
                       input=f"link add v{i} type veth peer name eth1 netns {process}\nlink set v{i} master br0 up\n")
        subprocess.run([*inside, "tc", "qdisc", "add", "dev", f"v{i}", "root", "tbf", "rate", own, "burst", "3kb",
                        "latency", "100ms"], check=True)
        there = ["nsenter", "-t", str(process), "-n"]
        subprocess.run([*there, "ip", "-b", "-"], text=True, check=True,
                       input=f"address add 10.88.0.{i + 1}/16 dev eth1\nlink set eth1 up\n")
        subprocess.run([*there, "tc", "qdisc", "add", "dev", "eth1", "root", "tbf", "rate", own, "burst", "3kb",
                        "latency", "100ms"], check=True)


@dataclass
class Plant:
    kind: str
    what: str
    plant: object
    causes: tuple
    hosts: list


def slow_card(bed, rng):
    host = rng.choice(bed.names())
    if rng.random() < 0.25:
        return Plant("slow card", f"{host} eth1 of 5 in place of 40 Mbit/s",
                     lambda: second_network(bed, "40mbit", (host, "5mbit")), ("slow-card",), [host])
    rate = rng.choice([8, 15, 25, 40])
    return Plant("slow card", f"{host} of {rate} Mbit/s", lambda: bed.change(host, f"rate={rate}Mbit/s"), ("slow-card",),
                 [host])


def wrong_card(bed, rng):
    host = rng.choice(bed.names())
    variable = rng.choice(["GLOO_SOCKET_IFNAME", "UCX_NET_DEVICES", "OMPI_MCA_btl_tcp_if_include", "NCCL_SOCKET_IFNAME"])
    if rng.random() < 0.5:
        return Plant("wrong card", f"{host} {variable}=eth7, which it has not",
                     lambda: bed.set_variable(host, variable, "eth7"), ("wrong-card",), [host])

    def plant():
        second_network(bed, "20mbit")
        bed.set_variable(host, variable, "eth1")
    return Plant("wrong card", f"{host} {variable}=eth1, of 20 Mbit/s", plant, ("wrong-card",), [host])


def from_site_to_site(bed, rng, kind, how_much):
    """Three times in ten, where there are several sites."""
    sites = sorted({bed.site_of(name) for name in bed.names()})
    if len(sites) < 2 or rng.random() >= 0.3:
        return None
    a, b = rng.sample(sites, 2)
    return Plant(kind, f"{how_much} from {a} to {b}", lambda: bed.change(a, b, f"{kind}={how_much}"), (kind,),
                 bed.members(a) + bed.members(b))


def loss(bed, rng):
    percent = rng.choice([0.5, 1, 2, 5])
    between_sites = from_site_to_site(bed, rng, "loss", f"{percent}%")
    if between_sites:
        return between_sites
    host = rng.choice(bed.names())
    what = rng.choice([[host], [host, "send"], [host, "receive"]])
    return Plant("loss", f"{percent}% of {' '.join(what)}", lambda: bed.change(" ".join(what), f"loss={percent}%"), ("loss",),
                 [host])


def one_way(bed, rng):
    host = rng.choice(bed.names())
    direction = rng.choice(["send", "receive"])
    rate = rng.choice([8, 15, 25, 40])
    return Plant("one-way slowness", f"{host} {direction}s {rate} Mbit/s",
                 lambda: bed.change(f"{host} {direction}", f"rate={rate}Mbit/s"), ("one-way",), [host])


def remove_group(group):
    """Once the processes in it have ended."""
    for _ in range(50):
        try:
            return group.rmdir()
        except OSError:
            time.sleep(0.1)
    return group.rmdir()


def slow_host(bed, rng):
    host = rng.choice(bed.names())
    percent = rng.choice([10, 20, 30])

    def plant():
        group = CPU_GROUPS / f"espalier-{bed.work.name}"
        group.mkdir()
        bed.leftovers.append(lambda: remove_group(group))
        (group / "cpu.cfs_quota_us").write_text(str(1000 * percent))
        (group / "cgroup.procs").write_text(str(bed.process_of(host)))
    return Plant("slow host", f"{host} at {percent}% of a processor", plant, ("slow-host",), [host])


def duplicate_address(bed, rng):
    host, victim = rng.sample(bed.hosts, 2)
    return Plant("duplicate address", f"{host['name']} with the address of {victim['name']}",
                 lambda: bed.on(host["name"], "ip", "address", "add", f"{victim['address']}/16", "dev", "tun0"),
                 ("duplicate-address",), [host["name"], victim["name"]])


def wrong_buffer(bed, rng):
    host = rng.choice(bed.names())
    setting = rng.choice(["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"])
    largest = rng.choice([32768, 65536, 262144])
    return Plant("wrong buffer", f"{host} {setting} up to {largest}",
                 lambda: bed.on(host, "sysctl", "-w", f"{setting}=4096 16384 {largest}"), ("buffers",), [host])


def jitter(bed, rng):
    width = rng.choice(["3ms", "5ms", "10ms"])
    between_sites = from_site_to_site(bed, rng, "jitter", width)
    if between_sites:
        return between_sites
    host = rng.choice(bed.names())

    def plant():
        for other in bed.names():
            if other != host:
                bed.change(host, other, f"jitter={width}", other, host, f"jitter={width}")
    return Plant("jitter", f"{width} of {host}", plant, ("jitter",), [host])


KINDS = [slow_card, wrong_card, loss, one_way, slow_host, duplicate_address, wrong_buffer, jitter]


def draw(bed, kind, seed):
    return KINDS[kind](bed, random.Random(seed))
