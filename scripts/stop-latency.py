#!/usr/bin/env python3
"""How soon `stop` is answered with many threads: scripts/stop-latency.py ENGINE [THREADS] [TIMES]"""

import subprocess
import sys
import time

engine = sys.argv[1]
threads = int(sys.argv[2]) if len(sys.argv) > 2 else 64
times = int(sys.argv[3]) if len(sys.argv) > 3 else 20

process = subprocess.Popen([engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def say(line):
    process.stdin.write(line + "\n")
    process.stdin.flush()


def wait_for(word):
    for line in process.stdout:
        if line.startswith(word):
            return
    sys.exit(f"{engine} ended before it said {word}")


say(f"setoption name Threads value {threads}")
say("isready")
wait_for("readyok")
delays = []
for number in range(times):
    say("position startpos")
    say("go infinite")
    # Each search is stopped at another moment.
    time.sleep(0.3 + 0.037 * number)
    asked = time.monotonic()
    say("stop")
    wait_for("bestmove")
    delays.append(1000 * (time.monotonic() - asked))
say("quit")
process.wait()
delays.sort()
print(f"{threads} threads, {times} stops: median {delays[times // 2]:.1f} ms, at most {delays[-1]:.1f} ms")
