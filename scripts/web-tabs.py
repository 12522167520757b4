#!/usr/bin/env python3
"""Many pages analyse at once: scripts/web-tabs.py PROGRAM [PAGES] [SECONDS]. Needs the package websockets.

Prints the nodes of each page (least, median, most), the memory of the server before, during and after, and fails if a page gets
nothing or the server does not answer afterwards.
"""

import asyncio
import json
import statistics
import subprocess
import sys

import websockets


def memory(process):
    """Resident memory in MiB."""
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


async def analyse(address, seconds):
    """The nodes of one page's analysis."""
    async with websockets.connect(address, max_size=None) as socket:
        await socket.recv()
        await socket.send(json.dumps({"type": "analyse", "id": 1, "lines": 1, "threads": 2}))
        end = asyncio.get_running_loop().time() + seconds
        nodes = 0
        while (left := end - asyncio.get_running_loop().time()) > 0:
            try:
                answer = json.loads(await asyncio.wait_for(socket.recv(), left))
            except asyncio.TimeoutError:
                break
            nodes = max(nodes, answer.get("nodes", 0))
        await socket.send(json.dumps({"type": "stop", "id": 2}))
        while (answer := json.loads(await socket.recv()))["type"] != "done":
            nodes = max(nodes, answer.get("nodes", 0))
        return nodes


async def main():
    program = sys.argv[1]
    pages = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    process = subprocess.Popen([program, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip().replace("http", "ws", 1) + "socket"
        before = memory(process)
        running = [asyncio.create_task(analyse(address, seconds)) for _ in range(pages)]
        await asyncio.sleep(seconds * 0.9)
        during = memory(process)
        nodes = sorted(await asyncio.gather(*running))
        async with websockets.connect(address) as socket:
            await socket.recv()
            await socket.send(json.dumps({"type": "position", "id": 1}))
            assert json.loads(await socket.recv())["type"] == "position"
        await asyncio.sleep(1)
        print(f"{pages} pages for {seconds:.0f} s: nodes least {nodes[0]}, median {statistics.median(nodes):.0f}, most {nodes[-1]}")
        print(f"memory in MiB: {before:.0f} before, {during:.0f} during, {memory(process):.0f} after")
        assert nodes[0] > 0, "a page got nothing"
    finally:
        process.terminate()
        print(f"the server ended with code {process.wait(10)}")


asyncio.run(main())
