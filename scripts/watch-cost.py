#!/usr/bin/env python3
"""What watching costs a search on two threads: scripts/watch-cost.py PROGRAM [ROUNDS] [NODES]. Needs the package websockets.

Each round, in turn: a page watches a search of each position, and `bench` searches them to the same depth unwatched. Prints the nodes a second of
watched searches over those of unwatched ones, mean and standard error over the rounds.
"""

import asyncio
import json
import math
import statistics
import subprocess
import sys
import tempfile

import websockets

POSITIONS = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2q1rk1/1ppnbppp/p2p1nb1/3Pp3/2P1P1P1/2N2N1P/PPB1QP2/R1B2RK1 b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
]


async def watched(address, position, nodes):
    """Depth, nodes and seconds of a search that a page watches."""
    async with websockets.connect(address, max_size=None) as socket:
        await socket.recv()
        request = {"type": "watch", "id": 1, "machine": "threads", "algorithm": "jubilee", "processors": 2, "nodes": nodes}
        await socket.send(json.dumps({**request, "start": position}))
        while (answer := json.loads(await socket.recv()))["type"] != "trace_ends":
            assert answer["type"] != "error", answer
            depth = answer.get("depth", 0) or depth
        return depth, answer["nodes"], answer["time"] / 1e9


def unwatched(program, position, depth):
    """Nodes and seconds of the same search by `bench`."""
    with tempfile.NamedTemporaryFile("w", suffix=".epd") as suite:
        suite.write(" ".join(position.split()[:4]) + ' id "one";\n')
        suite.flush()
        command = [program, "bench", "--suite", suite.name, "--hash", "16", "--depth", str(depth), "--json"]
        output = subprocess.run([*command, "--machine", "threads", "--processors", "2"], capture_output=True, text=True, check=True).stdout
    bench = json.loads(output)
    return bench["nodes"], bench["time"]


async def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    nodes = int(sys.argv[3]) if len(sys.argv) > 3 else 2_000_000
    process = subprocess.Popen([program, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip().replace("http", "ws", 1) + "socket"
        ratios = []
        for _ in range(rounds):
            seen, unseen = [0, 0.0], [0, 0.0]
            for position in POSITIONS:
                depth, *search = await watched(address, position, nodes)
                seen = [a + b for a, b in zip(seen, search)]
                unseen = [a + b for a, b in zip(unseen, unwatched(program, position, depth))]
            ratios.append(seen[0] / seen[1] * unseen[1] / unseen[0])
            print(f"watched {seen[0] / seen[1]:.0f}, unwatched {unseen[0] / unseen[1]:.0f} nodes/s, ratio {ratios[-1]:.3f}", flush=True)
        error = statistics.stdev(ratios) / math.sqrt(rounds) if rounds > 1 else float("nan")
        print(f"{rounds} rounds: watched over unwatched {statistics.mean(ratios):.3f} +/- {error:.3f}")
    finally:
        process.terminate()
        process.wait(10)


asyncio.run(main())
