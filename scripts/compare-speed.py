#!/usr/bin/env python3
"""Nodes a second against another engine, on the same positions, interleaved: ours, theirs, ours, theirs, ...

Usage: compare-speed.py OURS THEIRS [ROUNDS]      (THEIRS must know Stockfish's `bench HASH THREADS DEPTH FILE depth`)
"""

import json
import re
import statistics
import subprocess
import sys
import tempfile


def ours(engine: str) -> dict:
    return json.loads(subprocess.run([engine, "bench", "--json"], capture_output=True, text=True, check=True).stdout)


def theirs(engine: str, fens: str) -> float:
    command = [engine, "bench", "16", "1", "13", fens, "depth"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return float(re.search(r"Nodes/second\s*:\s*(\d+)", output).group(1))


def main() -> None:
    our_engine, their_engine = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    with tempfile.NamedTemporaryFile("w", suffix=".fen") as fens:
        fens.write("\n".join(row["fen"] for row in ours(our_engine)["positions"]) + "\n")
        fens.flush()
        pairs, counts = [], set()
        for _ in range(rounds):
            bench = ours(our_engine)
            counts.add(bench["nodes"])
            pairs.append((bench["nodes"] / bench["time"], theirs(their_engine, fens.name)))
            print(f"{pairs[-1][0]:12.0f} {pairs[-1][1]:12.0f}  ratio {pairs[-1][0] / pairs[-1][1]:.2f}", flush=True)
    ratios = [us / them for us, them in pairs]
    print(f"our nodes, every time: {sorted(counts)}")
    medians = [statistics.median(column) for column in zip(*pairs)]
    print(f"medians {medians[0]:.0f} and {medians[1]:.0f} nodes/s, ratio {statistics.median(ratios):.2f} "
          f"(from {min(ratios):.2f} to {max(ratios):.2f} in {rounds} rounds)")


if __name__ == "__main__":
    main()
