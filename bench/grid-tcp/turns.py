"""The libraries' turns at a cell, and what comes of them."""

import statistics
import sys
import time

from cells import FUNCTIONS, LIBRARIES
from jobs import Job, JobFailed

# Calls after which the library has mostly found out what is fastest, also where stock libraries take over
# LONG_S.
SETTLED = 10
SETTLED_IF_LONG = 4
# A stock library so much slower than the best has one turn only; where turns are very long, any that
# is clearly slower.
FAR = 1.3
FAR_IF_VERY_LONG = 1.05
LONG_S = 0.3
VERY_LONG_S = 1.5
# So long a call of a stock library counts although it is the first, and one of ours if it is the second, after
# that which waited for its plan: connections are warm from the smaller sizes, and starting slowly is a small
# part of it.
COUNTS_AT_ONCE_S = 1.0
TIMEOUT_S = 120
# Windows of connections over long paths grow for dozens of calls, and predictions are of calls after that: calls
# in a row, until their median gains less than this on the row before, or for so long.
ROW = 8
SETTLED_GAIN = 0.05
SETTLING_S = 40


def processor_seconds():
    """(busy, all) of all processors so far."""
    with open("/proc/stat") as stat:
        ticks = [int(word) for word in stat.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


class Player:
    """One library under one setting of ESPALIER_PLAN, with a job that is started again if it dies."""

    def __init__(self, table, library, plan=None):
        self.table, self.library, self.plan = table, library, plan
        self.job, self.calls, self.asked = None, [], set()

    def started(self):
        if self.job is None:
            settings = {}
            if self.library.ours:
                settings = {"ESPALIER_NETWORK": str(self.table.networks[self.library.mpi]),
                            "ESPALIER_PLAN": self.plan, **self.table.settings}
            self.job = Job(self.table.place, self.table.build, self.table.folder, self.library,
                           self.table.shuffle, settings)
            self.asked = set()
        return self.job

    def play(self, cell, warm_ups, repetitions):
        """Adds times to the outcome of the cell; False if the job failed."""
        outcome = self.table.outcome(cell, self)
        try:
            job = self.started()
            self.table.hosts = job.hosts
            root = job.hosts.index(self.table.root) if self.table.root else 0
            if self.plan == "auto" and cell not in self.asked:
                warm_ups = max(warm_ups, SETTLED_IF_LONG if self.table.is_long(cell) else SETTLED)
            began, before = time.monotonic(), processor_seconds()
            said = job.call(cell, root, warm_ups, repetitions, self.table.seconds, TIMEOUT_S)
            busy, of_all = (b - a for a, b in zip(before, processor_seconds()))
            self.asked.add(cell)
            outcome["right"] = outcome["right"] and said["right"]
            outcome["warm_up_s"] += said["warm_up_s"]
            outcome["seconds"] += said["seconds"]
            outcome["busy"].append(round(busy / max(of_all, 1), 3))
            outcome["wall_s"] += time.monotonic() - began
            return True
        except JobFailed as error:
            outcome["failed"] = str(error)
            print(f"{self.library.name}: {cell.label}: {error}", file=sys.stderr)
            self.job = None
            return False

    def row(self, cell, calls):
        """The median of so many calls, which count nowhere else; None if the job failed."""
        try:
            job = self.started()
            root = job.hosts.index(self.table.root) if self.table.root else 0
            return statistics.median(
                job.call(cell, root, 0, calls, SETTLING_S, TIMEOUT_S)["seconds"])
        except JobFailed as error:
            print(f"{self.library.name}: {cell.label}: {error}", file=sys.stderr)
            self.job = None
            return None

    def end(self):
        if self.job is not None:
            self.calls += self.job.end()
            self.job = None


class Table:
    """All cells of one congestion control and one order of ranks."""

    def __init__(self, place, build, folder, options, networks, shuffle, root, settings):
        self.place, self.build, self.folder, self.networks = place, build, folder, networks
        self.shuffle, self.root, self.settings = shuffle, root, settings
        self.seconds, self.rounds, self.repetitions = (options.seconds, options.rounds,
                                                       options.repetitions)
        self.hosts = []
        self.outcomes = {}
        self.players = {}
        for name in options.libraries:
            library = LIBRARIES[name]
            plan = options.plan if library.ours else None
            self.players[name] = Player(self, library, plan)

    def outcome(self, cell, player):
        return self.outcomes.setdefault((cell, player.library.name), {
            "seconds": [], "warm_up_s": [], "right": True, "busy": [], "wall_s": 0})

    def median(self, cell, player):
        times = self.outcome(cell, player)["seconds"]
        return statistics.median(times) if times else None

    def first_turn(self, cell, player):
        """One call tells how long it takes; what is short is warmed up more and repeated."""
        if not player.play(cell, 1, 0):
            return
        outcome = self.outcome(cell, player)
        if len(outcome["warm_up_s"]) == 1 and player.library.ours \
                and outcome["warm_up_s"][0] > LONG_S:
            player.play(cell, 1, 0)  # the first call waited for its plan
        took = outcome["warm_up_s"][-1]
        is_first = len(outcome["warm_up_s"]) == 1
        if took > COUNTS_AT_ONCE_S and not (is_first and player.library.ours):
            outcome["seconds"].append(outcome["warm_up_s"].pop())
        elif took > LONG_S:
            player.play(cell, 0, 1)
        else:
            player.play(cell, 1, self.repetitions)

    def later_turn(self, cell, player):
        median = self.median(cell, player)
        if median is not None:
            player.play(cell, 0 if median > LONG_S else 1, self.repetitions)

    def time(self, cell):
        """All libraries at one cell, by turns that begin with another one each round."""
        stock = [player for player in self.players.values() if not player.library.ours]
        for player in stock:
            self.first_turn(cell, player)
        ours = [player for player in self.players.values() if player.library.ours]
        for player in ours:
            self.first_turn(cell, player)
        active = self.worth_asking(cell, [*stock, *ours])
        for turn in range(1, self.rounds):
            start = turn % max(len(active), 1)
            for player in active[start:] + active[:start]:
                self.later_turn(cell, player)

    def settle(self, cell):
        """Ours go on at a cell until calls get no faster; `settled_s` is what they take then."""
        for player in self.players.values():
            if player.library.ours and self.median(cell, player) is not None:
                self.outcome(cell, player)["settled_s"] = self.settled(cell, player)

    def settled(self, cell, player):
        before, until = None, time.monotonic() + SETTLING_S
        while (row := player.row(cell, ROW)) and time.monotonic() < until:
            if before is not None and row > (1 - SETTLED_GAIN) * before:
                return min(row, before)
            before = row
        return row or before

    def is_long(self, cell):
        """Whether all stock libraries that answered take long, or none did."""
        medians = [median for player in self.players.values() if not player.library.ours
                   and (median := self.median(cell, player)) is not None]
        return not medians or min(medians) >= LONG_S

    def worth_asking(self, cell, players):
        """A second turn is for those who may be the best peer, and for what a program gets of ours."""
        medians = {id(player): self.median(cell, player) for player in players}
        stock = min((medians[id(p)] for p in players
                     if not p.library.ours and medians[id(p)] is not None), default=0)
        kept = []
        for player in players:
            median = medians[id(player)]
            if median is None:
                continue
            far = not player.library.ours and median > stock * (
                FAR if stock < VERY_LONG_S else FAR_IF_VERY_LONG)
            if not far:
                kept.append(player)
        return kept

    def told(self, cell):
        """The medians of a cell, in ms."""
        found = []
        for player in self.players.values():
            if (cell, player.library.name) in self.outcomes:
                median = self.median(cell, player)
                plan = f" ({player.plan})" if player.plan else ""
                found.append(f"{player.library.name}{plan} "
                             + (f"{median * 1e3:.4g}" if median is not None else "failed"))
        return ", ".join(found)

    def end(self):
        for player in self.players.values():
            player.end()

    def rows(self):
        """One for each cell and library: what a program gets."""
        for (cell, name), outcome in self.outcomes.items():
            times = outcome["seconds"]
            row = {"congestion": self.place.congestion,
                   "order": "ordered" if self.shuffle is None else "shuffled",
                   "collective": cell.collective, "bytes": cell.bytes, "library": name,
                   "median_s": statistics.median(times) if times else None, **outcome}
            player = self.players[name]
            if player.plan is not None:
                row |= {"plan": player.plan, **self.said(cell, player)}
            yield row

    @staticmethod
    def said(cell, player):
        """What the library's report says of such calls of the whole job."""
        function = FUNCTIONS.get(cell.collective, cell.collective)
        found = [call for call in player.calls if call["collective"] == function
                 and call["bytes"] == cell.bytes]
        planned = [call for call in found if call["algorithm"] != "native"]
        call = max(planned or found or [{}],
                   key=lambda c: (c.get("communicator_size", 0), c.get("calls", 0)))
        kept = ("algorithm", "segments", "predicted_s", "choice", "reason", "lower_bound_s")
        return {key: call[key] for key in kept if key in call}


def progress(text, began):
    print(f"[{time.monotonic() - began:6.0f} s] {text}", file=sys.stderr, flush=True)
