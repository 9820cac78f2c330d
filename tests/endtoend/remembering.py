#!/usr/bin/env python3
"""Three jobs of broadcasts one after the other, on a testbed whose rate changes in between.

    remembering.py FILE --build BUILD --out FOLDER --congestion NAME --what "middle uplink" --slow rate=10Mbit/s --fast rate=80Mbit/s

The first one is under way when the queue gets slow; before the third it is fast again. Their cache is FOLDER/cache. Beside them, in
either state, a job whose plan is never changed, and at last two that find a change of something else, and a file that is broken.
Writes FOLDER/results.json: when each job began, the seconds of each call, what the logs say that earlier jobs told, and of what is
kept, and what that is after each job.
"""

import argparse
import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "bench" / "grid-tcp"), str(ROOT / "bench" / "changing")]

import cells  # noqa: E402
import networks  # noqa: E402
from jobs import Job  # noqa: E402
from places import Testbed  # noqa: E402
from steps import step  # noqa: E402

BROADCAST = cells.Cell("broadcast", 128 * cells.KIB)
LONGEST_S = 60


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("testbed", type=pathlib.Path)
    for name in ("--build", "--out"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve(), required=True)
    for name in ("--congestion", "--what", "--slow", "--fast"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    library = cells.Library("espalier", "openmpi", ours=True)
    cache = options.out / "cache"
    found = {}
    with Testbed(options.build, options.testbed, options.congestion) as place:
        network = networks.measure(place, options.build, "openmpi", options.out, "4s")

        def job(name, plan, phases):
            """`phases`: (state, calls, seconds) each."""
            began_s = time.time()
            own = Job(place, options.build, options.out, library, None,
                      {"ESPALIER_NETWORK": str(network), "ESPALIER_PLAN": plan, "ESPALIER_LOG": "debug",
                       "ESPALIER_CACHE": str(cache)})
            seconds = []
            for state, calls, budget in phases:
                if state is not None:
                    step(place, options.what, state)
                said = own.call(BROADCAST, 0, 0, calls, budget, LONGEST_S)
                assert said["right"]
                seconds.append(said["seconds"])
            changes = sum(call.get("changes", 0) for call in own.end())
            files = list(cache.glob("*-changes-*.json"))
            kept = [change for file in files if name != "broken" for change in json.loads(file.read_text())["changes"]]
            log = own.log.read_text().splitlines()
            found[name] = {"seconds": seconds, "changes": changes, "kept": kept, "began_s": began_s,
                           "known": [line for line in log if "changed since it was measured: " in line],
                           "complaints": [line for line in log if "-changes-" in line]}
            return files

        file, = job("learns", "auto", [(None, 40, 4), (options.slow, 4000, 12)])
        job("knows", "auto", [(None, 12, 6)])
        job("slow", "always", [(None, 12, 6)])
        job("recovers", "auto", [(options.fast, 400, 8)])
        job("fast", "always", [(None, 40, 4)])
        now = time.time()
        file.write_text(json.dumps({"format": "espalier-changes", "version": 1, "espalier": "0", "changes": [
            {"of": "shared", "in": [], "name": "of another network", "rate_Bps": [2, 1], "since_s": now - 999, "seen_s": now}]}))
        job("other", "auto", [(None, 3, 2)])
        file.write_text('{"format": "espalier-changes"')
        job("broken", "auto", [(None, 3, 2)])
    (options.out / "results.json").write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
