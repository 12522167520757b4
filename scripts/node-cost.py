#!/usr/bin/env python3
"""What a node costs on two threads: processor time and elapsed time for each node, beside one processor.

Usage: node-cost.py PROGRAM DEPTH ROUNDS ALGORITHM...     for example: node-cost.py target/release/jamboree 17 6 jubilee lazy-smp

One processor and the algorithms run in turn on Bratko-Kopec; medians of all rounds, and ratios to the run on one processor of the same round.
An algorithm may carry options of `bench` after a comma: jubilee,--trace,/tmp/trace.json
"""

import math
import resource
import statistics
import subprocess
import sys
import time


def bench(program: str, depth: str, options: list[str]) -> tuple[float, float, float]:
    """Nanoseconds for each node: in user mode, in the kernel, elapsed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [program, "bench", "--suite", "bratko-kopec", "--hash", "64", "--depth", depth, *options]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    elapsed, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    nodes = int(output.strip().splitlines()[-1].split()[0])
    times = (after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, elapsed)
    return tuple(seconds * 1e9 / nodes for seconds in times)


def interval(values: list[float]) -> str:
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{statistics.mean(values):.3f} +/- {error:.3f}"


def main() -> None:
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    program, depth, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    runs = {"one processor": []}
    for name in sys.argv[4:]:
        algorithm, *more = name.split(",")
        runs[name] = ["--machine", "threads", "--processors", "2", "--algorithm", algorithm, *more]
    costs = {name: [] for name in runs}
    for _ in range(rounds):
        for name, options in runs.items():
            costs[name].append(bench(program, depth, options))
    print("nanoseconds a node (medians): user, kernel, elapsed; nodes a second and user time, times one processor (mean, standard error)")
    for name, rows in costs.items():
        user, kernel, elapsed = (statistics.median(column) for column in zip(*rows))
        speeds = [one[2] / row[2] for one, row in zip(costs["one processor"], rows)]
        users = [row[0] / one[0] for one, row in zip(costs["one processor"], rows)]
        print(f"{name:30} {user:6.0f} {kernel:6.0f} {elapsed:6.0f}   {interval(speeds)}   {interval(users)}")


if __name__ == "__main__":
    main()
