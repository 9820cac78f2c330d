"""Jobs of timed_calls that stay up and wait for orders, so that libraries can take turns."""

import json
import os
import queue
import shlex
import signal
import subprocess
import threading

from places import environment

START_S = 60


class JobFailed(Exception):
    pass


class Job:
    def __init__(self, place, build, folder, library, shuffle, settings):
        """`settings`: environment variables of the ranks; for ours ESPALIER_REPORT is added, and an ESPALIER_CACHE
        of its own unless they have one, so that no job knows what another one learned."""
        tag = f"{place.congestion}-{'shuffled' if shuffle is not None else 'ordered'}-" \
              f"{library.name}-{settings.get('ESPALIER_PLAN', 'stock')}-{os.getpid()}-" \
              f"{next(self.numbers)}"
        self.report = folder / f"run-{tag}.json"
        self.log = folder / f"log-{tag}.txt"
        self.shared, self.orders_path = folder / f"shared-{tag}", folder / f"orders-{tag}"
        os.mkfifo(self.orders_path)
        # Open for both, so that neither end waits for the other.
        self.orders = os.open(self.orders_path, os.O_RDWR)
        program = build / "bench" / "grid-tcp" / f"timed_calls_{library.mpi}"
        preload = ""
        if library.ours:
            ours = shlex.quote(f"{build}/libespalier-{library.mpi}.so")
            preload = f" LD_PRELOAD={ours}${{LD_PRELOAD:+:$LD_PRELOAD}}"
            settings = {"ESPALIER_CACHE": str(folder / f"cache-{tag}")} | settings | place.settings() | \
                {"ESPALIER_REPORT": str(self.report)}
        words = [f"{name}={value}" for name, value in settings.items()]
        ranks = shlex.join(["exec", "env", *words]) + preload + " " + \
            shlex.join([str(program), str(self.shared), str(self.orders_path)])
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [*place.launcher(library.mpi, shuffle, library.options), "sh", "-c", ranks],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True,
                env=environment(), start_new_session=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.hosts = self._next(START_S)["hosts"]

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _next(self, timeout):
        while True:
            try:
                line = self.lines.get(timeout=timeout)
            except queue.Empty:
                self.kill()
                raise JobFailed(f"no answer in {timeout:.0f} s") from None
            if line is None:
                raise JobFailed(f"ended with status {self.process.wait()}; see {self.log}")
            if line.startswith("{"):
                return json.loads(line)

    def call(self, cell, root, warm_ups, repetitions, budget, timeout, computing=0):
        """What timed_calls says of these calls, nonblocking ones with seconds of computing beside them."""
        os.write(self.orders, f"{cell.collective} {cell.bytes} {root} {warm_ups} {repetitions} "
                              f"{budget} {computing}\n".encode())
        return self._next(timeout)

    def end(self):
        """The calls of the library's report, none where it wrote none."""
        if self.process.poll() is None:
            os.write(self.orders, b"end\n")
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        os.close(self.orders)
        for path in (self.shared, self.orders_path):
            path.unlink(missing_ok=True)
        return json.loads(self.report.read_text())["calls"] if self.report.exists() else []

    def kill(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)

    numbers = iter(range(1 << 30))
